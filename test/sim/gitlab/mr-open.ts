import { GitlabRefusal } from './errors.ts';
import { prepare } from './mr-state.ts';
import { publishHead } from './mr-versions.ts';
import { tipOf } from './push.ts';
import { interpret } from './quick-actions.ts';
import { logOn, nextId } from './log.ts';
import { startMergeRequestCi } from './ci.ts';
import { followHeadPipeline } from './pipelines.ts';
import type { SimMergeRequest, SimProject, SimUser, World } from './world.ts';

export type NewMergeRequest = {
  readonly project: SimProject;
  readonly sourceProject: SimProject;
  readonly sourceBranch: string;
  readonly targetBranch: string;
  readonly title: string;
  readonly description: string;
  readonly author: SimUser;
};

const blank = (world: World, wish: NewMergeRequest, headSha: string): SimMergeRequest => {
  const at = world.clock();
  return {
    id: nextId(world, 'mergeRequest'),
    iid: wish.project.mergeRequests.length + 1,
    project: wish.project,
    sourceProject: wish.sourceProject,
    sourceProjectId: wish.sourceProject.id,
    author: wish.author,
    title: wish.title,
    description: wish.description,
    state: 'opened',
    sourceBranch: wish.sourceBranch,
    targetBranch: wish.targetBranch,
    headSha,
    versions: [],
    preparedAt: null,
    prepareAt: at + world.prepareDelayMs,
    labels: [],
    assignees: [],
    reviewers: [],
    requestedChanges: new Set(),
    approvalReset: null,
    approvals: [],
    notes: [],
    drafts: [],
    awards: [],
    locked: false,
    autoMergeBy: null,
    headPipeline: null,
    mergedBy: null,
    mergeCommit: null,
    createdAt: at,
    updatedAt: at,
    mergedAt: null,
    closedAt: null,
    closedBy: null,
  };
};

/** Prepares by a timer with the machine's clock; with an injected clock, at the next request after the delay. */
const schedule = (world: World, mr: SimMergeRequest): void => {
  const timer = setTimeout(() => {
    world.timers.delete(timer);
    prepare(world, mr).catch((error: unknown) => world.violations.push(`simulator: ${String(error)}`));
  }, world.prepareDelayMs);
  world.timers.add(timer);
};

export const openMergeRequest = async (world: World, wish: NewMergeRequest): Promise<SimMergeRequest> => {
  const headSha = await tipOf(wish.sourceProject, wish.sourceBranch);
  if (headSha === null || (await tipOf(wish.project, wish.targetBranch)) === null)
    throw new GitlabRefusal(400, { message: ['Source or target branch does not exist'] });
  const mr = blank(world, wish, headSha);
  wish.project.mergeRequests.push(mr);
  await publishHead(mr);
  const { text } = await interpret({ world, mr, actor: wish.author }, wish.description);
  mr.description = text;
  followHeadPipeline(mr);
  startMergeRequestCi(world, mr, wish.author);
  logOn(world, mr, wish.author, { kind: 'mr.open', detail: { title: wish.title } });
  if (world.prepareDelayMs === 0) await prepare(world, mr);
  else if (world.realTime) schedule(world, mr);
  return mr;
};
