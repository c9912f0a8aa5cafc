/** What the state of a job or of a status set from outside means. Pure. */
import type { CommitStatus } from '../../port-statuses.ts';
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

/** A state of a later release is not taken for a passed check; a job that may fail warns. */
const stateOf = ({ status, allow_failure: mayFail }: ApiStatus): CommitStatus['state'] => {
  if ((status === 'failed' || status === 'canceled') && mayFail === true) return 'warning';
  // A job that somebody must start holds the pipeline up, unless it may be left out.
  if (status === 'manual' && mayFail === false) return 'pending';
  return STATES[status] ?? 'error';
};

export const toStatus = (status: ApiStatus): CommitStatus => ({
  context: status.name,
  state: stateOf(status),
  description: status.description ?? '',
  createdAtMs: status.created_at,
});
