import { resolveCommit, runGit } from './git.ts';
import { serverError } from './reply.ts';
import type { SimPull } from './world.ts';

const changeAt = (pull: SimPull, commit: string): Promise<string> =>
  runGit(pull.repo.gitDir, ['diff', '-M', `${pull.baseSha}...${commit}`]);

/**
 * Whether the diff changed between a reviewed commit and the head: a decision on another commit with the same diff is not
 * stale (Forgejo services/pull/review.go checkIfPRContentChanged, forges.md 5.3). An unknown commit is a 500.
 */
export const isStale = async (pull: SimPull, commit: string): Promise<boolean> => {
  if (commit === pull.refSha) return false;
  if ((await resolveCommit(pull.repo.gitDir, commit)) === null) throw serverError(`object does not exist: ${commit}`);
  return (await changeAt(pull, commit)) !== (await changeAt(pull, pull.refSha));
};
