/** Pipelines, the head pipeline of a merge request, and the CI check of merging. */
import { nextId, record } from './log.ts';
import { projectPath } from './paths.ts';
import type { NewJob, SimMergeRequest, SimPipeline, SimProject, SimStatus, World } from './world.ts';

/** GL app/models/commit_status.rb `latest`: without jobs that a newer one of the same name and pipeline has replaced. */
export const latestStatuses = (project: SimProject, sha: string): readonly SimStatus[] =>
  newest(project.statuses.filter(({ pipeline }) => pipeline.sha === sha));

const newest = (statuses: readonly SimStatus[]): readonly SimStatus[] => {
  const latest = new Map<string, SimStatus>();
  for (const status of statuses) latest.set(`${status.pipeline.id}\0${status.name}`, status);
  return [...latest.values()];
};

export const jobsOf = (project: SimProject, pipeline: SimPipeline): readonly SimStatus[] =>
  newest(project.statuses.filter((status) => status.pipeline === pipeline));

export type NewPipeline = Pick<SimPipeline, 'sha' | 'ref' | 'source' | 'user'> &
  Partial<Pick<SimPipeline, 'sourceSha' | 'mergeRequest' | 'yamlErrors'>> & { readonly jobs?: readonly NewJob[] };

/** Also updates the head pipeline of merge requests: GL app/workers/merge_requests/update_head_pipeline_worker.rb. */
export const addPipeline = (world: World, project: SimProject, wish: NewPipeline): SimPipeline => {
  const at = world.clock();
  const { jobs = [], ...rest } = wish;
  const pipeline: SimPipeline = {
    sourceSha: null,
    mergeRequest: null,
    yamlErrors: null,
    ...rest,
    id: nextId(world, 'pipeline'),
    iid: project.pipelines.length + 1,
    state: 'created',
    createdAt: at,
    updatedAt: at,
  };
  project.pipelines.push(pipeline);
  for (const job of jobs) addJob(world, project, pipeline, job);
  for (const mr of mergeRequestsOf(world, project, pipeline)) followHeadPipeline(mr);
  const { sha, ref, source } = pipeline;
  const detail = { id: pipeline.id, sha, ref, source };
  const actor = pipeline.user.username;
  record(world, { actor, kind: 'pipeline.create', repo: projectPath(project), number: null, detail });
  return pipeline;
};

export const addJob = (world: World, project: SimProject, pipeline: SimPipeline, wish: NewJob): SimStatus => {
  const { name, state, allowFailure = false, kind = 'build', artifacts, artifactsExpired = false } = wish;
  const at = world.clock();
  const told = { description: null, targetUrl: null, startedAt: null, finishedAt: null, artifactsExpired };
  const uploaded = artifacts === undefined ? null : new Map(Object.entries(artifacts));
  const id = nextId(world, 'status');
  const job = {
    id,
    kind,
    pipeline,
    name,
    state,
    allowFailure,
    user: pipeline.user,
    createdAt: at,
    ...told,
    artifacts: uploaded,
  };
  project.statuses.push(job);
  return job;
};

/** GL app/models/ci/pipeline.rb `all_merge_requests`. */
export const mergeRequestsOf = (
  world: World,
  project: SimProject,
  pipeline: SimPipeline,
): readonly SimMergeRequest[] => {
  if (pipeline.source === 'parent_pipeline') return [];
  if (pipeline.mergeRequest !== null) return [pipeline.mergeRequest];
  return world.projects
    .flatMap(({ mergeRequests }) => mergeRequests)
    .filter((mr) => mr.sourceProject === project && mr.sourceBranch === pipeline.ref);
};

export type Placed = { readonly project: SimProject; readonly pipeline: SimPipeline };

/**
 * GL app/finders/ci/pipelines_for_merge_request_finder.rb: first the merge request's own pipelines, then those of its
 * branch at one of its heads, each newest first. Without child pipelines.
 */
export const pipelinesFor = (mr: SimMergeRequest): readonly Placed[] => {
  if (mr.sourceProject === null) return [];
  const heads = new Set([...mr.versions.map(({ headSha }) => headSha), mr.headSha]);
  const { sourceProject } = mr;
  const own = [...new Set([mr.project, sourceProject])].flatMap((project) =>
    project.pipelines.filter(({ mergeRequest }) => mergeRequest === mr).map((pipeline) => ({ project, pipeline })),
  );
  const ofBranch = sourceProject.pipelines
    .filter(({ source }) => source !== 'merge_request_event' && source !== 'parent_pipeline')
    .filter(({ ref, sha }) => ref === mr.sourceBranch && heads.has(sha))
    .map((pipeline) => ({ project: sourceProject, pipeline }));
  const byId = (one: Placed, other: Placed): number => other.pipeline.id - one.pipeline.id;
  return [...own.toSorted(byId), ...ofBranch.toSorted(byId)];
};

const isOfHead = ({ sha, sourceSha }: SimPipeline, mr: SimMergeRequest): boolean =>
  sha === mr.headSha || sourceSha === mr.headSha;

/** GL app/models/merge_request.rb `update_head_pipeline`: keeps the old pipeline when none is found. */
export const followHeadPipeline = (mr: SimMergeRequest): void => {
  const found = pipelinesFor(mr).find(({ pipeline }) => isOfHead(pipeline, mr));
  if (found !== undefined) mr.headPipeline = found;
};

/** GL app/models/merge_request.rb `diff_head_pipeline`. */
export const diffHeadPipeline = (mr: SimMergeRequest): SimPipeline | null =>
  mr.headPipeline !== null && isOfHead(mr.headPipeline.pipeline, mr) ? mr.headPipeline.pipeline : null;

/** GL app/models/ci/pipeline_creation/requests.rb: only for merge request pipelines. */
const isCreating = (world: World, mr: SimMergeRequest): boolean =>
  world.awaited.some(({ mergeRequest }) => mergeRequest === mr);

export const hasCi = (world: World, mr: SimMergeRequest): boolean =>
  mr.headPipeline !== null || pipelinesFor(mr).length > 0 || isCreating(world, mr);

const ACTIVE = ['waiting_for_resource', 'preparing', 'waiting_for_callback', 'pending', 'running'];

export type CiCheck = 'inactive' | 'success' | 'checking' | 'failed';

/** GL app/services/merge_requests/mergeability/check_ci_status_service.rb. */
export const checkCi = (world: World, mr: SimMergeRequest): CiCheck => {
  const { pipelinesMustSucceed } = mr.project;
  if (mr.autoMergeBy === null && !pipelinesMustSucceed) return 'inactive';
  const pipeline = diffHeadPipeline(mr);
  const creating = isCreating(world, mr);
  const must = pipelinesMustSucceed || hasCi(world, mr);
  const passes = ['success', ...(mr.project.skippedPipelinesPass ? ['skipped'] : [])];
  if (!must || (!creating && passes.includes(pipeline?.state ?? ''))) return 'success';
  return creating || ACTIVE.includes(pipeline?.state ?? '') ? 'checking' : 'failed';
};
