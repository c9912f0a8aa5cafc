/** Commit statuses and pipelines (GL app/services/ci/create_commit_status_service.rb; forges.md 3.7). */
import { resolveCommit, runGit } from '../forgejo/git.ts';
import { forbidden, GitlabRefusal, invalid } from './errors.ts';
import { nextId, record } from './log.ts';
import { projectPath } from './paths.ts';
import { addPipeline } from './pipelines.ts';
import { processPipeline } from './process-pipeline.ts';
import { mayUpdate } from './protection.ts';
import type { SimPipeline, SimProject, SimStatus, SimUser, World } from './world.ts';

/** GitLab uses failed and canceled, not failure and error. */
export const states = ['pending', 'running', 'success', 'failed', 'canceled', 'skipped'] as const;
export type State = (typeof states)[number];

const bare404 = (message: string): GitlabRefusal => new GitlabRefusal(404, { message: `404 ${message} Not Found` });

/** Allowed transitions: a pending or running status cannot change to its own state, nor back to `pending`. */
const transitions: Readonly<Record<State, { readonly event: string; readonly from: readonly string[] }>> = {
  pending: { event: 'enqueue', from: ['created', 'skipped'] },
  running: { event: 'run', from: ['created', 'pending'] },
  success: { event: 'success', from: ['created', 'pending', 'running'] },
  failed: { event: 'drop', from: ['created', 'pending', 'running'] },
  canceled: { event: 'cancel', from: ['created', 'pending', 'running'] },
  skipped: { event: 'skip', from: ['created', 'pending'] },
};

const isOpen = (status: SimStatus): boolean => status.state === 'pending' || status.state === 'running';

const firstBranchWith = async (project: SimProject, sha: string): Promise<string | null> => {
  const args = ['for-each-ref', '--format=%(refname:lstrip=2)', '--contains', sha, 'refs/heads'];
  return (await runGit(project.gitDir, args)).split('\n')[0] || null;
};

export type NewStatus = {
  readonly sha: string;
  readonly state: State;
  readonly name: string;
  readonly ref: string | null;
  readonly pipelineId: number | null;
  readonly description: string | null;
  readonly targetUrl: string | null;
  readonly user: SimUser;
};

/** GL `project.ci_pipelines`: without child pipelines. */
const fittingPipeline = (project: SimProject, wish: NewStatus, ref: string | null): SimPipeline | undefined =>
  project.pipelines.findLast(
    (pipeline) =>
      pipeline.source !== 'parent_pipeline' &&
      pipeline.sha === wish.sha &&
      (ref === null || pipeline.ref === ref) &&
      (wish.pipelineId === null || pipeline.id === wish.pipelineId),
  );

/** The user's own pending or running status is reused, even in a full pipeline. */
const hasRoom = (project: SimProject, pipeline: SimPipeline, wish: NewStatus): boolean => {
  const jobs = project.statuses.filter((status) => status.pipeline === pipeline);
  const limit = project.maxJobsInPipeline ?? Number.POSITIVE_INFINITY;
  return jobs.length <= limit || jobs.some((job) => isOpen(job) && job.name === wish.name && job.user === wish.user);
};

/** Checks in the order of `unsafe_execute`: the request first, then the pipeline, then the permission. */
const pipelineFor = async (world: World, project: SimProject, wish: NewStatus): Promise<SimPipeline> => {
  const ref = wish.ref ?? fittingPipeline(project, wish, null)?.ref ?? (await firstBranchWith(project, wish.sha));
  // Only a fork has the commit: no branch or pipeline of this project does (forges.md 3.7).
  if (ref === null) throw bare404('References for commit');
  // Searched after the last await, so that two parallel requests share one pipeline, as with the real lock.
  const fitting = fittingPipeline(project, wish, wish.ref);
  if (wish.pipelineId !== null) {
    if (fitting === undefined) throw bare404('Pipeline for pipeline_id, sha and ref');
    if (!hasRoom(project, fitting, wish))
      throw new GitlabRefusal(422, { message: 'The number of jobs has exceeded the limit' });
  }
  const { sha, user } = wish;
  const pipeline =
    fitting !== undefined && hasRoom(project, fitting, wish)
      ? fitting
      : addPipeline(world, project, { sha, ref, source: 'external', user });
  // GL app/policies/ci/pipeline_policy.rb: on this error the new, empty pipeline stays.
  if (!mayUpdate(user, project, pipeline.ref)) throw forbidden();
  return pipeline;
};

/** GL app/models/generic_commit_status.rb and commit_status.rb: `render_api_error!` returns the messages unchanged. */
const checkValid = (project: SimProject, pipeline: SimPipeline, wish: NewStatus): void => {
  const errors: Record<string, string[]> = {};
  const tooLong = (text: string | null): boolean => Array.from(text ?? '').length > 255;
  if (tooLong(wish.description)) errors['description'] = ['is too long (maximum is 255 characters)'];
  if (tooLong(wish.targetUrl)) errors['target_url'] = ['is too long (maximum is 255 characters)'];
  const isTaken = project.statuses.some(
    ({ pipeline: at, name, kind }) => at === pipeline && name === wish.name && kind !== 'generic',
  );
  if (isTaken) errors['name'] = ['has already been taken'];
  if (Object.keys(errors).length > 0) throw invalid(errors);
};

const fresh = (world: World, pipeline: SimPipeline, wish: NewStatus): SimStatus => ({
  id: nextId(world, 'status'),
  kind: 'generic',
  pipeline,
  allowFailure: false,
  name: wish.name,
  state: 'created',
  description: null,
  targetUrl: null,
  user: wish.user,
  createdAt: world.clock(),
  startedAt: null,
  finishedAt: null,
  artifacts: null,
  artifactsExpired: false,
});

const move = (world: World, status: SimStatus, wish: NewStatus): void => {
  const { event, from } = transitions[wish.state];
  if (!from.includes(status.state)) {
    const reason = `Status cannot transition via "${event}"`;
    throw new GitlabRefusal(400, {
      message: `Cannot transition status via :${event} from :${status.state} (Reason(s): ${reason})`,
    });
  }
  status.state = wish.state;
  if (wish.state === 'running') status.startedAt ??= world.clock();
  if (!isOpen(status)) status.finishedAt = world.clock();
};

/**
 * Reuses a pending or running status with the same name, ref and user; after a finished one, creates a new job. So
 * `pending` or `running` twice is a 400, but `success` after `success` is not.
 */
export const createStatus = async (world: World, project: SimProject, revision: NewStatus): Promise<SimStatus> => {
  // Any revision is accepted, also a short one: GL `project.commit(params[:sha])`.
  const sha = await resolveCommit(project.gitDir, revision.sha);
  if (sha === null) throw bare404('Commit');
  const wish = { ...revision, sha };
  const pipeline = await pipelineFor(world, project, wish);
  checkValid(project, pipeline, wish);
  const known = project.statuses.findLast(
    (status) =>
      status.pipeline === pipeline && status.name === wish.name && status.user === wish.user && isOpen(status),
  );
  const status = known ?? fresh(world, pipeline, wish);
  move(world, status, wish);
  status.description = wish.description ?? status.description;
  status.targetUrl = wish.targetUrl ?? status.targetUrl;
  if (known === undefined) project.statuses.push(status);
  const { state, name, description } = wish;
  const detail = { sha, state, context: name, description, ref: pipeline.ref };
  record(world, { actor: wish.user.username, kind: 'status.create', repo: projectPath(project), number: null, detail });
  await processPipeline(world, project, pipeline);
  return status;
};
