/** Commit statuses and pipelines (GL app/services/ci/create_commit_status_service.rb; forges.md 3.7). */
import { resolveCommit, runGit } from '../forgejo/git.ts';
import { GitlabRefusal } from './errors.ts';
import { firePipeline } from './payload-git.ts';
import { nextId, record } from './log.ts';
import { projectPath } from './paths.ts';
import type { SimPipeline, SimProject, SimStatus, SimUser, World } from './world.ts';

/** failed and canceled, not failure and error. */
export const states = ['pending', 'running', 'success', 'failed', 'canceled', 'skipped'] as const;
export type State = (typeof states)[number];

const bare404 = (message: string): GitlabRefusal => new GitlabRefusal(404, { message: `404 ${message} Not Found` });

/** From `created` everything can be reached; what waits or runs cannot become what it is, nor `pending` again. */
const transitions: Readonly<Record<State, { readonly event: string; readonly from: readonly string[] }>> = {
  pending: { event: 'enqueue', from: ['created', 'skipped'] },
  running: { event: 'run', from: ['created', 'pending'] },
  success: { event: 'success', from: ['created', 'pending', 'running'] },
  failed: { event: 'drop', from: ['created', 'pending', 'running'] },
  canceled: { event: 'cancel', from: ['created', 'pending', 'running'] },
  skipped: { event: 'skip', from: ['created', 'pending'] },
};

const isOpen = (status: SimStatus): boolean => status.state === 'pending' || status.state === 'running';

// Ci::HasStatus composite: the worst of the newest per name.
const worst = ['failed', 'canceled', 'running', 'pending', 'success', 'skipped'];

export const latestStatuses = (project: SimProject, sha: string): readonly SimStatus[] => {
  const latest = new Map<string, SimStatus>();
  for (const status of project.statuses)
    if (status.pipeline.sha === sha) latest.set(`${status.pipeline.id}\0${status.name}`, status);
  return [...latest.values()];
};

export const pipelineStatus = (project: SimProject, pipeline: SimPipeline): string => {
  if (pipeline.fixedStatus !== null) return pipeline.fixedStatus;
  const own = latestStatuses(project, pipeline.sha).filter((status) => status.pipeline === pipeline);
  return worst.find((state) => own.some((status) => status.state === state)) ?? 'created';
};

export type NewPipeline = Pick<SimPipeline, 'sha' | 'ref' | 'source' | 'user' | 'fixedStatus'>;

export const addPipeline = (world: World, project: SimProject, wish: NewPipeline): SimPipeline => {
  const at = world.clock();
  const iid = project.pipelines.length + 1;
  const pipeline: SimPipeline = { ...wish, id: nextId(world, 'pipeline'), iid, createdAt: at, updatedAt: at };
  project.pipelines.push(pipeline);
  return pipeline;
};

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

const fittingPipeline = (project: SimProject, wish: NewStatus, ref: string | null): SimPipeline | undefined =>
  project.pipelines.findLast(
    (pipeline) =>
      pipeline.sha === wish.sha &&
      (ref === null || pipeline.ref === ref) &&
      (wish.pipelineId === null || pipeline.id === wish.pipelineId),
  );

const pipelineFor = async (world: World, project: SimProject, wish: NewStatus): Promise<SimPipeline> => {
  const ref = wish.ref ?? fittingPipeline(project, wish, null)?.ref ?? (await firstBranchWith(project, wish.sha));
  // A head that only a fork has: no branch or pipeline here holds it (forges.md 3.7).
  if (ref === null) throw bare404('References for commit');
  // Looked up after the last wait: two requests at once share one pipeline, as behind the lock of the real one.
  const fitting = fittingPipeline(project, wish, ref);
  if (wish.pipelineId !== null && fitting === undefined) throw bare404('Pipeline for pipeline_id, sha and ref');
  if (fitting !== undefined) return fitting;
  return addPipeline(world, project, { sha: wish.sha, ref, source: 'external', user: wish.user, fixedStatus: null });
};

const fresh = (world: World, pipeline: SimPipeline, wish: NewStatus): SimStatus => ({
  id: nextId(world, 'status'),
  pipeline,
  name: wish.name,
  state: 'created',
  description: null,
  targetUrl: null,
  user: wish.user,
  createdAt: world.clock(),
  startedAt: null,
  finishedAt: null,
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
 * What still waits or runs under the same name, ref and user is taken up again; what has ended is followed by a new
 * job. So `pending` twice is a 400, and so is `running`, while `success` after `success` is not.
 */
export const createStatus = async (world: World, project: SimProject, wish: NewStatus): Promise<SimStatus> => {
  if ((await resolveCommit(project.gitDir, wish.sha)) !== wish.sha) throw bare404('Commit');
  const pipeline = await pipelineFor(world, project, wish);
  const known = project.statuses.findLast(
    (status) =>
      status.pipeline === pipeline && status.name === wish.name && status.user === wish.user && isOpen(status),
  );
  const status = known ?? fresh(world, pipeline, wish);
  move(world, status, wish);
  status.description = wish.description ?? status.description;
  status.targetUrl = wish.targetUrl ?? status.targetUrl;
  if (known === undefined) project.statuses.push(status);
  pipeline.updatedAt = world.clock();
  const { sha, state, name, description } = wish;
  const detail = { sha, state, context: name, description, ref: pipeline.ref };
  record(world, { actor: wish.user.username, kind: 'status.create', repo: projectPath(project), number: null, detail });
  // One's own status is a pipeline event too (forges.md 2.6).
  await firePipeline(world, project, pipeline, pipelineStatus(project, pipeline));
  return status;
};
