/** Everything that a reviewer is given at the start of a round, read from git at exact commits. */
import { compareDiffs, type Delta } from '../../shared/diff/delta.ts';
import { sortFiles } from '../../shared/diff/exclusions.ts';
import { hunkLines } from '../../shared/diff/hunk-lines.ts';
import type { Diff, DiffFile } from '../../shared/diff/model.ts';
import { parseDiff } from '../../shared/diff/parse.ts';
import type { Brief } from '../../shared/rounds/brief.ts';
import type { CommitSha, OmittedFile } from '../../shared/rounds/vocabulary.ts';
import type { ChangedFile } from '../../shared/rules/rule.ts';
import type { Revisions } from '../../shared/workspace/revisions.ts';
import { keepPaths, keepRepositoryPaths, type RepositoryPaths } from './path-filter.ts';
import { readAttributes } from './read-attributes.ts';
import { followThreads, type PacketThread } from './threads.ts';

export type PacketLimits = {
  readonly maxFiles: number;
  readonly maxDiffBytes: number;
  readonly maxFileBytes: number;
  readonly includePaths: readonly string[];
  readonly excludePaths: readonly string[];
  /** The operator's cap of rounds; absent where nobody counts them. */
  readonly maxRounds?: number;
  /** Of the target branch's settings, on top of the others. */
  readonly repositoryPaths?: RepositoryPaths;
};

/** The part of a brief that a packet needs; a local review has no forge behind it. */
export type PacketRequest = Pick<Brief, 'head' | 'targetHead' | 'openThreads' | 'previous'> &
  Partial<Pick<Brief, 'closedThreads' | 'unverified'>>;

export type Packet = {
  readonly head: CommitSha;
  readonly targetHead: CommitSha;
  /** Null when the histories are unrelated: then the whole tree is new. */
  readonly base: CommitSha | null;
  readonly diff: Diff;
  readonly reviewable: readonly DiffFile[];
  /** Excluded by rule, with reasons: they do not make a review incomplete. */
  readonly excluded: readonly OmittedFile[];
  /** Files that should have been reviewed and cannot be. */
  readonly omitted: readonly OmittedFile[];
  readonly changed: readonly ChangedFile[];
  /** Paths that the target branch's settings keep from being discussed: only what is grave is said about them. */
  readonly quiet: ReadonlySet<string>;
  /** What changed since the last complete round; null in round 1 or when the old state cannot be had. */
  readonly delta: Delta | null;
  /**
   * Lines of the head that differ from the head of the last complete round, by path; where something only went away, the
   * lines around it. Null when that head cannot be compared.
   */
  readonly touchedSince: ReadonlyMap<string, ReadonlySet<number>> | null;
  readonly openThreads: readonly PacketThread[];
  /** Closed or handed over: whoever raises one again is to be recognised where its code stands now. */
  readonly closedThreads: readonly PacketThread[];
  /** Grave claims of earlier reviews whose evidence nobody has found. */
  readonly unverified: readonly PacketThread[];
  /** Text at the head; null when there is none. */
  readonly headText: (path: string) => Promise<string | null>;
  /** Text at the merge base; null when there is none. */
  readonly baseText: (path: string) => Promise<string | null>;
};

export type PacketSource = {
  readonly revisions: Revisions;
  readonly limits: PacketLimits;
  readonly signal: AbortSignal;
};

export const buildPacket = async (request: PacketRequest, source: PacketSource): Promise<Packet> => {
  const { revisions, limits, signal } = source;
  const { head, targetHead } = request;
  const asked = { target: targetHead, head, maxFiles: limits.maxFiles, maxBytes: limits.maxDiffBytes };
  const result = await revisions.diff(asked, signal);
  const diff = result.kind === 'diff' ? parseDiff(result.patch) : { files: [] };
  const tooLarge = result.kind === 'diff' ? result.omitted : [{ path: '(the whole change)', reason: result.reason }];
  const { quiet, ...sorted } = await sortChange(diff, { ...source, base: result.mergeBase });
  const texts = createTextReader(source, { head, base: result.mergeBase });
  const { changed, unread } = await readChanged([...sorted.reviewable, ...quiet], { texts, signal });
  return {
    head,
    targetHead,
    base: result.mergeBase,
    diff,
    ...sorted,
    // Git shows what is too large to compare as binary: it is named once, with the reason that counts.
    excluded: sorted.excluded.filter(({ path }) => !tooLarge.some((file) => file.path === path)),
    omitted: [...tooLarge, ...unread],
    changed,
    quiet: new Set(quiet.map(({ newPath }) => newPath)),
    ...(await compareWithPrevious(request, diff, source)),
    ...(await followThreads(request, { diff, ...source })),
    headText: texts.head,
    baseText: texts.base,
  };
};

type Sorting = PacketSource & { readonly base: CommitSha | null };

/** Which files are reviewed is decided by the target's state, never by the change itself. */
const sortChange = async (diff: Diff, { revisions, limits, signal, base }: Sorting) => {
  const attributes = base === null ? [] : await readAttributes(revisions, { commit: base, files: diff.files }, signal);
  const sorted = sortFiles(diff.files, { ignore: limits.excludePaths, attributes, maxFileBytes: limits.maxFileBytes });
  const { kept, left } = keepPaths(sorted.reviewable, limits.includePaths);
  const byRepository = keepRepositoryPaths(kept, limits.repositoryPaths ?? { include: [], exclude: [] });
  const excluded = sorted.excluded.map(({ file, reason }) => ({ path: file.newPath, reason }));
  const quiet = byRepository.left.map(({ newPath }) => ({ path: newPath, reason: QUIET }));
  return { reviewable: byRepository.kept, excluded: [...excluded, ...left, ...quiet], quiet: byRepository.left };
};

const QUIET = "left out by the repository's settings; the rules looked for what is grave";

type Texts = { readonly head: Packet['headText']; readonly base: Packet['baseText'] };

const createTextReader = (
  { revisions, limits, signal }: PacketSource,
  commits: { readonly head: CommitSha; readonly base: CommitSha | null },
): Texts => {
  const read = async (commit: CommitSha, path: string): Promise<string | null> => {
    const content = await revisions.readFile({ commit, path, maxBytes: limits.maxFileBytes }, signal);
    return content.kind === 'text' ? content.text : null;
  };
  const { head, base } = commits;
  return {
    head: async (path) => read(head, path),
    base: async (path) => (base === null ? null : read(base, path)),
  };
};

const readChanged = async (
  files: readonly DiffFile[],
  { texts, signal }: { readonly texts: Texts; readonly signal: AbortSignal },
): Promise<{ readonly changed: readonly ChangedFile[]; readonly unread: readonly OmittedFile[] }> => {
  const changed: ChangedFile[] = [];
  const unread: OmittedFile[] = [];
  for (const file of files) {
    signal.throwIfAborted();
    const touched = touchedLines(file);
    if (isLink(file) || touched.changedLines.size + touched.removedAfter.size === 0) continue;
    const text = await texts.head(file.newPath);
    if (text !== null) changed.push({ path: file.newPath, text, ...touched });
    else unread.push({ path: file.newPath, reason: 'its content could not be read as text' });
  }
  return { changed, unread };
};

const SYMLINK = '120000';
const SUBMODULE = '160000';

/** Links and submodules have no text of their own; the diff shows where they point. */
const isLink = ({ newMode }: DiffFile): boolean => newMode === SYMLINK || newMode === SUBMODULE;

type Touched = Pick<Required<ChangedFile>, 'changedLines' | 'removedAfter'>;

/** Added lines, and the lines behind which something was only taken away. */
const touchedLines = (file: DiffFile): Touched => {
  const changedLines = new Set<number>();
  const removedAfter = new Set<number>();
  for (const hunk of file.hunks) {
    let last = hunk.newStart - (hunk.newLines === 0 ? 0 : 1);
    let removing = false;
    for (const { kind, newLine } of hunkLines(hunk)) {
      if (kind === 'added' && newLine !== null) changedLines.add(newLine);
      if (kind === 'context' && removing) removedAfter.add(last);
      removing = kind === 'removed';
      last = newLine ?? last;
    }
  }
  return { changedLines, removedAfter };
};

const compareWithPrevious = async (
  { previous, head }: PacketRequest,
  current: Diff,
  { revisions, limits, signal }: PacketSource,
): Promise<Pick<Packet, 'delta' | 'touchedSince'>> => {
  if (previous === null || !(await hasBoth(revisions, previous, signal))) return NOTHING_BEFORE;
  const caps = { maxFiles: limits.maxFiles, maxBytes: limits.maxDiffBytes };
  const before = await revisions.diff({ target: previous.base, head: previous.head, direct: true, ...caps }, signal);
  const between = await revisions.diff({ target: previous.head, head, direct: true, ...caps }, signal);
  if (before.kind !== 'diff') return NOTHING_BEFORE;
  const since = between.kind === 'diff' ? parseDiff(between.patch) : null;
  const delta = compareDiffs(parseDiff(before.patch), current, since);
  return { delta, touchedSince: since === null ? null : touchedPlaces(since) };
};

const NOTHING_BEFORE = { delta: null, touchedSince: null } as const;

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
