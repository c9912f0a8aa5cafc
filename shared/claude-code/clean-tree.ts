/**
 * The checkout as a model may see it. The CLI's tools show files as they are, so secrets are taken out, and hidden
 * characters made visible, before it starts: line by line the same as our own tools would show.
 */
import { chmod, lstat, readdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import type { Protect } from '../agent/present-result.ts';
import { REDACTED } from '../text/redact.ts';
import { readSource } from '../rules/read-source.ts';
import { showHidden } from '../text/visible.ts';

/** Paths relative to the root. Whoever writes to the tree needs them: what was altered must not become a change. */
export type CleanedTree = {
  /** Does not stand there as the commit has it, or is no text in UTF-8, so that an editor would give back another file. */
  readonly altered: ReadonlySet<string>;
  /** Holds the mark that stands for a secret. */
  readonly marked: ReadonlySet<string>;
};

type Looked = { readonly altered: boolean; readonly marked: boolean };

const BYTE_ORDER_MARK = '\ufeff';

/** @throws what `protect` throws: what could not be looked at must not be shown. */
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
  // What cannot be read cannot be searched for secrets: nothing of it is shown.
  const text = reading.kind === 'text' ? reading.text : `[not shown: ${reading.reason}]\n`;
  const body = text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text;
  const safe = showHidden(await protect(body, signal));
  const marked = safe.includes(REDACTED);
  // Line ends of Windows and a mark at the beginning hide nothing: a file that has no more than those stays as it is.
  const isShown = reading.kind === 'text' && reading.plain;
  if (isShown && safe === body.replaceAll('\r\n', '\n'))
    return { altered: !Buffer.from(text, 'utf8').equals(data), marked };
  const { mode } = await lstat(file);
  await chmod(file, 0o600);
  await writeFile(file, safe);
  await chmod(file, mode);
  return { altered: true, marked };
};
