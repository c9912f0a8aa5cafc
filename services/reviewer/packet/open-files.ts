/** Corrects the lines of a diff: git shows UTF-16 and large text files as binary, and shows no lines of a renamed file. */
import { hasBinaryName } from '../../../shared/diff/binary-names.ts';
import type { Diff, DiffFile } from '../../../shared/diff/model.ts';
import { replaceHunks } from '../../../shared/diff/replace-hunks.ts';
import { contentKindOf, isKnownText } from '../../../shared/rules/content-kind.ts';
import type { LargeFile } from '../../../shared/workspace/git/diff.ts';
import type { SideReading, TextReader } from './text-reader.ts';

export type OpenedDiff = {
  readonly diff: Diff;
  readonly unreadable: ReadonlyMap<string, string>;
  /** Files whose lines the forge does not show, so a line comment on them is impossible. */
  readonly notOnForge: ReadonlySet<string>;
};

export type Opening = {
  readonly large: readonly LargeFile[];
  readonly texts: TextReader;
  readonly isLeftOut: (path: string) => boolean;
  readonly signal: AbortSignal;
};

type Opened =
  | { readonly kind: 'as_it_is' }
  | { readonly kind: 'lines'; readonly file: DiffFile }
  | { readonly kind: 'binary' }
  | { readonly kind: 'unreadable'; readonly reason: string };

const SYMLINK = '120000';
const SUBMODULE = '160000';

/** Links and submodules have no text of their own; the diff shows their target. */
export const isLink = ({ newMode, oldMode, status }: DiffFile): boolean =>
  [SYMLINK, SUBMODULE].includes((status === 'deleted' ? oldMode : newMode) ?? '');

export const openFiles = async ({ files }: Diff, opening: Opening): Promise<OpenedDiff> => {
  const unreadable = new Map<string, string>();
  const notOnForge = new Set<string>();
  const opened: DiffFile[] = [];
  for (const file of files) {
    opening.signal.throwIfAborted();
    const found = await openFile(file, opening);
    if (found.kind === 'unreadable') unreadable.set(file.newPath, found.reason);
    if (found.kind === 'lines') notOnForge.add(file.newPath);
    opened.push(shown(file, found));
  }
  return { diff: { files: opened }, unreadable, notOnForge };
};

const shown = (file: DiffFile, opened: Opened): DiffFile => {
  switch (opened.kind) {
    case 'as_it_is':
      return file;
    case 'lines':
      return opened.file;
    case 'binary':
      return { ...file, binary: true, hunks: [], added: 0, removed: 0 };
    case 'unreadable':
      return { ...file, binary: false, complete: false, hunks: [] };
    default:
      return opened satisfies never;
  }
};

const openFile = async (file: DiffFile, opening: Opening): Promise<Opened> => {
  if (isLink(file)) return { kind: 'as_it_is' };
  const large = opening.large.find(({ path }) => path === file.newPath);
  if (large !== undefined) return openLarge(file, large, opening);
  if (file.binary) return openBinary(file, opening);
  if (hasBinaryName(file.newPath) && !isKnownText(file.newPath)) return openNamedBinary(file, opening);
  return file.status === 'renamed' ? openRenamed(file, opening) : { kind: 'as_it_is' };
};

/** For larger files, it is not even checked whether they are text. */
const MAX_LARGE_BYTES = 16 * 1024 * 1024;

const openLarge = async (file: DiffFile, { bytes }: LargeFile, { texts }: Opening): Promise<Opened> => {
  const { newPath, oldPath, status } = file;
  if (hasBinaryName(newPath) && !isKnownText(newPath)) return { kind: 'binary' };
  const side = status === 'deleted' ? 'base' : 'head';
  const read = await texts.bytes(side, status === 'deleted' ? oldPath : newPath, MAX_LARGE_BYTES);
  if (read.kind === 'undecodable') return { kind: 'unreadable', reason: read.reason };
  const isBinary = read.kind === 'bytes' && texts.judge(newPath, read.data).kind === 'binary';
  return isBinary ? { kind: 'binary' } : { kind: 'unreadable', reason: `too large to compare (${bytes} bytes)` };
};

type Sides = { readonly before: SideReading; readonly after: SideReading };

const readSides = async ({ oldPath, newPath, status }: DiffFile, { texts }: Opening): Promise<Sides> => ({
  before: status === 'added' ? { kind: 'missing' } : await texts.base(oldPath),
  after: status === 'deleted' ? { kind: 'missing' } : await texts.head(newPath),
});

const openBinary = async (file: DiffFile, opening: Opening): Promise<Opened> => {
  const { before, after } = await readSides(file, opening);
  const [whole] = [after, before].filter(({ kind }) => kind !== 'missing');
  if (whole === undefined) return { kind: 'unreadable', reason: UNREAD };
  if (whole.kind === 'binary') return { kind: 'binary' };
  for (const side of [after, before]) {
    if (side.kind === 'undecodable') return { kind: 'unreadable', reason: side.reason };
    if (side.kind === 'too_large') return { kind: 'unreadable', reason: `too large to compare (${side.bytes} bytes)` };
  }
  return { kind: 'lines', file: replaceHunks(file, linesOf(before), linesOf(after)) };
};

const UNREAD = 'its content could not be read as text';

const linesOf = (side: SideReading): string | null => (side.kind === 'text' ? side.text : null);

/** Handles images and archives without a NUL byte, which git shows as text. */
const openNamedBinary = async (file: DiffFile, opening: Opening): Promise<Opened> => {
  const { before, after } = await readSides(file, opening);
  const whole = after.kind === 'missing' ? before : after;
  return { kind: whole.kind === 'binary' ? 'binary' : 'as_it_is' };
};

/** If the file's old name was excluded or was not code, no line has been reviewed, so all lines are shown as new. */
const openRenamed = async (file: DiffFile, opening: Opening): Promise<Opened> => {
  const { oldPath, newPath } = file;
  if (opening.isLeftOut(newPath)) return { kind: 'as_it_is' };
  const becomesCode = contentKindOf(oldPath, '').kind === 'no_code' && contentKindOf(newPath, '').kind !== 'no_code';
  if (!becomesCode && !opening.isLeftOut(oldPath)) return { kind: 'as_it_is' };
  const after = await opening.texts.head(newPath);
  if (after.kind !== 'text') return { kind: 'unreadable', reason: UNREAD };
  return { kind: 'lines', file: replaceHunks(file, null, after.text) };
};
