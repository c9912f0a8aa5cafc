import { Commits } from '@gitbeaker/rest';
import type { CommitSha } from '../../rounds/vocabulary.ts';
import type { CommitStatus, ReadsChecks, ReadsStatuses } from '../port-statuses.ts';
import type { GitlabContext } from './context.ts';
import { ApiStatus } from './schema.ts';

const STATES: Readonly<Record<string, CommitStatus['state']>> = {
  created: 'pending',
  waiting_for_resource: 'pending',
  preparing: 'pending',
  waiting_for_callback: 'pending',
  pending: 'pending',
  running: 'pending',
  scheduled: 'pending',
  success: 'success',
  failed: 'failure',
  canceling: 'error',
  canceled: 'error',
  skipped: 'skipped',
  manual: 'skipped',
};

/** A state of a later release is not taken for a passed check; a job that may fail warns. */
const stateOf = ({ status, allow_failure: mayFail }: ApiStatus): CommitStatus['state'] => {
  if (status === 'failed' && mayFail === true) return 'warning';
  // A job that somebody must start holds the pipeline up, unless it may be left out.
  if (status === 'manual' && mayFail === false) return 'pending';
  return STATES[status] ?? 'error';
};

/** CI jobs and statuses set from outside stand in one list, repeated per branch and try: the highest id counts. */
export const newestPerName = (statuses: readonly ApiStatus[]): readonly ApiStatus[] => {
  const newest = new Map<string, ApiStatus>();
  for (const status of statuses.toSorted((left, right) => left.id - right.id)) newest.set(status.name, status);
  return [...newest.values()].toSorted((left, right) => left.id - right.id);
};

type StatusQuery = { readonly projectId: number; readonly head: CommitSha; readonly name?: string };

// GET /projects/:id/repository/commits/:sha/statuses: https://docs.gitlab.com/api/commits/#list-the-statuses-of-a-commit
export const fetchStatusesOf = (
  { api }: GitlabContext,
  { projectId, head, name }: StatusQuery,
  signal: AbortSignal,
): Promise<readonly ApiStatus[]> =>
  api.readAll({ item: ApiStatus, keyOf: ({ id }) => id }, signal, (options, page) => {
    // gitbeaker's type leaves the paging out.
    const parameters: { name?: string } = { ...(name === undefined ? {} : { name }), ...page };
    return new Commits(options).allStatuses(projectId, head, parameters);
  });

export const readsStatuses = (context: GitlabContext): ReadsStatuses => ({
  fetchStatuses: async (projectId, head, signal) => {
    const statuses = await fetchStatusesOf(context, { projectId, head }, signal);
    return newestPerName(statuses).map((status) => ({
      context: status.name,
      state: stateOf(status),
      description: status.description ?? '',
      createdAtMs: status.created_at,
    }));
  },
});

/** Which pipelines merging looks at is a matter of the project's settings; here it is all that is said about the head. */
export const readsChecks = (context: GitlabContext): ReadsChecks => ({
  fetchChecks: async ({ projectId, head }, signal) => ({
    statuses: await readsStatuses(context).fetchStatuses(projectId, head, signal),
    required: [],
  }),
});
