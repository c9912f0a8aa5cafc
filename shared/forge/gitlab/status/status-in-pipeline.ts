import { Commits } from '@gitbeaker/rest';
import { AppError } from '../../../errors.ts';
import type { ChangeRequest } from '../../../vocabulary/ids.ts';
import { cutDescription } from '../../cut-description.ts';
import { ForgeRequestError, hasForgeCode } from '../../errors.ts';
import type { OutgoingStatus, StatusRefusal, StatusState } from '../../port-statuses.ts';
import { backoffMs, DEFAULT_RETRY } from '../../retry.ts';
import type { GitlabContext } from '../api/context.ts';
import type { Gate } from './gate-pipeline.ts';
import { pause } from '../api/pause.ts';
import type { ApiStatus } from '../api/schema.ts';
import { fetchAround, isAt } from './statuses.ts';

const WANTED = {
  pending: 'pending',
  success: 'success',
  failure: 'failed',
  error: 'canceled',
} as const satisfies Record<StatusState, string>;

/** A pending status with a URL is sent as `running`: GitLab refuses to change a status that is already `pending`. */
const wantedState = ({ state, targetUrl }: OutgoingStatus): (typeof WANTED)[StatusState] | 'running' =>
  state === 'pending' && targetUrl !== null ? 'running' : WANTED[state];

/**
 * Maximum number of attempts while another update of this commit holds a lock. The lock is usually held briefly, but
 * for up to a minute if the process of that update died.
 */
const LOCK_ATTEMPTS = 4;

const hasStatus = (error: unknown, status: number): error is AppError =>
  error instanceof AppError && hasForgeCode(error, 'FORGE_REJECTED') && error.fields['status'] === status;

const locked = (cause: AppError): ForgeRequestError =>
  new ForgeRequestError({
    code: 'FORGE_REJECTED',
    message: 'Another update of the status of this commit is in progress',
    disposition: { kind: 'retry' },
    fields: cause.fields,
    cause,
  });

export type Target = {
  readonly context: GitlabContext;
  readonly of: ChangeRequest;
  readonly status: OutgoingStatus;
  readonly gate: Gate;
  /** The token's account. GitLab lets an account update only its own statuses. */
  readonly selfId: number;
};

/** Where to write the status. Null means the pipeline of the branch, which GitLab finds or creates. */
export type Into = { readonly id: number; readonly sha: string } | null;

/** POST /projects/:id/statuses/:sha: https://docs.gitlab.com/api/commits/#set-commit-pipeline-status */
const send = async ({ context, of, status }: Target, into: Into, signal: AbortSignal): Promise<void> => {
  const parameters = {
    name: status.context,
    ...(into === null ? { ref: status.sourceBranch } : { pipelineId: into.id }),
    description: cutDescription(status.description),
    ...(status.targetUrl === null ? {} : { targetUrl: status.targetUrl }),
  };
  for (let attempt = 1; ; attempt += 1) {
    try {
      await context.api.write(null, signal, (options) =>
        new Commits(options).editStatus(of.projectId, into?.sha ?? status.head, wantedState(status), parameters),
      );
      return;
    } catch (error) {
      if (!hasStatus(error, 409)) throw error;
      if (attempt >= LOCK_ATTEMPTS) throw locked(error);
      await pause(context, backoffMs(attempt, DEFAULT_RETRY, context.clock.random), signal);
    }
  }
};

/** Statuses with this name, oldest first, including a job of the project that has the same name. */
export const fetchNamed = async (
  { context, of, status, gate }: Target,
  signal: AbortSignal,
): Promise<readonly ApiStatus[]> => {
  const around = { projectId: of.projectId, head: status.head, gate, name: status.context };
  const found = (await fetchAround(context, around, signal)).filter(({ name }) => name === status.context);
  return found.toSorted((left, right) => left.id - right.id);
};

export const isOwn = ({ selfId }: Target, { author }: ApiStatus): boolean =>
  author === null || author === undefined || author.id === selfId;

export const isIn = ({ gate }: Target, into: Into, status: ApiStatus): boolean =>
  into === null ? isAt({ ...gate, pipeline: null }, status) : status.pipeline_id === into.id;

export const ownIn = (target: Target, into: Into, named: readonly ApiStatus[]): ApiStatus | undefined =>
  named.findLast((each) => isOwn(target, each) && isIn(target, into, each));

const OPEN: ReadonlySet<string> = new Set(['pending', 'running']);

/** GitLab refuses to repeat `pending` or `running`, even with another description. Other states may be repeated. */
const isSaid = (status: OutgoingStatus, found: ApiStatus | undefined): boolean => {
  if (status.state === 'pending') return found !== undefined && OPEN.has(found.status) && !mayStillBegin(status, found);
  return found?.status === WANTED[status.state] && (found.description ?? '') === cutDescription(status.description);
};

const mayStillBegin = ({ targetUrl }: OutgoingStatus, { status }: ApiStatus): boolean =>
  targetUrl !== null && status === 'pending';

/** `kept` when an unfinished status has a URL other than the requested URL. */
const keptUrl = ({ state, targetUrl }: OutgoingStatus, found: ApiStatus | undefined): StatusRefusal | null =>
  state === 'pending' && targetUrl !== null && found?.target_url !== targetUrl ? 'kept' : null;

export const writeInto = async (
  target: Target,
  into: Into,
  named: readonly ApiStatus[],
  signal: AbortSignal,
): Promise<StatusRefusal | null> => {
  const { status } = target;
  const said = ownIn(target, into, named);
  if (isSaid(status, said)) return keptUrl(status, said);
  try {
    await send(target, into, signal);
    return null;
  } catch (error) {
    if (hasForgeCode(error, 'FORGE_FORBIDDEN')) return 'protected';
    if (hasForgeCode(error, 'FORGE_NOT_FOUND')) return 'gone';
    if (hasStatus(error, 422)) return 'full';
    if (!hasStatus(error, 400)) throw error;
    const now = await fetchNamed(target, signal);
    // Another process may have written the same state in the meantime.
    const found = ownIn(target, into, now);
    if (found !== undefined && isSaid(status, found)) return keptUrl(status, found);
    if (found?.status === wantedState(status)) return null;
    if (now.some((each) => !isOwn(target, each) && isIn(target, into, each))) return 'name_taken';
    // GitLab may also refuse the URL itself.
    if (status.targetUrl !== null) return 'kept';
    throw error;
  }
};
