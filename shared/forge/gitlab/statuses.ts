import { Commits } from '@gitbeaker/rest';
import type { ChangeRequest, CommitSha } from '../../rounds/vocabulary.ts';
import { AppError } from '../../errors.ts';
import { cutDescription } from '../cut-description.ts';
import { hasForgeCode } from '../errors.ts';
import type { CommitStatus, OutgoingStatus, ReadsStatuses, StatusState, WritesStatuses } from '../port.ts';
import { backoffMs, DEFAULT_RETRY } from '../retry.ts';
import { comesFromFork } from './change-request.ts';
import type { GitlabContext } from './context.ts';
import { pause } from './pause.ts';
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

type StatusQuery = {
  readonly projectId: number;
  readonly head: CommitSha;
  readonly only?: { name: string; ref: string };
};

// GET /projects/:id/repository/commits/:sha/statuses: https://docs.gitlab.com/api/commits/#list-the-statuses-of-a-commit
const fetchAll = (
  { api }: GitlabContext,
  { projectId, head, only }: StatusQuery,
  signal: AbortSignal,
): Promise<readonly ApiStatus[]> =>
  api.readAll({ item: ApiStatus, keyOf: ({ id }) => id }, signal, (options, page) => {
    // gitbeaker's type leaves the paging out.
    const parameters: { name?: string; ref?: string } = { ...only, ...page };
    return new Commits(options).allStatuses(projectId, head, parameters);
  });

export const readsStatuses = (context: GitlabContext): ReadsStatuses => ({
  fetchStatuses: async (projectId, head, signal) => {
    const statuses = await fetchAll(context, { projectId, head }, signal);
    return newestPerName(statuses).map((status) => ({
      context: status.name,
      state: stateOf(status),
      description: status.description ?? '',
      createdAtMs: status.created_at,
    }));
  },
});

const WANTED = {
  pending: 'pending',
  success: 'success',
  failure: 'failed',
  error: 'canceled',
} as const satisfies Record<StatusState, string>;

/** Another update of the same pipeline holds its lock for a moment. */
const LOCK_ATTEMPTS = 4;

const hasStatus = (error: unknown, status: number): boolean =>
  error instanceof AppError && hasForgeCode(error, 'FORGE_REJECTED') && error.fields['status'] === status;

type Target = { readonly context: GitlabContext; readonly of: ChangeRequest; readonly status: OutgoingStatus };

// POST /projects/:id/statuses/:sha: https://docs.gitlab.com/api/commits/#set-commit-pipeline-status
const send = async ({ context, of, status }: Target, signal: AbortSignal): Promise<void> => {
  const parameters = {
    name: status.context,
    ref: status.sourceBranch,
    description: cutDescription(status.description),
    ...(status.targetUrl === null ? {} : { targetUrl: status.targetUrl }),
  };
  for (let attempt = 1; ; attempt += 1) {
    try {
      await context.api.write(null, signal, (options) =>
        new Commits(options).editStatus(of.projectId, status.head, WANTED[status.state], parameters),
      );
      return;
    } catch (error) {
      if (!hasStatus(error, 409) || attempt >= LOCK_ATTEMPTS) throw error;
      await pause(context, backoffMs(attempt, DEFAULT_RETRY, context.clock.random), signal);
    }
  }
};

const fetchOwn = async ({ context, of, status }: Target, signal: AbortSignal): Promise<ApiStatus | undefined> => {
  const only = { name: status.context, ref: status.sourceBranch };
  const statuses = await fetchAll(context, { projectId: of.projectId, head: status.head, only }, signal);
  return newestPerName(statuses).find(({ name }) => name === status.context);
};

/** Pending cannot be said again, not even with other words; what has ended can. */
const isSaid = (status: OutgoingStatus, found: ApiStatus | undefined): boolean => {
  if (found?.status !== WANTED[status.state]) return false;
  return status.state === 'pending' || (found.description ?? '') === cutDescription(status.description);
};

/**
 * Read first, since the same state again is refused.
 *
 * The head of a fork's change request lies in the fork, where the account has no say. The target project would take
 * the status and show it under its own branch of the same name. Such a status stays unset, and `onStatusUnset` says so;
 * the summary has the verdict. The same goes for a head that no branch of the project has any more (404).
 */
export const writesStatuses = (context: GitlabContext): WritesStatuses => ({
  writeStatus: async (of, status, signal) => {
    const target = { context, of, status };
    const leaveUnset = (): void =>
      context.onStatusUnset({ projectId: of.projectId, number: of.number, head: status.head });
    if (await comesFromFork(context, of, signal)) return leaveUnset();
    try {
      if (isSaid(status, await fetchOwn(target, signal))) return;
      await send(target, signal);
    } catch (error) {
      if (hasForgeCode(error, 'FORGE_NOT_FOUND')) return leaveUnset();
      // Somebody else said it in between.
      if (hasStatus(error, 400) && (await fetchOwn(target, signal))?.status === WANTED[status.state]) return;
      throw error;
    }
  },
});
