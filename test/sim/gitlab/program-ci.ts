import { createAwaited } from './ci.ts';
import { findMergeRequest, findProject, findUser } from './find.ts';
import { addJob, addPipeline, type CiCheck, checkCi, jobsOf } from './pipelines.ts';
import { isMergeable, processPipeline } from './process-pipeline.ts';
import { holdLock } from './status-lock.ts';
import type { NewJob, ProtectedBranch, SimCi, SimPipeline, SimProject, SimStatus, World } from './world.ts';

/** Later pushes start pipelines; null disables CI. */
export const setProjectCi = (world: World, project: string, ci: SimCi | null): void => {
  findProject(world, project).ci = ci;
};

/** Lets the workers create awaited pipelines. Returns the ids of all pipelines, oldest first. */
export const createPipelines = async (world: World, project: string): Promise<readonly number[]> => {
  const found = findProject(world, project);
  await createAwaited(world, found);
  return found.pipelines.map(({ id }) => id);
};

export const protectBranch = (world: World, wish: ProtectedBranch & { readonly project: string }): void => {
  const { project, ...rule } = wish;
  findProject(world, project).protectedBranches.push(rule);
};

export const setPipelinesMustSucceed = (world: World, project: string, must: boolean): void => {
  findProject(world, project).pipelinesMustSucceed = must;
};

export const setMaxJobsInPipeline = (world: World, project: string, max: number | null): void => {
  findProject(world, project).maxJobsInPipeline = max;
};

/** Simulates another client's status update, which lasts until the returned function is called. */
export const holdStatusLock = (world: World, project: string, sha: string): (() => void) =>
  holdLock(world, findProject(world, project).id, sha);

type At = { readonly project: string; readonly iid: number };

/** "Set to auto-merge", for the current head. */
export const armAutoMerge = (world: World, { project, iid, as }: At & { readonly as: string }): void => {
  findMergeRequest(findProject(world, project), iid).autoMergeBy = findUser(world, as);
};

/** The result of GitLab's own merge checks. */
export const gateOf = (world: World, { project, iid }: At): { readonly ci: CiCheck; readonly isMergeable: boolean } => {
  const mr = findMergeRequest(findProject(world, project), iid);
  return { ci: checkCi(world, mr), isMergeable: isMergeable(world, mr) };
};

const pipelineAt = (project: SimProject, id: number): SimPipeline => {
  const found = project.pipelines.find((pipeline) => pipeline.id === id);
  if (found === undefined) throw new Error(`no pipeline ${id}`);
  return found;
};

/** Sets the state of the newest job of that name. `state: 'retried'` starts a new, pending job. */
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

type JobAt = { readonly project: string; readonly pipeline: number; readonly name: string };

const jobAt = (world: World, { project: path, pipeline, name }: JobAt): SimStatus => {
  const project = findProject(world, path);
  const job = jobsOf(project, pipelineAt(project, pipeline)).find(
    (each) => each.name === name && each.kind === 'build',
  );
  if (job === undefined) throw new Error(`no job ${name}`);
  return job;
};

/** What the runner uploads at the end of a job, by path in the archive. */
export const uploadArtifacts = (world: World, at: JobAt, files: Readonly<Record<string, string>>): void => {
  jobAt(world, at).artifacts = new Map(Object.entries(files));
};

export const expireArtifacts = (world: World, at: JobAt): void => {
  jobAt(world, at).artifactsExpired = true;
};

export type PipelineWish = {
  readonly project: string;
  readonly sha: string;
  readonly ref: string;
  readonly as: string;
  readonly source?: SimPipeline['source'];
  /** Set only for merge request pipelines: the merge request's number in the target project. */
  readonly mergeRequest?: At;
  readonly sourceSha?: string;
  readonly yamlErrors?: string;
  readonly jobs?: readonly NewJob[];
};

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
 * Creates a pipeline with one job, `test`, or updates the one with the same commit, ref and source. With
 * `merge_request_event`, the pipeline belongs to the first open merge request with this head.
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
