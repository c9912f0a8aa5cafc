import { DiffParseError } from './diff-parse-error.ts';
import type { FileDraft } from './file-draft.ts';
import { finishFile, joinTypeChange } from './finish-file.ts';
import { createHeaderCursor, type HeaderCursor, type OpenHunk } from './hunk-header.ts';
import { LF, type HunkProgress } from './hunk-scan.ts';
import type { DiffFile } from '../model.ts';
import { decodeBytes } from '../paths/quoted-path.ts';

/**
 * The parser's state between two lines.
 * - `text`: outside a file, or after a hunk of the open file, which the next header ends.
 * - `header`: between `diff --git` and the first hunk.
 * - `hunk`: the hunk has lines left; only the counters end it.
 * - `binary`: inside the blocks after `GIT binary patch`.
 */
export type Scanner = {
  state: 'text' | 'header' | 'hunk' | 'binary';
  readonly bytes: Buffer;
  pos: number;
  /** Number of the line at `pos`, counted from 1. */
  line: number;
  file: FileDraft | null;
  hunk: OpenHunk | null;
  readonly cursor: HeaderCursor;
  readonly progress: HunkProgress;
  /** Remaining lines, one number per parent; null outside the hunk of a combined diff. */
  parentsLeft: number[] | null;
  binary: { readonly start: number; blocks: number; inBlock: boolean } | null;
  /** A deleted file that is not added yet, because the next file may turn it into a change of type. */
  held: DiffFile | null;
  readonly out: DiffFile[];
  sawFile: boolean;
  sawText: boolean;
};

export const createScanner = (bytes: Buffer): Scanner => ({
  state: 'text',
  bytes,
  pos: 0,
  line: 1,
  file: null,
  hunk: null,
  cursor: createHeaderCursor(),
  progress: { oldLeft: 0, newLeft: 0, added: 0, removed: 0, last: 0, pos: 0, rows: 0 },
  parentsLeft: null,
  binary: null,
  held: null,
  out: [],
  sawFile: false,
  sawText: false,
});

export const failScan = (scanner: Scanner, problem: string): never => {
  const { file } = scanner;
  const name = file?.to ?? file?.plus ?? file?.minus ?? file?.headerRest ?? null;
  throw new DiffParseError(problem, name === null ? null : decodeBytes(name), scanner.line);
};

/** Returns the end of the line at `from` (LF, or the end of the input); -1 if no input is left. */
export const lineEndAt = ({ bytes }: Scanner, from: number): number => {
  if (from >= bytes.length) return -1;
  const found = bytes.indexOf(LF, from);
  return found === -1 ? bytes.length : found;
};

/**
 * Returns a line with one character per byte, without the final CR that tools add when they convert a diff to CRLF. No name
 * loses its own CR, because git quotes a name that ends in CR.
 */
export const headerText = (scanner: Scanner, from: number, lineEnd: number): string => {
  const text = scanner.bytes.toString('latin1', from, lineEnd);
  return text.endsWith('\r') ? text.slice(0, -1) : text;
};

export const advance = (scanner: Scanner, lineEnd: number): void => {
  scanner.pos = lineEnd < scanner.bytes.length ? lineEnd + 1 : lineEnd;
  scanner.line++;
};

export const closeHunk = (scanner: Scanner): void => {
  const { hunk, file } = scanner;
  if (hunk === null || file === null) return;
  scanner.hunk = null;
  file.hunkCount++;
  file.added += scanner.progress.added;
  file.removed += scanner.progress.removed;
  file.oldLines += hunk.oldLines;
  file.newLines += hunk.newLines;
  hunk.bodyEnd = scanner.pos;
  file.hunks.push(hunk);
};

export const closeFile = (scanner: Scanner): void => {
  closeHunk(scanner);
  const { file } = scanner;
  if (file === null) return;
  scanner.file = null;
  emit(scanner, finishFile(file, scanner.line));
};

export const openFile = (scanner: Scanner, file: FileDraft): void => {
  closeFile(scanner);
  scanner.file = file;
  scanner.sawFile = true;
};

const emit = (scanner: Scanner, file: DiffFile): void => {
  const { held } = scanner;
  const joined = held === null ? null : joinTypeChange(held, file);
  if (joined === null && held !== null) scanner.out.push(held);
  scanner.held = joined === null && file.status === 'deleted' ? file : null;
  if (scanner.held === null) scanner.out.push(joined ?? file);
};

/** Ends the input. @throws `DiffParseError` if a file, hunk or binary patch is incomplete. */
export const finishScan = (scanner: Scanner): void => {
  if (scanner.state === 'binary') failScan(scanner, 'the input ends inside a binary patch');
  closeFile(scanner);
  if (scanner.held !== null) scanner.out.push(scanner.held);
  scanner.held = null;
  if (!scanner.sawFile && scanner.sawText) failScan(scanner, 'the input contains no diff');
};
