import { type FilePair, pairFiles } from './pair-files.ts';
import { changedRows, hunkContent } from './hunk-content.ts';
import type { Diff, DiffFile, Hunk } from './model.ts';

/**
 * - `unchanged`: a hunk with the same lines, context and section heading was reviewed before, maybe elsewhere in the file
 *   or under another file name.
 * - `changed`: shares changed lines with the hunk `previous`, which was reviewed before.
 * - `new`: matches no reviewed hunk.
 */
export type HunkDelta = {
  readonly hunk: Hunk;
  readonly state: 'new' | 'changed' | 'unchanged';
  readonly previous: Hunk | null;
};

export type FileDelta = {
  readonly file: DiffFile;
  /** The same file in the earlier diff; null if the earlier diff does not contain it. */
  readonly previous: DiffFile | null;
  readonly hunks: readonly HunkDelta[];
  /** True if name, modes, type, binary content or completeness differ; hunks do not show these. */
  readonly metadataChanged: boolean;
  readonly unchanged: boolean;
};

export type GoneHunk = { readonly file: DiffFile; readonly hunk: Hunk };

export type Delta = {
  readonly files: readonly FileDelta[];
  /** Hunks and files that were reviewed before and are no longer part of the change. */
  readonly gone: readonly GoneHunk[];
  readonly goneFiles: readonly DiffFile[];
  readonly empty: boolean;
};

/**
 * Compares two reviewed states, each as the diff against its own merge base. So a rebase or a merge of the target branch
 * adds nothing if the code around the change stays the same. Line numbers do not matter. `betweenHeads`, the diff from the
 * previous head to the current one, links renamed files; null if it is not available.
 */
export const compareDiffs = (previous: Diff, current: Diff, betweenHeads: Diff | null = null): Delta => {
  const pairs = pairFiles(previous, current, betweenHeads);
  const compared = pairs.pairs.map(compareFile);
  const files = compared.map((one) => one.delta);
  const gone = [
    ...compared.flatMap((one) => one.gone),
    ...pairs.goneFiles.flatMap((file) => file.hunks.map((hunk) => ({ file, hunk }))),
  ];
  const empty = pairs.goneFiles.length === 0 && gone.length === 0 && files.every((file) => file.unchanged);
  return { files, gone, goneFiles: pairs.goneFiles, empty };
};

type Compared = { readonly delta: FileDelta; readonly gone: readonly GoneHunk[] };

const compareFile = ({ file, previous }: FilePair): Compared => {
  const before = new Set(previous?.hunks);
  const hunks = matchChanged(matchEqual(file.hunks, before), before);
  const metadataChanged = previous === null || metadataDiffers(previous, file);
  const gone = previous === null ? [] : [...before].map((hunk) => ({ file: previous, hunk }));
  const unchanged = !metadataChanged && gone.length === 0 && hunks.every((hunk) => hunk.state === 'unchanged');
  return { delta: { file, previous, hunks, metadataChanged, unchanged }, gone };
};

/** Matches each earlier hunk at most once, in order, so that duplicate hunks are counted. */
const matchEqual = (hunks: readonly Hunk[], before: Set<Hunk>): readonly HunkDelta[] => {
  const byContent = groupBy(before, (hunk) => [hunkContent(hunk)]);
  return hunks.map((hunk) => {
    const match = takeFrom(byContent.get(hunkContent(hunk)), before);
    return { hunk, state: match === null ? 'new' : 'unchanged', previous: match };
  });
};

const matchChanged = (hunks: readonly HunkDelta[], before: Set<Hunk>): readonly HunkDelta[] => {
  const byRow = groupBy(before, changedRows);
  return hunks.map((delta) => {
    if (delta.state === 'unchanged') return delta;
    for (const row of changedRows(delta.hunk)) {
      const match = takeFrom(byRow.get(row), before);
      if (match !== null) return { hunk: delta.hunk, state: 'changed', previous: match };
    }
    return delta;
  });
};

const groupBy = (hunks: Iterable<Hunk>, keysOf: (hunk: Hunk) => Iterable<string>): Map<string, Hunk[]> => {
  const groups = new Map<string, Hunk[]>();
  for (const hunk of hunks) {
    for (const key of keysOf(hunk)) {
      const group = groups.get(key);
      if (group === undefined) groups.set(key, [hunk]);
      else group.push(hunk);
    }
  }
  // `takeFrom` pops from the end, so the reversed group yields the hunks in order.
  for (const group of groups.values()) group.reverse();
  return groups;
};

const takeFrom = (group: Hunk[] | undefined, left: Set<Hunk>): Hunk | null => {
  for (let hunk = group?.pop(); hunk !== undefined; hunk = group?.pop()) {
    if (left.delete(hunk)) return hunk;
  }
  return null;
};

const metadataDiffers = (one: DiffFile, two: DiffFile): boolean =>
  one.status !== two.status ||
  one.oldPathRaw !== two.oldPathRaw ||
  one.newPathRaw !== two.newPathRaw ||
  one.oldMode !== two.oldMode ||
  one.newMode !== two.newMode ||
  one.complete !== two.complete ||
  (hasNoText(two) && (one.oldBlob !== two.oldBlob || one.newBlob !== two.newBlob));

/** Without comparable hunks, a change shows only in the object ids. */
const hasNoText = (file: DiffFile): boolean => file.binary || !file.complete || file.hunks.length === 0;
