import { fireStatus } from './hook-payloads.ts';
import { mergePull } from './merge.ts';
import type { SimRepo, SimStatus, SimUser, World } from './world.ts';
import { fullName, nextId, record } from './world.ts';

export type NewStatus = Pick<SimStatus, 'sha' | 'state' | 'context' | 'description' | 'targetUrl' | 'creator'> &
  Partial<Pick<SimStatus, 'workflow'>>;

/**
 * The newest status per context (forges.md 5.4); in Gitea 1.27 per context and workflow
 * (createWorkflowCommitStatus in services/actions/commit_status.go).
 */
export const latestStatuses = (repo: SimRepo, sha: string): readonly SimStatus[] => {
  const latest = new Map<string, SimStatus>();
  for (const status of repo.statuses)
    if (status.sha === sha) latest.set(`${status.context}\0${status.workflow}`, status);
  return [...latest.values()].toReversed();
};

// Forgejo modules/structs/commit_status.go: the worst state wins.
const order = ['error', 'failure', 'warning', 'pending', 'success', 'skipped'];

export const combinedState = (statuses: readonly SimStatus[]): string =>
  order.find((state) => statuses.some((status) => status.state === state)) ?? '';

/** Always appends a row; a `success` can trigger a scheduled auto-merge (StartPRCheckAndAutoMergeBySHA). */
export const createStatus = async (world: World, repo: SimRepo, wish: NewStatus): Promise<SimStatus> => {
  const workflow = world.traits.flavour === 'gitea-1.27' ? (wish.workflow ?? '') : '';
  const status: SimStatus = { ...wish, workflow, id: nextId(world, 'status'), createdAt: world.clock() };
  repo.statuses.push(status);
  const { sha, state, context, description } = status;
  const detail = { sha, state, context, description };
  record(world, { actor: wish.creator.login, kind: 'status.create', repo: fullName(repo), number: null, detail });
  fireStatus(world, repo, status);
  if (combinedState(latestStatuses(repo, sha)) === 'success') await autoMerge(world, repo, sha, wish.creator);
  return status;
};

const autoMerge = async (world: World, repo: SimRepo, sha: string, actor: SimUser): Promise<void> => {
  for (const pull of repo.pulls)
    if (pull.autoMerge && pull.state === 'open' && pull.headSha === sha) await mergePull(world, pull, actor);
};
