import type { ReportJobState } from '../../port-ci-reports.ts';
import type { CommitStatus, StatusLink } from '../../port-statuses.ts';
import type { ApiStatus } from '../api/schema.ts';

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

/** An unknown state must not count as passed. A failed job that is allowed to fail is a warning. */
const stateOf = ({ status, allow_failure: mayFail }: ApiStatus): CommitStatus['state'] => {
  if ((status === 'failed' || status === 'canceled') && mayFail === true) return 'warning';
  // A manual job blocks the pipeline until someone starts it, unless it is allowed to fail.
  if (status === 'manual' && mayFail === false) return 'pending';
  return STATES[status] ?? 'error';
};

export const toStatus = (status: ApiStatus): CommitStatus => ({
  context: status.name,
  state: stateOf(status),
  description: status.description ?? '',
  createdAtMs: status.created_at,
  ...(status.target_url ? { links: [linkOf(status, status.target_url)] } : {}),
});

const linkOf = (status: ApiStatus, url: string): StatusLink => ({
  url,
  creatorId: status.author?.id ?? null,
  id: status.id,
  isOver: stateOf(status) === 'error',
});

const JOB_STATES: Readonly<Record<string, ReportJobState>> = {
  success: 'passed',
  failed: 'failed',
  canceled: 'not_run',
  skipped: 'not_run',
  manual: 'held',
};

/** An unknown state is waited for, until the deadline. */
export const jobStateOf = (status: string): ReportJobState => JOB_STATES[status] ?? 'open';
