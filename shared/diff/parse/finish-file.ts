import { DiffParseError } from './diff-parse-error.ts';
import type { FileDraft } from './file-draft.ts';
import { isDevNull, type NamePair, prefixDepth, readPlainNames, splitHeaderNames, stripPrefix } from './file-names.ts';
import type { DiffFile, FileStatus } from '../model.ts';
import { decodeBytes, toByteString } from '../paths/quoted-path.ts';

/** SHA-1 and SHA-256 ids of the empty blob, the only new content that needs no hunk. */
const EMPTY_BLOBS = [
  'e69de29bb2d1d6434b8b29ae775ad8c2e48c5391',
  '473a0f4c3be8a93681a267e3b1e9a7dcda1185436fe141f7749120a303721813',
];

/** Checks that the file is complete, and resolves its names. @throws `DiffParseError`. */
export const finishFile = (draft: FileDraft, line: number): DiffFile => {
  const names = resolveNames(draft);
  if (names === null) throw new DiffParseError('the header does not name the file', null, line);
  const newPath = decodeBytes(names.new);
  const problem = findNameProblem(names.old) ?? findNameProblem(names.new) ?? findDamage(draft);
  if (problem !== null) throw new DiffParseError(problem, newPath, line);
  return {
    oldPath: names.old === names.new ? newPath : decodeBytes(names.old),
    newPath,
    oldPathRaw: toByteString(names.old),
    newPathRaw: toByteString(names.new),
    status: decideStatus(draft),
    added: draft.added,
    removed: draft.removed,
    binary: draft.binary,
    oldMode: draft.created ? null : draft.oldMode,
    newMode: draft.deleted ? null : draft.newMode,
    oldBlob: draft.oldBlob,
    newBlob: draft.newBlob,
    similarity: draft.similarity,
    rewritten: draft.rewritten,
    hunks: draft.hunks,
    binaryPatch: draft.binaryPatch,
    parents: draft.parents,
    complete: !contentIsMissing(draft),
    inputLine: draft.inputLine,
  };
};

const findNameProblem = (name: string): string | null =>
  name === '' || name.includes('\0') ? 'the file name is not possible' : null;

const resolveNames = (draft: FileDraft): NamePair | null => {
  switch (draft.origin) {
    case 'plain':
      return resolvePlain(draft);
    case 'submodule':
      return { old: draft.headerRest, new: draft.headerRest };
    case 'combined':
      return resolveCombined(draft);
    case 'git':
      return resolveGit(draft);
    default:
      return draft.origin satisfies never;
  }
};

const resolvePlain = (draft: FileDraft): NamePair | null => {
  const names = readPlainNames(draft.minus ?? '', draft.plus ?? '');
  if (names === null) return null;
  draft.created = names.created;
  draft.deleted = names.deleted;
  return { old: names.name, new: names.name };
};

/** A `diff --cc` line contains the name once and without a prefix; the other header lines have prefixes. */
const resolveCombined = (draft: FileDraft): NamePair | null => {
  const split = splitHeaderNames(`${draft.headerRest} ${draft.headerRest}`);
  return split === null ? null : { old: split.new, new: split.new };
};

const resolveGit = (draft: FileDraft): NamePair | null => {
  if ((draft.from === null) !== (draft.to === null)) return null;
  if (draft.from !== null && draft.to !== null) return { old: draft.from, new: draft.to };
  const header = splitHeaderNames(draft.headerRest);
  const sides = pairOfSides(draft);
  const pair = header ?? sides;
  if (pair === null) return null;
  const depth = prefixDepth(pair);
  const names = { old: stripPrefix(pair.old, depth), new: stripPrefix(pair.new, depth) };
  if (sides === null || (header !== null && isUsual(draft, header))) return names;
  const told = { old: stripSide(sides.old, depth), new: stripSide(sides.new, depth) };
  if (header !== null && contradicts(told, names)) return null;
  return { old: told.old ?? told.new ?? names.old, new: told.new ?? told.old ?? names.new };
};

/** Almost every file: the `---` and `+++` lines repeat the names of the header. */
const isUsual = (draft: FileDraft, header: NamePair): boolean =>
  draft.minus === header.old && draft.plus === header.new && !draft.created && !draft.deleted;

const pairOfSides = (draft: FileDraft): NamePair | null =>
  draft.minus === null || draft.plus === null ? null : { old: draft.minus, new: draft.plus };

const stripSide = (name: string, depth: 0 | 1): string | null => (isDevNull(name) ? null : stripPrefix(name, depth));

/** A header whose names contradict each other was not written by git. */
const contradicts = (told: { old: string | null; new: string | null }, names: NamePair): boolean =>
  (told.old !== null && told.old !== names.old) || (told.new !== null && told.new !== names.new);

const findDamage = (draft: FileDraft): string | null => {
  if (draft.created && draft.deleted) return 'the file is both new and deleted';
  if (draft.created && draft.oldLines > 0) return 'a new file has old lines';
  if (draft.deleted && draft.newLines > 0) return 'a deleted file has new lines';
  if (draft.binary || draft.hunkCount > 0) return null;
  if (draft.minus !== null || draft.plus !== null) return 'no hunk follows the file header';
  if (isBareHeader(draft)) return 'nothing follows the file header';
  return contentIsMissing(draft) && isPlainEdit(draft)
    ? 'the header says that the content changed, but no hunk follows'
    : null;
};

const contentIsMissing = (draft: FileDraft): boolean =>
  draft.origin === 'git' &&
  !draft.binary &&
  draft.hunkCount === 0 &&
  draft.oldBlob !== draft.newBlob &&
  !isEmptyBlob(draft.oldBlob ?? draft.newBlob);

/** git always shows the content of an edit; `-D` and `-w` can omit the content of a creation, deletion or rename. */
const isPlainEdit = (draft: FileDraft): boolean =>
  !draft.created && !draft.deleted && draft.from === null && draft.oldMode === draft.newMode;

const isBareHeader = (draft: FileDraft): boolean =>
  draft.origin !== 'submodule' &&
  !draft.created &&
  !draft.deleted &&
  draft.from === null &&
  draft.oldMode === draft.newMode &&
  draft.oldBlob === draft.newBlob;

/** If only one side is empty, the other side has a hunk, so checking one id is enough. */
const isEmptyBlob = (id: string | null): boolean => id !== null && EMPTY_BLOBS.some((empty) => empty.startsWith(id));

const decideStatus = (draft: FileDraft): FileStatus => {
  if (draft.created) return 'added';
  if (draft.deleted) return 'deleted';
  if (draft.from !== null) return draft.copied ? 'copied' : 'renamed';
  return kindOf(draft.oldMode) === kindOf(draft.newMode) ? 'modified' : 'type_changed';
};

/** The first three of the six digits say whether this is a regular file, a symlink or a gitlink. */
const kindOf = (mode: string | null): string | null => mode?.slice(0, 3) ?? null;

/** Joins a deletion and a creation of the same path into one file, because git writes a change of type in this way. */
export const joinTypeChange = (gone: DiffFile, fresh: DiffFile): DiffFile | null => {
  const joins =
    gone.status === 'deleted' &&
    fresh.status === 'added' &&
    gone.newPathRaw === fresh.newPathRaw &&
    gone.oldMode !== null &&
    fresh.newMode !== null &&
    kindOf(gone.oldMode) !== kindOf(fresh.newMode);
  if (!joins) return null;
  const binary = gone.binary || fresh.binary;
  return {
    ...gone,
    status: 'type_changed',
    added: binary ? 0 : fresh.added,
    removed: binary ? 0 : gone.removed,
    binary,
    newMode: fresh.newMode,
    newBlob: fresh.newBlob,
    hunks: [...gone.hunks, ...fresh.hunks],
    binaryPatch: joinPatches(gone.binaryPatch, fresh.binaryPatch),
    complete: gone.complete && fresh.complete,
  };
};

const joinPatches = (one: Buffer | null, two: Buffer | null): Buffer | null => {
  const parts = [one, two].filter((part) => part !== null);
  return parts.length === 0 ? null : Buffer.concat(parts);
};
