import { notFound } from './reply.ts';
import type { SimComment, SimPull, SimRepo, SimUser, World } from './world.ts';
import { fullName } from './world.ts';

const same = (left: string, right: string): boolean => left.toLowerCase() === right.toLowerCase();

export const findUser = (world: World, login: string): SimUser => {
  const user = world.users.find((candidate) => !candidate.deleted && same(candidate.login, login));
  if (user === undefined) throw notFound();
  return user;
};

export const findRepo = (world: World, name: string): SimRepo => {
  const repo = world.repos.find((candidate) => same(fullName(candidate), name));
  if (repo === undefined) throw notFound();
  return repo;
};

export const findPull = (repo: SimRepo, number: number): SimPull => {
  const pull = repo.pulls.find((candidate) => candidate.number === number);
  if (pull === undefined) throw notFound();
  return pull;
};

/** Whether the forge's table of branches already has the branch. */
export const isListedBranch = ({ branchLagMs, clock }: World, repo: SimRepo, branch: string): boolean =>
  clock() - (repo.branchesSince.get(branch) ?? 0) >= branchLagMs;

export type CommentOwner = { readonly pull: SimPull; readonly comment: SimComment };

export const findComment = (repo: SimRepo, id: number): CommentOwner => {
  for (const pull of repo.pulls) {
    const comment = pull.comments.find((candidate) => candidate.id === id);
    if (comment !== undefined) return { pull, comment };
  }
  throw notFound();
};
