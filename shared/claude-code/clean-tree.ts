/** The CLI's tools show files unchanged, so the checkout is redacted first, line by line, like the output of Fixpoint's tools. */
import { chmod, lstat, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Protect } from '../agent/present-result.ts';
import { REDACTED } from '../text/redact.ts';
import { readSource } from '../rules/read-source.ts';
import { showHidden } from '../text/visible.ts';

/** Paths relative to the root. An author needs these sets, so that a redacted file does not count as a change. */
export type CleanedTree = {
  /** Files that differ from the commit or are not UTF-8 text, because an editor would write back other bytes. */
  readonly altered: ReadonlySet<string>;
  /** Files that contain the mark of a removed secret. */
  readonly marked: ReadonlySet<string>;
};

type Looked = { readonly altered: boolean; readonly marked: boolean };

const BYTE_ORDER_MARK = '\ufeff';

/** @throws what `protect` throws: unsearched text must not be shown. */
export const cleanTree = async (root: string, protect: Protect, signal: AbortSignal): Promise<CleanedTree> => {
  const altered = new Set<string>();
  const marked = new Set<string>();
  for (const entry of await readdir(root, { withFileTypes: true, recursive: true })) {
    signal.throwIfAborted();
    if (!entry.isFile()) continue;
    const file = path.join(entry.parentPath, entry.name);
    const name = path.relative(root, file);
    const looked = await cleanFile({ file, name }, protect, signal);
    if (looked.altered) altered.add(name);
    if (looked.marked) marked.add(name);
  }
  return { altered, marked };
};

type Named = { readonly file: string; readonly name: string };

const cleanFile = async ({ file, name }: Named, protect: Protect, signal: AbortSignal): Promise<Looked> => {
  const data = await readFile(file);
  const reading = readSource(name, data);
  if (reading.kind === 'binary') return { altered: true, marked: false };
  // An unreadable file cannot be searched for secrets, so none of it is shown.
  const text = reading.kind === 'text' ? reading.text : `[not shown: ${reading.reason}]\n`;
  const body = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  const safe = showHidden(await protect(body, signal));
  const marked = safe.includes(REDACTED);
  // CRLF and a byte order mark are harmless. A file that differs only in them is not rewritten.
  const isShown = reading.kind === 'text' && reading.plain;
  if (isShown && safe === body.replaceAll('\r\n', '\n'))
    return { altered: !Buffer.from(text, 'utf8').equals(data), marked };
  const { mode } = await lstat(file);
  await chmod(file, 0o600);
  await writeFile(file, safe);
  await chmod(file, mode);
  return { altered: true, marked };
};
