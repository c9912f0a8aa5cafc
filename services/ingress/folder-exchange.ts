/** Exchanges messages with a program through folders. Packet paths in messages are relative to the folder of the client. */
import { mkdir, realpath, rename } from 'node:fs/promises';
import { join, sep } from 'node:path';
import { MailboxConflictError, MailboxUnreadableError } from '../../shared/mailbox/errors.ts';
import { listMessages, putMessage, readMailboxFile, writeWhole } from '../../shared/mailbox/folder.ts';
import { handoffPathOf, type MailboxMessage } from '../../shared/mailbox/mailbox-message.ts';
import type { MailOfProjects } from '../../shared/mailbox/mail-of-projects.ts';
import type { MessageStore } from '../../shared/mailbox/message-store.ts';
import { channelOf } from '../../shared/protocol/channel.ts';
import { packetPath } from '../../shared/protocol/findings-packet.ts';
import { distinctFileName } from '../../shared/protocol/mailbox-order.ts';
import type { ReviewMessage } from '../../shared/protocol/message.ts';
import { printPacket } from '../../shared/protocol/packet-text.ts';
import { printMessage } from '../../shared/protocol/print-message.ts';
import { printProblem } from '../../shared/protocol/yaml/problem.ts';
import { reviewPacketPath } from '../../shared/protocol/review-packet.ts';
import type { SeenProject } from './client-rights.ts';
import { readMail } from './read-mail.ts';
import { type Receipt, type ReceiveDeps, receiveMessage, type Speaker, type Taken } from './receive-message.ts';

export type FolderClient = Speaker & { readonly folder: string };

export type FolderDeps = ReceiveDeps & {
  readonly messageStore: Pick<MessageStore, 'send' | 'read'>;
  readonly mail: Pick<MailOfProjects, 'read'>;
  /** Returns the position up to which the messages for a client were written to its folder; null if none was written. */
  readonly loadCursor: (client: FolderClient) => Promise<string | null>;
  readonly saveCursor: (client: FolderClient, cursor: string) => Promise<void>;
};

const FOLDERS = [
  'inbox',
  'outbox',
  'outbox/sent',
  'outbox/refused',
  'packets/findings',
  'packets/reviews',
  'packets/handoffs',
] as const;

/** A call continues an interrupted exchange. Throws `MAILBOX_UNREADABLE` and errors of the stores. */
export const exchange = async (deps: FolderDeps, client: FolderClient, signal: AbortSignal): Promise<void> => {
  for (const name of FOLDERS) await makeInside(client.folder, name);
  await collect(deps, client, signal);
  await deliver(deps, client, signal);
};

/** Rejects a symlink that leads out of the folder, because the client may write there. */
const makeInside = async (folder: string, name: string): Promise<void> => {
  try {
    await mkdir(join(folder, name), { recursive: true });
    const [root, real] = await Promise.all([realpath(folder), realpath(join(folder, name))]);
    if (real.startsWith(`${root}${sep}`)) return;
  } catch (cause) {
    throw new MailboxUnreadableError('has a folder that cannot be created', cause);
  }
  throw new MailboxUnreadableError('points outside its folder', null);
};

const deliver = async (deps: FolderDeps, client: FolderClient, signal: AbortSignal): Promise<void> => {
  for (;;) {
    signal.throwIfAborted();
    const before = await deps.loadCursor(client);
    const { messages, next } = await readMail(deps, client, before);
    for (const { cursor, project, ...letter } of messages) {
      await put(deps, client.folder, project === undefined ? letter : inProject(letter, project));
      await deps.saveCursor(client, cursor);
    }
    if (next === before || next === null) return;
    await deps.saveCursor(client, next);
  }
};

/** In a folder only `channel` tells the project; older messages may lack it. */
const inProject = (letter: MailboxMessage, { forge, id }: SeenProject): MailboxMessage => ({
  ...letter,
  message: { ...letter.message, channel: channelOf({ forge, projectId: id }) },
});

/** Writes packets before the message, so that a reader of the message finds them. */
const put = async ({ log }: FolderDeps, folder: string, letter: MailboxMessage): Promise<void> => {
  const { message, packet, review, handoff } = letter;
  const handoffPath = handoffPathOf(message);
  if (packet !== null) await writeWhole(join(folder, packetPath(packet.packet_id)), printPacket(packet));
  if (review !== null) await writeWhole(join(folder, reviewPacketPath(review.packet_id)), printPacket(review));
  if (handoff !== null && handoffPath !== null) await writeWhole(join(folder, handoffPath), printPacket(handoff));
  const inbox = join(folder, 'inbox');
  const conflict = (await tryPut(inbox, message)) && (await tryPut(inbox, message, distinctFileName(message)));
  if (conflict !== null) log.warn({ err: conflict }, 'message could not be put into a folder');
};

const tryPut = async (...wanted: Parameters<typeof putMessage>): Promise<MailboxConflictError | null> => {
  try {
    await putMessage(...wanted);
    return null;
  } catch (error) {
    if (error instanceof MailboxConflictError) return error;
    throw error;
  }
};

const collect = async (deps: FolderDeps, client: FolderClient, signal: AbortSignal): Promise<void> => {
  const outbox = join(client.folder, 'outbox');
  for (const { file, reading } of await listMessages(outbox)) {
    signal.throwIfAborted();
    const receipt: Receipt =
      reading.kind === 'refused'
        ? { kind: 'malformed', problems: reading.problems }
        : await receiveMessage(deps, client, await textOf(client.folder, reading.message));
    await putAway(outbox, file, receipt);
  }
};

const textOf = async (folder: string, message: ReviewMessage): Promise<string> => {
  const text = printMessage(message);
  const named = message.type === 'review_feedback' ? message.body.findings_packet : handoffPathOf(message);
  if (named === null || (message.type !== 'review_feedback' && message.type !== 'review_request')) return text;
  const packet = await readMailboxFile(join(folder, named));
  return packet === null ? text : `${text}---\n${packet}`;
};

/** Writes the reason and the expected value next to a message that was refused. */
const putAway = async (outbox: string, file: string, receipt: Receipt): Promise<void> => {
  if (receipt.kind === 'accepted' || receipt.kind === 'repeated') return move(outbox, file, 'sent');
  await writeWhole(join(outbox, 'refused', `${file}.txt`), `${whyRefused(receipt)}\n`);
  await move(outbox, file, 'refused');
};

const whyRefused = (receipt: Exclude<Receipt, Taken>): string => {
  switch (receipt.kind) {
    case 'malformed':
      return receipt.problems.map(printProblem).join('\n');
    case 'forbidden':
      return receipt.reason;
    case 'refused':
      return `${receipt.reason}; expected ${receipt.expected}`;
    default:
      return receipt satisfies never;
  }
};

/** Another ingress process that watches the same folder may have moved the file. */
const move = async (outbox: string, file: string, to: 'sent' | 'refused'): Promise<void> => {
  try {
    await rename(join(outbox, file), join(outbox, to, file));
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return;
    throw new MailboxUnreadableError('has a message that cannot be moved', cause);
  }
};
