/** Files that are not reviewed but only scanned for secrets. There may be many, so each is read only when it is scanned. */
import type { DiffFile } from '../../../shared/diff/model.ts';
import type { ChangedFile } from '../../../shared/rules/model/rule.ts';
import type { TextReader } from './text-reader.ts';
import { touchedLines } from './touched-lines.ts';

export type ScanTarget = {
  readonly path: string;
  /** Contract: `text` contains the file's text and its added lines; `nothing`: the file is binary; `unread`: the file was not read. */
  readonly read: () => Promise<ScanText>;
};

export type ScanText =
  | { readonly kind: 'text'; readonly file: ChangedFile }
  | { readonly kind: 'nothing' }
  | { readonly kind: 'unread' };

const MAX_BYTES = 16 * 1024 * 1024;

export const scanTarget = (file: DiffFile, texts: TextReader): ScanTarget => ({
  path: file.newPath,
  read: async () => readTarget(file, texts),
});

const readTarget = async (file: DiffFile, texts: TextReader): Promise<ScanText> => {
  const { newPath, oldPath, status } = file;
  if (status === 'deleted') return { kind: 'nothing' };
  const after = await texts.bytes('head', newPath, MAX_BYTES);
  if (after.kind !== 'bytes')
    return after.kind === 'too_large' && file.binary ? { kind: 'nothing' } : { kind: 'unread' };
  const text = asText(newPath, after.data, texts);
  if (text === null) return { kind: 'nothing' };
  const changedLines = touchedLines(file).changedLines;
  if (changedLines.size > 0) return { kind: 'text', file: { path: newPath, text, changedLines } };
  const before = status === 'added' ? null : await texts.bytes('base', oldPath, MAX_BYTES);
  const old = before?.kind === 'bytes' ? asText(oldPath, before.data, texts) : null;
  return { kind: 'text', file: { path: newPath, text, changedLines: newLines(old, text) } };
};

/** Text that cannot be decoded is scanned as bytes without NULs, so that UTF-16 without a byte order mark cannot hide a token. */
const asText = (path: string, data: Buffer, texts: TextReader): string | null => {
  const reading = texts.judge(path, data);
  if (reading.kind === 'text') return reading.text;
  return reading.kind === 'binary' ? null : data.toString('latin1').replaceAll('\0', '');
};

const newLines = (before: string | null, after: string): ReadonlySet<number> => {
  const known = new Set(before?.split('\n') ?? []);
  return new Set(after.split('\n').flatMap((line, index) => (known.has(line) ? [] : [index + 1])));
};
