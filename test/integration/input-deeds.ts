/** Ways to give the same head another input, or two change requests the same head, on any kind of forge. */
import type { FileMap } from '../sim/forgejo/git.ts';
import { commit, tipOf } from './head-deeds.ts';
import type { VerdictStage } from './verdict-stage.ts';

const [OWNER, AUTHOR] = ['shop-team', 'author'];

type At = Pick<VerdictStage, 'sim' | 'repo'>;

export const branchOff = async (at: At, branch: string, { from, files }: { from: string; files: FileMap }) =>
  commit(at, { branch, files, onto: await tipOf(at, from), message: `Change ${branch}\n` });

export const openInto = async ({ sim, repo }: At, branch: string, target: string, before = ''): Promise<number> => {
  const prefix = before !== '' && !('traits' in sim) ? 'Draft: ' : before;
  const title = `${prefix}Change ${branch} into ${target}`;
  if (!('traits' in sim)) {
    const wish = { project: repo, sourceBranch: branch, targetBranch: target, title, author: AUTHOR };
    return (await sim.openMergeRequest(wish)).iid;
  }
  return (await sim.openPullRequest({ repo, head: branch, base: target, title, author: AUTHOR })).number;
};

export const retarget = async ({ sim, repo }: At, number: number, target: string): Promise<void> =>
  'traits' in sim
    ? sim.editPullRequest({ repo, number, as: AUTHOR, base: target })
    : sim.editMergeRequest({ project: repo, iid: number, as: AUTHOR, targetBranch: target });

export const rewind = async ({ sim, repo }: At, branch: string, to: string): Promise<void> =>
  'traits' in sim
    ? sim.moveBranch({ repo, branch, to, as: OWNER })
    : sim.moveBranch({ project: repo, branch, to, as: OWNER });

export const comment = async ({ sim, repo }: At, number: number, body: string): Promise<void> => {
  if ('traits' in sim) sim.comment({ repo, number, as: OWNER, body });
  else await sim.comment({ project: repo, iid: number, as: OWNER, body });
};
