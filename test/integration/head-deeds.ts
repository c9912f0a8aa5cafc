/** Changes of a branch's head other than a plain push, on any kind of forge. */
import type { FileMap } from '../sim/forgejo/git.ts';
import { resolveCommit, runGit } from '../sim/forgejo/git.ts';
import { homeOf, type VerdictStage } from './verdict-stage.ts';

const [OWNER, AUTHOR] = ['shop-team', 'author'];

type At = Pick<VerdictStage, 'sim' | 'repo'>;

export type Commit = {
  readonly branch: string;
  readonly files: FileMap;
  readonly message?: string;
  /** Replaces the branch's tip by a commit on top of this revision. */
  readonly onto?: string;
};

const commitAs = async ({ sim, repo }: At, author: string, { message = 'Change\n', ...wish }: Commit) =>
  'traits' in sim
    ? sim.commitFiles({ ...wish, message, author, repo })
    : sim.commitFiles({ ...wish, message, author, project: repo });

export const commit = async (at: At, wish: Commit): Promise<string> => commitAs(at, AUTHOR, wish);

export const advanceMain = async (at: At, files: FileMap): Promise<string> =>
  commitAs(at, OWNER, { branch: 'main', files });

export const moveTo = async ({ sim, repo }: At, branch: string, to: string): Promise<void> =>
  'traits' in sim
    ? sim.moveBranch({ repo, branch, to, as: AUTHOR })
    : sim.moveBranch({ project: repo, branch, to, as: AUTHOR });

export const tipOf = async ({ sim, repo }: At, branch: string): Promise<string> => {
  const tip = await resolveCommit(homeOf(sim, repo).gitDir, `refs/heads/${branch}`);
  if (tip === null) throw new Error(`there is no branch ${branch}`);
  return tip;
};

const AUTHORSHIP = {
  GIT_AUTHOR_NAME: AUTHOR,
  GIT_AUTHOR_EMAIL: `${AUTHOR}@noreply.localhost`,
  GIT_COMMITTER_NAME: AUTHOR,
  GIT_COMMITTER_EMAIL: `${AUTHOR}@noreply.localhost`,
};

/** `git merge -s ours main`: keeps the tree, and so reverts everything that main has changed. */
export const mergeOurs = async (at: At, branch: string): Promise<void> => {
  const { gitDir } = homeOf(at.sim, at.repo);
  const tip = await tipOf(at, branch);
  const args = ['commit-tree', `${tip}^{tree}`, '-p', tip, '-p', 'refs/heads/main', '-m', 'Merge main'];
  await moveTo(at, branch, (await runGit(gitDir, args, { env: AUTHORSHIP })).trim());
};

/** `git merge main`, without conflicts. */
export const mergeMain = async (at: At, branch: string): Promise<void> => {
  const { gitDir } = homeOf(at.sim, at.repo);
  const tip = await tipOf(at, branch);
  const tree = (await runGit(gitDir, ['merge-tree', '--write-tree', tip, 'refs/heads/main'])).trim();
  const args = ['commit-tree', tree, '-p', tip, '-p', 'refs/heads/main', '-m', 'Merge main'];
  await moveTo(at, branch, (await runGit(gitDir, args, { env: AUTHORSHIP })).trim());
};

export const setCi = async (
  { sim, repo }: At,
  { sha, name, passes }: { readonly sha: string; readonly name: string; readonly passes: boolean | null },
): Promise<void> => {
  if ('traits' in sim) {
    const state = passes === null ? 'pending' : passes ? 'success' : 'failure';
    await sim.setStatus({ repo, sha, context: name, state, as: OWNER });
  } else {
    const state = passes === null ? 'pending' : passes ? 'success' : 'failed';
    await sim.setStatus({ project: repo, sha, name, state, as: OWNER });
  }
};
