/** From which commit a pull request is reviewed when its target is known only as it is after the merge. */
import { CommitSha } from '../../../../shared/vocabulary/ids.ts';
import type { Git } from '../../../../shared/workspace/git/git.ts';
import { EvalBuildError } from './build-error.ts';

type Ends = { readonly base: CommitSha; readonly head: CommitSha };

const LOG_MS = 2 * 60_000;

const mergeBase = async (git: Git, one: string, other: string, signal: AbortSignal): Promise<CommitSha | null> => {
  const { stdout, exitCode } = await git.run(['merge-base', one, other], { answers: [1], timeoutMs: LOG_MS }, signal);
  const parsed = CommitSha.safeParse(stdout.toString('latin1').trim());
  return exitCode === 0 && parsed.success ? parsed.data : null;
};

/**
 * The merge base. If the head is already part of the target's history, that is the head itself and the change would be
 * empty; then the merge base with the target before the merge, which is the first parent of the merge commit.
 */
export const baseOf = async (git: Git, { base, head }: Ends, signal: AbortSignal): Promise<CommitSha> => {
  const found = await mergeBase(git, base, head, signal);
  if (found === null) throw new EvalBuildError('base and head have no common history');
  if (found !== head) return found;
  const before = await beforeMerge(git, { base, head }, signal);
  const earlier = before === null ? null : await mergeBase(git, before, head, signal);
  if (earlier === null || earlier === head)
    throw new EvalBuildError('the head is part of the base, and no merge commit shows what the base was before');
  return earlier;
};

/** The first parent of the oldest commit of the target's main line that has the head in its history. */
const beforeMerge = async (git: Git, { base, head }: Ends, signal: AbortSignal): Promise<string | null> => {
  const args = ['rev-list', '--first-parent', '--ancestry-path', '--parents', `${head}..${base}`];
  const { stdout } = await git.run(args, { timeoutMs: LOG_MS }, signal);
  const oldest = stdout.toString('latin1').trimEnd().split('\n').at(-1) ?? '';
  const [, first, second] = oldest.split(' ');
  return first === undefined || second === undefined ? null : first;
};
