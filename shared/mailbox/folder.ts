/** Stores messages as files. Each file gets a temporary name first and is then renamed, so no reader sees a partial message. */
import { randomBytes } from 'node:crypto';
import { constants } from 'node:fs';
import { mkdir, open, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { messageFileName } from '../protocol/mailbox-order.ts';
import type { ReviewMessage } from '../protocol/message.ts';
import { type MessageReading, parseMessage } from '../protocol/parse-message.ts';
import { printMessage } from '../protocol/print-message.ts';
import { MAX_YAML_BYTES } from '../protocol/yaml/read-yaml.ts';
import { MailboxConflictError, MailboxUnreadableError } from './errors.ts';

export type FolderEntry = { readonly file: string; readonly reading: MessageReading };

const MAX_ENTRIES = 10_000;

/** `known`: the message is already stored. @throws `MAILBOX_CONFLICT` if another message has this file name. */
export const putMessage = async (
  folder: string,
  message: ReviewMessage,
  file: string = messageFileName(message),
): Promise<{ readonly kind: 'stored' | 'known'; readonly file: string }> => {
  const text = printMessage(message);
  const before = await readMailboxFile(join(folder, file));
  if (before === text) return { kind: 'known', file };
  if (before !== null) throw new MailboxConflictError(file);
  await writeWhole(join(folder, file), text);
  return { kind: 'stored', file };
};

/** Writes a temporary file and renames it. Creates missing folders. */
export const writeWhole = async (path: string, text: string): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  const unfinished = join(dirname(path), `.${randomBytes(8).toString('hex')}.tmp`);
  try {
    await writeFile(unfinished, text, { flag: 'wx', flush: true });
    await rename(unfinished, path);
  } catch (cause) {
    await rm(unfinished, { force: true });
    throw cause;
  }
};

/** Lists all messages of a folder by name. Invalid messages are listed with their problems. @throws `MAILBOX_UNREADABLE`. */
export const listMessages = async (folder: string): Promise<readonly FolderEntry[]> => {
  const names = await namesOf(folder);
  const files = names.filter((name) => /^[^.].*\.ya?ml$/.test(name)).toSorted();
  if (files.length > MAX_ENTRIES) throw new MailboxUnreadableError(`contains more than ${MAX_ENTRIES} messages`, null);
  const entries: FolderEntry[] = [];
  for (const file of files) {
    const text = await readMailboxFile(join(folder, file));
    if (text !== null) entries.push({ file, reading: parseMessage(text) });
  }
  return entries;
};

const namesOf = async (folder: string): Promise<readonly string[]> => {
  try {
    const entries = await readdir(folder, { withFileTypes: true });
    return entries.filter((entry) => entry.isFile()).map(({ name }) => name);
  } catch (cause) {
    throw new MailboxUnreadableError('is not a readable folder', cause);
  }
};

/** Reads at most one byte more than the size limit, to detect larger files. Follows no link and never blocks on a pipe. */
export const readMailboxFile = async (path: string): Promise<string | null> => {
  const handle = await openExisting(path);
  if (handle === null) return null;
  try {
    const buffer = Buffer.alloc(MAX_YAML_BYTES + 1);
    let length = 0;
    for (;;) {
      const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length);
      length += bytesRead;
      if (bytesRead === 0 || length === buffer.length) return buffer.toString('utf8', 0, length);
    }
  } finally {
    await handle.close();
  }
};

const openExisting = async (path: string) => {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return null;
    throw new MailboxUnreadableError('contains an unreadable file', cause);
  }
};
