import { Commits } from '@gitbeaker/rest';
import { AppError } from '../../errors.ts';
import type { ChangeRequest } from '../../rounds/vocabulary.ts';
import { cutDescription } from '../cut-description.ts';
import { hasForgeCode } from '../errors.ts';
import type { OutgoingStatus, StatusState, WritesStatuses } from '../port-statuses.ts';
import { backoffMs, DEFAULT_RETRY } from '../retry.ts';
import { comesFromFork } from './change-request.ts';
import type { GitlabContext } from './context.ts';
import { pause } from './pause.ts';
import { fetchMergeRequestPipeline } from './pipelines.ts';
import type { ApiStatus } from './schema.ts';
import { fetchStatusesOf } from './statuses.ts';

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

/** The pipeline that a status belongs to; null: the one of the branch, which GitLab finds or makes. */
type Place = number | null;

/**
 * A pipeline by its id has a ref of its own, which the branch is not: named along, nothing would be found.
 * POST /projects/:id/statuses/:sha: https://docs.gitlab.com/api/commits/#set-commit-pipeline-status
 */
const send = async ({ context, of, status }: Target, place: Place, signal: AbortSignal): Promise<void> => {
  const parameters = {
    name: status.context,
    ...(place === null ? { ref: status.sourceBranch } : { pipelineId: place }),
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

/** Oldest first, of every pipeline of the head. */
const fetchOwn = async ({ context, of, status }: Target, signal: AbortSignal): Promise<readonly ApiStatus[]> => {
  const query = { projectId: of.projectId, head: status.head, name: status.context };
  const found = (await fetchStatusesOf(context, query, signal)).filter(({ name }) => name === status.context);
  return found.toSorted((left, right) => left.id - right.id);
};

const ownAt = (own: readonly ApiStatus[], place: Place, { sourceBranch }: OutgoingStatus): ApiStatus | undefined =>
  own.findLast(({ pipeline_id: pipeline, ref }) =>
    place === null ? (ref ?? sourceBranch) === sourceBranch : pipeline === place,
  );

/** Pending cannot be said again, not even with other words; what has ended can. */
const isSaid = (status: OutgoingStatus, found: ApiStatus | undefined): boolean => {
  if (found?.status !== WANTED[status.state]) return false;
  return status.state === 'pending' || (found.description ?? '') === cutDescription(status.description);
};

const writeAt = async (target: Target, place: Place, own: readonly ApiStatus[], signal: AbortSignal): Promise<void> => {
  const { status } = target;
  if (isSaid(status, ownAt(own, place, status))) return;
  try {
    await send(target, place, signal);
  } catch (error) {
    // Somebody else said it in between.
    const found = hasStatus(error, 400) ? ownAt(await fetchOwn(target, signal), place, status) : undefined;
    if (found?.status !== WANTED[status.state]) throw error;
  }
};

const OPEN: ReadonlySet<string> = new Set(['pending', 'running']);

/**
 * Where the verdict goes: into the merge request's own pipeline where there is one, since that is the one that merging
 * waits for. It may have begun after ours was pending in another: that one would wait for ever, so it gets the same.
 */
const placesFor = (status: OutgoingStatus, pipeline: Place, own: readonly ApiStatus[]): readonly Place[] => {
  const waiting = own.flatMap(({ status: state, pipeline_id: at, ref }) => {
    if (status.state === 'pending' || !OPEN.has(state) || at === null || at === undefined) return [];
    const isTarget = pipeline === null ? ref === status.sourceBranch : at === pipeline;
    return isTarget ? [] : [at];
  });
  return [...new Set(waiting), pipeline];
};

/** The pipeline may be gone, or be one that the account may not touch. */
const writeAtOrBranch = async (target: Target, place: Place, own: readonly ApiStatus[], signal: AbortSignal) => {
  try {
    await writeAt(target, place, own, signal);
  } catch (error) {
    if (place === null || !hasForgeCode(error, 'FORGE_NOT_FOUND', 'FORGE_FORBIDDEN')) throw error;
    await writeAt(target, null, own, signal);
  }
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
    if (status.fromFork ?? (await comesFromFork(context, of, signal))) return leaveUnset();
    try {
      const pipeline = await fetchMergeRequestPipeline(context, of, status.head, signal);
      const own = await fetchOwn(target, signal);
      for (const place of placesFor(status, pipeline, own)) await writeAtOrBranch(target, place, own, signal);
    } catch (error) {
      if (!hasForgeCode(error, 'FORGE_NOT_FOUND')) throw error;
      leaveUnset();
    }
  },
});
