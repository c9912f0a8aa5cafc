/** Compares a change with the last review of it: what is new, what changed, and what that review left out. */
import { compareDiffs, type Delta, type FileDelta } from '../../../shared/diff/delta.ts';
import type { Diff } from '../../../shared/diff/model.ts';
import { parseDiff } from '../../../shared/diff/parse/parse.ts';
import { isUnder } from '../../../shared/diff/paths/left-paths.ts';
import type { CommitSha } from '../../../shared/vocabulary/ids.ts';
import type { Revisions } from '../../../shared/workspace/git/revisions.ts';
import type { Packet, PacketRequest, PacketSource } from './packet.ts';
import { touchedLines } from './touched-lines.ts';

type Compared = Pick<Packet, 'delta' | 'touchedSince' | 'withheld'>;

export const compareWithPrevious = async (
  { previous, head, only = null }: PacketRequest,
  current: Diff,
  { revisions, limits, signal }: PacketSource,
): Promise<Compared> => {
  if (previous === null || !(await hasBoth(revisions, previous, signal))) return NOTHING_BEFORE;
  const caps = { maxFiles: limits.maxFiles, maxBytes: limits.maxDiffBytes };
  const before = await revisions.diff({ target: previous.base, head: previous.head, direct: true, ...caps }, signal);
  const between = await revisions.diff({ target: previous.head, head, direct: true, ...caps }, signal);
  if (before.kind !== 'diff') return NOTHING_BEFORE;
  const since = between.kind === 'diff' ? parseDiff(between.patch) : null;
  const delta = compareDiffs(parseDiff(before.patch), current, since);
  return {
    ...withoutLeft(delta, previous.left ?? [], only),
    touchedSince: since === null ? null : touchedPlaces(since),
  };
};

const NOTHING_BEFORE: Compared = { delta: null, touchedSince: null, withheld: new Set() };

/**
 * What the last review left out is new, even if it has not changed since. If the request names a path, only what is
 * below it is shown now. A folder may be named without its final slash.
 */
const withoutLeft = (
  delta: Delta,
  left: readonly string[],
  only: string | null,
): Pick<Packet, 'withheld'> & { readonly delta: Delta } => {
  const withheld = new Set<string>();
  if (left.length === 0) return { delta, withheld };
  const files = delta.files.map((each) => {
    const paths = pathsOf(each);
    if (!paths.some((path) => isUnder(path, left))) return each;
    if (only !== null && !paths.some((path) => isUnder(path, [only, `${only}/`]))) withheld.add(each.file.newPath);
    return asNew(each);
  });
  return { delta: { ...delta, files, empty: delta.empty && files.every(({ unchanged }) => unchanged) }, withheld };
};

const pathsOf = ({ file, previous }: FileDelta): readonly string[] => [
  file.newPath,
  file.oldPath,
  ...(previous === null ? [] : [previous.newPath, previous.oldPath]),
];

const asNew = (each: FileDelta): FileDelta => ({
  ...each,
  previous: null,
  hunks: each.hunks.map(({ hunk }) => ({ hunk, state: 'new', previous: null })),
  metadataChanged: true,
  unchanged: false,
});

const touchedPlaces = ({ files }: Diff): ReadonlyMap<string, ReadonlySet<number>> =>
  new Map(
    files.map((file) => {
      const { changedLines, removedAfter } = touchedLines(file);
      return [file.newPath, new Set([...changedLines, ...[...removedAfter].flatMap((line) => [line, line + 1])])];
    }),
  );

const hasBoth = async (
  revisions: Revisions,
  { head, base }: { readonly head: CommitSha; readonly base: CommitSha },
  signal: AbortSignal,
): Promise<boolean> => (await revisions.exists(head, signal)) && (await revisions.exists(base, signal));
