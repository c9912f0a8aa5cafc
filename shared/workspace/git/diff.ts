import type { CommitSha } from '../../vocabulary/ids.ts';
import { BIG_FILE_BYTES, type Git } from './git.ts';
import type { ObjectReader } from './objects.ts';
import { compareTrees, type TreeChange, type TreeEntry } from './trees.ts';
import { readSizes } from './object-batch.ts';

/** `target` is the tip of the target branch. The diff compares `head` with the merge base of `head` and `target`. */
export type DiffRequest = {
  readonly target: CommitSha;
  readonly head: CommitSha;
  /**
   * Whether `head` is compared with `target` itself instead of the merge base, to get the changes between two heads.
   */
  readonly direct?: boolean;
  readonly maxFiles?: number;
  readonly maxBytes?: number;
};

/** `bytes` is the size of the larger side. */
export type LargeFile = { readonly path: string; readonly bytes: number };

export type DiffResult =
  | {
      readonly kind: 'diff';
      readonly patch: Buffer;
      /** Null when the histories are unrelated. The diff then shows the whole tree of the head as new. */
      readonly mergeBase: CommitSha | null;
      /** Files that the patch shows as binary because of their size, even if they are text. */
      readonly large: readonly LargeFile[];
    }
  | { readonly kind: 'too_large'; readonly mergeBase: CommitSha | null; readonly reason: string };

const DEFAULT_MAX_FILES = 20_000;
const DEFAULT_MAX_BYTES = 64 * 1024 * 1024;
const DIFF_TIMEOUT_MS = 60_000;

/** Sets every option explicitly. The result must match the forges' diffs: Myers, detecting renames but not copies. */
const diffOptions = (renameLikeness: number): readonly string[] => [
  '-r',
  '-p',
  '--no-ext-diff',
  '--no-textconv',
  '--no-color',
  '--no-color-moved',
  '--src-prefix=a/',
  '--dst-prefix=b/',
  '--no-relative',
  `-M${renameLikeness}%`,
  '-l1000',
  '--diff-algorithm=myers',
  '--indent-heuristic',
  '-U3',
  '--inter-hunk-context=0',
  '--full-index',
  '--submodule=short',
  '--ignore-submodules=none',
  '-O/dev/null',
];

type Sources = {
  readonly git: Git;
  readonly objects: ObjectReader;
  /** Similarity in percent; see rename-likeness.ts. */
  readonly renameLikeness: number;
  mergeBase(a: CommitSha, b: CommitSha, signal: AbortSignal): Promise<CommitSha | null>;
  treeOf(commit: CommitSha, signal: AbortSignal): Promise<string>;
};

/** The id of the empty tree, which git knows without storing the object. */
const emptyTree = (like: string): string =>
  like.length === 64
    ? '6ef19b41225c5369f1c104d45d8d85efa9b057b53b14b4b9b939dd74decc5321'
    : '4b825dc642cb6eb9a060e54bf8d69288fbee4904';

/**
 * Returns the object ids of files that were moved but not edited. The patch never shows their content, so their size is
 * ignored.
 */
const movedContents = (changes: readonly TreeChange[]): ReadonlySet<string> => {
  const added = new Set(
    changes.flatMap(({ before, after }) => (before === null && after !== null ? [after.objectId] : [])),
  );
  const removed = changes.flatMap(({ before, after }) => (before !== null && after === null ? [before.objectId] : []));
  return new Set(removed.filter((objectId) => added.has(objectId)));
};

const hasContent = (entry: TreeEntry | null): entry is TreeEntry => entry !== null && entry.kind !== 'submodule';

const findLarge = async (
  git: Git,
  changes: readonly TreeChange[],
  signal: AbortSignal,
): Promise<readonly LargeFile[]> => {
  const moved = movedContents(changes);
  const written = changes.filter(({ before, after }) => !moved.has((after ?? before)?.objectId ?? ''));
  const entries = written.flatMap(({ before, after }) => [before, after]).filter(hasContent);
  const sizes = await readSizes(git, [...new Set(entries.map(({ objectId }) => objectId))], signal);
  return written.flatMap(({ path, before, after }) => {
    const bytes = Math.max(
      ...[before, after].map((entry) => (hasContent(entry) ? (sizes.get(entry.objectId) ?? 0) : 0)),
    );
    if (bytes < BIG_FILE_BYTES) return [];
    return [{ path: path.toString('utf8'), bytes }];
  });
};

/** Returns the patch exactly as git writes it, or the reason why it is too large. Never truncates it silently. */
export const diffCommits = async (from: Sources, request: DiffRequest, signal: AbortSignal): Promise<DiffResult> => {
  const { maxFiles = DEFAULT_MAX_FILES, maxBytes = DEFAULT_MAX_BYTES } = request;
  const mergeBase =
    request.direct === true ? request.target : await from.mergeBase(request.target, request.head, signal);
  const before = mergeBase === null ? null : await from.treeOf(mergeBase, signal);
  const after = await from.treeOf(request.head, signal);
  const changes = await compareTrees(from.objects, { before, after, maxChanges: maxFiles }, signal);
  if (changes === 'too_many') return { kind: 'too_large', mergeBase, reason: `more than ${maxFiles} changed files` };
  const large = await findLarge(from.git, changes, signal);
  const { stdout, truncated } = await from.git.run(
    ['diff-tree', ...diffOptions(from.renameLikeness), before ?? emptyTree(after), after, '--'],
    { timeoutMs: DIFF_TIMEOUT_MS, maxBytes, mayTruncate: true },
    signal,
  );
  if (truncated) return { kind: 'too_large', mergeBase, reason: `the patch is larger than ${maxBytes} bytes` };
  return { kind: 'diff', patch: stdout, mergeBase, large };
};
