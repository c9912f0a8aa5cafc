/** What becomes of a pipeline when one of its jobs has changed, and of the merge requests that wait for it. */
import { compositeStatus } from './composite.ts';
import { isDraft } from './mr-facts.ts';
import { mergeMergeRequest } from './mr-state.ts';
import { firePipeline } from './payload-git.ts';
import { checkCi, diffHeadPipeline, hasCi, jobsOf, mergeRequestsOf } from './pipelines.ts';
import type { SimMergeRequest, SimPipeline, SimProject, SimUser, World } from './world.ts';

/** Whether a person, or auto-merge, could merge it now, as far as it is simulated. */
export const isMergeable = (world: World, mr: SimMergeRequest): boolean =>
  mr.state === 'opened' &&
  mr.preparedAt !== null &&
  !isDraft(mr) &&
  (!mr.project.premium || mr.requestedChanges.size === 0) &&
  mr.approvalReset === null &&
  mr.approvals.length >= mr.project.approvalsRequired &&
  ['inactive', 'success'].includes(checkCi(world, mr));

/** GL app/services/auto_merge/merge_when_checks_pass_service.rb `process`, called when a pipeline has ended. */
const autoMerge = async (world: World, mr: SimMergeRequest): Promise<void> => {
  const by: SimUser | null = mr.autoMergeBy;
  if (by === null || mr.state !== 'opened') return;
  if (hasCi(world, mr) && diffHeadPipeline(mr)?.state !== 'success') return;
  if (isMergeable(world, mr)) await mergeMergeRequest(world, mr, by);
};

const COMPLETE = ['success', 'failed', 'canceled', 'skipped'];

/** GL app/models/ci/pipeline.rb: its hooks go out when its state changes, and only then. */
export const processPipeline = async (world: World, project: SimProject, pipeline: SimPipeline): Promise<void> => {
  const state = compositeStatus(jobsOf(project, pipeline)) ?? (pipeline.yamlErrors === null ? 'created' : 'failed');
  pipeline.updatedAt = world.clock();
  if (state === pipeline.state) return;
  pipeline.state = state;
  await firePipeline(world, project, pipeline, state);
  if (!COMPLETE.includes(state)) return;
  for (const mr of mergeRequestsOf(world, project, pipeline)) await autoMerge(world, mr);
};
