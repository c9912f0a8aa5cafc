/** Whether guard still waits for the result of a job. If not, its change request has moved on. */
import type { Redis } from 'ioredis';
import { PostPlan } from '../rounds/model/posting/post-plan.ts';
import type { GuardState } from '../rounds/model/state.ts';
import { createDocumentStore } from '../store/documents.ts';
import { createGuardStates } from '../store/guard-states.ts';
import type { Keys } from '../store/keys.ts';
import type { ChangeRequest } from '../vocabulary/ids.ts';
import { ExploreJob, FixJob, PostJob, type QueueName, ReviewJob } from './contracts.ts';

/** Contract: returns true for a payload that does not parse, because its handler would refuse it again. */
export type IsStale = (queue: QueueName, payload: unknown) => Promise<boolean>;

export const createStale = (redis: Redis, keys: Keys): IsStale => {
  const states = createGuardStates(redis, keys);
  const plans = createDocumentStore(redis, PostPlan);
  const waits = async (of: ChangeRequest, holds: (state: GuardState) => boolean): Promise<boolean> => {
    const state = await states.load(of);
    // Without a state (Redis was wiped) the handler finds out that its documents are gone, and drops the job.
    return state === null || holds(state);
  };
  const isPostStale = async ({ changeRequest, planId }: PostJob): Promise<boolean> => {
    const plan = await plans.load(keys.plan(planId));
    if (plan === null) return true;
    if (isAlwaysTrue(plan)) return false;
    return !(await waits(changeRequest, ({ running, fixing }) => [running?.planId, fixing?.planId].includes(planId)));
  };
  return async (queue, payload) => {
    switch (queue) {
      case 'review':
      case 'explore': {
        const job = (queue === 'review' ? ReviewJob : ExploreJob).safeParse(payload).data;
        return job === undefined || !(await waits(job.changeRequest, ({ running }) => running?.runId === job.runId));
      }
      case 'fix': {
        const job = FixJob.safeParse(payload).data;
        return job === undefined || !(await waits(job.changeRequest, ({ fixing }) => fixing?.runId === job.runId));
      }
      case 'post': {
        const job = PostJob.safeParse(payload).data;
        return job === undefined || isPostStale(job);
      }
      // What these do depends on the present alone: the inbox, the receiver, the age of the event.
      case 'guard':
      case 'notify':
        return false;
      default:
        return queue satisfies never;
    }
  };
};

/** Plans that read the forge again before they write, or only add an answer. Any other could overwrite a newer result. */
const isAlwaysTrue = ({ kind, status, closures }: PostPlan): boolean =>
  kind === 'acknowledge' ||
  kind === 'status' ||
  kind === 'closed' ||
  ((kind === 'answer' || kind === 'fix_refusal') && status === null && closures.length === 0);
