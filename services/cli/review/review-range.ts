import { PARENT } from './option-words.ts';
import { AppError } from '../../../shared/errors.ts';
import type { CommitSha } from '../../../shared/vocabulary/ids.ts';
import type { HistoryGap } from '../../../shared/workspace/local/history-gap.ts';
import type { Uncommitted } from '../../../shared/workspace/local/uncommitted.ts';
import type { LocalRepository } from '../../../shared/workspace/local/local.ts';
import { UsageError } from '../terminal/usage-error.ts';

/** `base`: any revision name that git accepts. The review starts at its merge base with the head. */
export type LocalRange =
  | { readonly kind: 'commits'; readonly base: string; readonly head: string }
  | { readonly kind: Uncommitted; readonly base: string };

export type RangeEnds = { readonly head: CommitSha; readonly targetHead: CommitSha };

export class RevisionUnknownError extends AppError {
  constructor(revision: string, help: string) {
    const message = `no commit named ${revision}${help}`;
    super({ code: 'REVISION_UNKNOWN', message, disposition: { kind: 'fail' } });
  }
}

export class HistoryCutError extends AppError {
  constructor(message: string) {
    super({ code: 'HISTORY_CUT', message, disposition: { kind: 'fail' } });
  }
}

export const headName = (range: LocalRange): string => (range.kind === 'commits' ? range.head : 'HEAD');

export const titleOf = (range: LocalRange): string => {
  switch (range.kind) {
    case 'commits':
      return `${range.base}..${range.head}`;
    case 'staged':
      return `${range.base}..staged changes`;
    case 'worktree':
      return `${range.base}..worktree`;
    default:
      return range satisfies never;
  }
};

type Watching = { readonly signal: AbortSignal; readonly onNotice: (line: string) => void };

/** @throws UsageError, RevisionUnknownError, HistoryCutError; GitError for a work tree that cannot be read */
export const findEnds = async (
  repository: LocalRepository,
  range: LocalRange,
  watching: Watching,
): Promise<RangeEnds> => {
  const ends =
    range.kind === 'commits'
      ? await namedEnds(repository, range, watching)
      : await uncommittedEnds(repository, range, watching);
  const gap = await repository.findGap({ base: ends.targetHead, head: ends.head }, watching.signal);
  if (gap !== null) throw new HistoryCutError(gapText(gap, range));
  return ends;
};

const namedEnds = async (
  repository: LocalRepository,
  { base, head }: LocalRange & { readonly kind: 'commits' },
  watching: Watching,
): Promise<RangeEnds> => {
  // With --commit, the name of the base is made from that of the head.
  const commit = await resolve(repository, { name: head, option: '--head' }, watching);
  return { targetHead: await resolve(repository, { name: base, option: '--base' }, watching), head: commit };
};

const uncommittedEnds = async (
  repository: LocalRepository,
  { kind, base }: LocalRange & { readonly kind: Uncommitted },
  watching: Watching,
): Promise<RangeEnds> => {
  const { commit, parent } = await repository.storeUncommitted(kind, watching.signal);
  // In a repository without commits, HEAD does not resolve. The snapshot then has an empty parent commit.
  const targetHead = base === 'HEAD' ? parent : await resolve(repository, { name: base, option: '--base' }, watching);
  return { targetHead, head: commit };
};

type Asked = { readonly name: string; readonly option: string };

const resolve = async (
  repository: LocalRepository,
  { name, option }: Asked,
  { signal, onNotice }: Watching,
): Promise<CommitSha> => {
  if (name === '') throw new UsageError(`${option} is empty: name a branch, a tag or a commit`);
  if (name.startsWith('-')) throw new UsageError(`${option}: a commit name must not begin with "-": ${name}`);
  const found = await repository.resolveRevision(name, signal);
  if (found === null) throw new RevisionUnknownError(name, await helpWith(repository, name, signal));
  if (await repository.isTagAndBranch(name, signal)) {
    onNotice(`${name} is both a tag and a branch; using the tag, like git (use refs/heads/${name} for the branch)`);
  }
  return found;
};

const helpWith = async (repository: LocalRepository, name: string, signal: AbortSignal): Promise<string> => {
  const of = name.endsWith(PARENT) ? name.slice(0, -PARENT.length) : null;
  if (of !== null && (await repository.resolveRevision(of, signal)) !== null && !(await repository.isShallow()))
    return `: ${of} is the first commit; to review everything: --mode codebase --path .`;
  const remote = (await repository.remoteBranches(name, signal)).find((branch) => branch !== name);
  if (remote !== undefined) return `; did you mean ${remote}?`;
  if (await repository.isShallow())
    return `: this clone is shallow; \`git fetch --unshallow\` fetches the rest of its history`;
  if (await repository.lacksObject(name, signal))
    return ` in this repository: the name is known, but the commit is missing; \`git fsck\` lists what is missing`;
  return '';
};

const gapText = (gap: HistoryGap, range: LocalRange): string => {
  const between = `between ${range.base} and ${headName(range)}`;
  switch (gap) {
    case 'shallow':
      return `the history ${between} is incomplete: this clone is shallow. First run: git fetch --unshallow`;
    case 'partial':
      return `files ${between} are missing: this is a partial clone. First run: git fetch --refetch --no-filter`;
    case 'broken':
      return `commits ${between} are missing in this repository. \`git fsck\` lists them; \`git fetch --refetch\` fetches them if the remote has them`;
    case 'unrelated':
      return `${range.base} and ${headName(range)} have no common history, so the change cannot be determined. Name another --base, or review everything: --mode codebase --path .`;
    default:
      return gap satisfies never;
  }
};
