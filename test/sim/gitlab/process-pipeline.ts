/** Updates a pipeline after a job changed, and the merge requests that wait for it. */
import { compositeStatus } from './composite.ts';
import { isDraft } from './mr-facts.ts';
import { mergeMergeRequest } from './mr-state.ts';
import { firePipeline } from './payload-git.ts';
import { checkCi, diffHeadPipeline, hasCi, jobsOf, mergeRequestsOf } from './pipelines.ts';
import type { SimMergeRequest, SimPipeline, SimProject, SimUser, World } from './world.ts';

export const isMergeable = (world: World, mr: SimMergeRequest): boolean =>
  mr.state === 'opened' &&
  mr.preparedAt !== null &&
  !isDraft(mr) &&
  (!mr.project.premium || mr.requestedChanges.size === 0) &&
  mr.approvalReset === null &&
  mr.approvals.length >= mr.project.approvalsRequired &&
  ['inactive', 'success'].includes(checkCi(world, mr));

/** GL app/services/auto_merge/merge_when_checks_pass_service.rb `process`, called after a pipeline ended. */
const autoMerge = async (world: World, mr: SimMergeRequest): Promise<void> => {
  const by: SimUser | null = mr.autoMergeBy;
  if (by === null || mr.state !== 'opened') return;
  if (hasCi(world, mr) && diffHeadPipeline(mr)?.state !== 'success') return;
  if (isMergeable(world, mr)) await mergeMergeRequest(world, mr, by);
};

const COMPLETE = ['success', 'failed', 'canceled', 'skipped'];

/** GL app/models/ci/pipeline.rb: hooks are sent only when its state changes. */
export const processPipeline = async (world: World, project: SimProject, pipeline: SimPipeline): Promise<void> => {
  const state = compositeStatus(jobsOf(project, pipeline)) ?? (pipeline.yamlErrors === null ? 'created' : 'failed');
  pipeline.updatedAt = world.clock();
  if (state === pipeline.state) return;
  pipeline.state = state;
  await firePipeline(world, project, pipeline, state);
  if (!COMPLETE.includes(state)) return;
  for (const mr of mergeRequestsOf(world, project, pipeline)) await autoMerge(world, mr);
};
