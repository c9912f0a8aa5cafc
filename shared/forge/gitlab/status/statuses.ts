import { Commits } from '@gitbeaker/rest';
import { STATUS_CONTEXT } from '../../../vocabulary/status-place.ts';
import type { CommitSha } from '../../../vocabulary/ids.ts';
import { hasForgeCode } from '../../errors.ts';
import type { ReadsChecks, ReadsStatuses } from '../../port-statuses.ts';
import type { GitlabContext } from '../api/context.ts';
import { fetchExistingGate, fetchGate, type Gate, targetOf } from './gate-pipeline.ts';
import { checksOfPipeline } from './pipeline-checks.ts';
import { type ApiPipeline, ApiStatus } from '../api/schema.ts';
import { toStatus } from './status-state.ts';

/** GitLab lists CI jobs and external statuses together, one entry per branch and attempt; the highest id counts. */
export const newestPerName = (statuses: readonly ApiStatus[]): readonly ApiStatus[] => {
  const newest = new Map<string, ApiStatus>();
  for (const status of statuses.toSorted((left, right) => left.id - right.id)) newest.set(status.name, status);
  return [...newest.values()].toSorted((left, right) => left.id - right.id);
};

type StatusQuery = {
  readonly projectId: number;
  /** If `pipelineId` is set, the commit of that pipeline. */
  readonly sha: CommitSha;
  readonly name?: string;
  readonly pipelineId?: number;
};

// GET /projects/:id/repository/commits/:sha/statuses: https://docs.gitlab.com/api/commits/#list-the-statuses-of-a-commit
export const fetchStatusesOf = (
  { api }: GitlabContext,
  { projectId, sha, ...filter }: StatusQuery,
  signal: AbortSignal,
): Promise<readonly ApiStatus[]> =>
  api.readAll({ item: ApiStatus, keyOf: ({ id }) => id }, signal, (options, page) => {
    // gitbeaker's type lacks the paging and pipeline parameters.
    const parameters: Omit<StatusQuery, 'projectId' | 'sha'> = { ...filter, ...page };
    return new Commits(options).allStatuses(projectId, sha, parameters);
  });

/** Statuses of every pipeline of the head and of the pipeline that the gate reads, which may run on a trial merge. */
export const fetchAround = async (
  context: GitlabContext,
  { projectId, head, gate, name }: Around,
  signal: AbortSignal,
): Promise<readonly ApiStatus[]> => {
  const named = name === undefined ? {} : { name };
  const atHead = await fetchStatusesOf(context, { projectId, sha: head, ...named }, signal);
  const target = targetOf(gate);
  if (target === null || target.sha === head) return atHead;
  const query = { projectId, sha: target.sha, pipelineId: target.id, ...named };
  return [...atHead, ...(await fetchStatusesOf(context, query, signal))];
};

type Around = { readonly projectId: number; readonly head: CommitSha; readonly gate: Gate; readonly name?: string };

/** Whether the gate reads this status. Without a pipeline, the gate reads every status that has the source branch as its ref. */
export const isAt = (gate: Gate, { pipeline_id: at, ref }: ApiStatus): boolean => {
  const target = targetOf(gate);
  return target === null ? (ref ?? gate.sourceBranch) === gate.sourceBranch : at === target.id;
};

export const readsStatuses = (context: GitlabContext): ReadsStatuses => ({
  fetchStatuses: async (of, head, signal) => {
    const gate = await fetchGate(context, of, head, signal);
    if (gate === null) return [];
    const all = await fetchAround(context, { projectId: of.projectId, head, gate }, signal);
    const [here, elsewhere] = [all.filter((each) => isAt(gate, each)), all.filter((each) => !isAt(gate, each))];
    return [
      ...newestPerName(here).map(toStatus),
      ...newestPerName(elsewhere).map((status) => ({ ...toStatus(status), elsewhere: true as const })),
    ];
  },
});

/** Returns null when the account may not see the jobs. */
const fetchJobs = async (
  context: GitlabContext,
  { projectId }: Gate,
  { id, project_id: at, sha }: ApiPipeline,
  signal: AbortSignal,
): Promise<readonly ApiStatus[] | null> => {
  try {
    return await fetchStatusesOf(context, { projectId: at ?? projectId, sha, pipelineId: id }, signal);
  } catch (error) {
    if (hasForgeCode(error, 'FORGE_NOT_FOUND', 'FORGE_FORBIDDEN')) return null;
    throw error;
  }
};

/** A job with the same name as the bot's status is renamed; otherwise it would be ignored as the bot's own status. */
const renamed = (job: ApiStatus, isOwn: (job: ApiStatus) => boolean): ApiStatus =>
  job.name === STATUS_CONTEXT && !isOwn(job) ? { ...job, name: `job ${job.name}` } : job;

export const readsChecks = (context: GitlabContext): ReadsChecks => ({
  fetchChecks: async ({ changeRequest, head, botIds }, signal) => {
    // A merge request that is gone has no CI, which must not look like a project without CI.
    const gate = await fetchExistingGate(context, changeRequest, head, signal);
    if (gate.pipeline === null) return { statuses: [], required: [] };
    const { pipeline, parents } = gate;
    const isOwn = ({ name, author }: ApiStatus): boolean =>
      name === STATUS_CONTEXT && (author === null || author === undefined || botIds.has(author.id));
    const jobs = await fetchJobs(context, gate, pipeline, signal);
    const named = jobs === null ? null : jobs.map((job) => renamed(job, isOwn));
    return { statuses: checksOfPipeline({ head, pipeline, parents, jobs: named, isOwn }), required: [] };
  },
});
