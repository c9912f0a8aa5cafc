/** What a test does to CI and to the rules of merging directly. */
import { createAwaited } from './ci.ts';
import { findMergeRequest, findProject, findUser } from './find.ts';
import { addJob, addPipeline, type CiCheck, checkCi, jobsOf } from './pipelines.ts';
import { isMergeable, processPipeline } from './process-pipeline.ts';
import { holdLock } from './status-lock.ts';
import type { NewJob, ProtectedBranch, SimCi, SimPipeline, SimProject, World } from './world.ts';

/** From now on pushes start pipelines; null: no more. */
export const setProjectCi = (world: World, project: string, ci: SimCi | null): void => {
  findProject(world, project).ci = ci;
};

/** Lets the workers make the pipelines that wait. Resolves to the ids of all that there are then, oldest first. */
export const createPipelines = async (world: World, project: string): Promise<readonly number[]> => {
  const found = findProject(world, project);
  await createAwaited(world, found);
  return found.pipelines.map(({ id }) => id);
};

export const protectBranch = (world: World, wish: ProtectedBranch & { readonly project: string }): void => {
  const { project, ...rule } = wish;
  findProject(world, project).protectedBranches.push(rule);
};

/** The setting "Pipelines must succeed". */
export const setPipelinesMustSucceed = (world: World, project: string, must: boolean): void => {
  findProject(world, project).pipelinesMustSucceed = must;
};

export const setMaxJobsInPipeline = (world: World, project: string, max: number | null): void => {
  findProject(world, project).maxJobsInPipeline = max;
};

/** Another client's update of the statuses of a commit, which lasts until the returned function is called. */
export const holdStatusLock = (world: World, project: string, sha: string): (() => void) =>
  holdLock(world, findProject(world, project).id, sha);

type At = { readonly project: string; readonly iid: number };

/** "Set to auto-merge", for the present head. */
export const armAutoMerge = (world: World, { project, iid, as }: At & { readonly as: string }): void => {
  findMergeRequest(findProject(world, project), iid).autoMergeBy = findUser(world, as);
};

/** What GitLab's own checks say about merging now. */
export const gateOf = (world: World, { project, iid }: At): { readonly ci: CiCheck; readonly isMergeable: boolean } => {
  const mr = findMergeRequest(findProject(world, project), iid);
  return { ci: checkCi(world, mr), isMergeable: isMergeable(world, mr) };
};

const pipelineAt = (project: SimProject, id: number): SimPipeline => {
  const found = project.pipelines.find((pipeline) => pipeline.id === id);
  if (found === undefined) throw new Error(`no pipeline ${id}`);
  return found;
};

/** A runner reports: the newest job of that name. `state: 'retried'` is a new try of it, which waits. */
export const setJob = async (
  world: World,
  wish: { readonly project: string; readonly pipeline: number; readonly name: string; readonly state: string },
): Promise<void> => {
  const project = findProject(world, wish.project);
  const pipeline = pipelineAt(project, wish.pipeline);
  const job = jobsOf(project, pipeline).find(({ name, kind }) => name === wish.name && kind !== 'generic');
  if (job === undefined) throw new Error(`no job ${wish.name}`);
  if (wish.state === 'retried') {
    const { name, allowFailure } = job;
    addJob(world, project, pipeline, { name, allowFailure, state: 'pending' });
  } else job.state = wish.state;
  await processPipeline(world, project, pipeline);
};

export type PipelineWish = {
  readonly project: string;
  readonly sha: string;
  readonly ref: string;
  readonly as: string;
  readonly source?: SimPipeline['source'];
  /** Only of a merge request: its number, in the target project. */
  readonly mergeRequest?: At;
  /** Only of merged results. */
  readonly sourceSha?: string;
  readonly yamlErrors?: string;
  readonly jobs?: readonly NewJob[];
};

/** A new pipeline, at once. */
export const addPipelineNow = async (world: World, wish: PipelineWish): Promise<number> => {
  const project = findProject(world, wish.project);
  const { sha, ref, source = 'push', mergeRequest, sourceSha = null, yamlErrors = null, jobs = [] } = wish;
  const mr =
    mergeRequest === undefined ? null : findMergeRequest(findProject(world, mergeRequest.project), mergeRequest.iid);
  const user = findUser(world, wish.as);
  const made = { sha, ref, source, user, sourceSha, yamlErrors, jobs, mergeRequest: mr };
  const pipeline = addPipeline(world, project, made);
  await processPipeline(world, project, pipeline);
  return pipeline.id;
};

/**
 * A pipeline with one job, `test`, in this state; the one of the same commit, ref and source changes. Of a merge request
 * (`merge_request_event`) it belongs to the first open one with this head.
 */
export const runPipeline = async (
  world: World,
  wish: Omit<PipelineWish, 'jobs' | 'mergeRequest'> & { readonly status: string },
): Promise<number> => {
  const project = findProject(world, wish.project);
  const { sha, ref, status, source = 'push' } = wish;
  const known = project.pipelines.findLast((one) => one.sha === sha && one.ref === ref && one.source === source);
  if (known !== undefined) {
    await setJob(world, { project: wish.project, pipeline: known.id, name: 'test', state: status });
    return known.id;
  }
  const mr = project.mergeRequests.find(({ headSha, state }) => headSha === sha && state === 'opened');
  const of =
    source === 'merge_request_event' && mr !== undefined
      ? { mergeRequest: { project: wish.project, iid: mr.iid } }
      : {};
  return addPipelineNow(world, { ...wish, ...of, source, jobs: [{ name: 'test', state: status }] });
};
