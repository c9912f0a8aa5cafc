/**
 * The jobs that failed for good: what they were, why they failed, and running or dropping them. They are kept for
 * `keepFailedS`, and at most `MAX_FAILED_JOBS` of each queue.
 */
import type { Job } from 'bullmq';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Keys } from '../store/keys.ts';
import { ChangeRequest } from '../vocabulary/ids.ts';
import { MAX_FAILED_JOBS, QUEUES, type QueueName } from './contracts.ts';
import { forgetDeathsOf } from './death-watch.ts';
import { forgetDeaths } from './deaths.ts';
import type { Queues } from './enqueue.ts';
import { createStale } from './stale-job.ts';

export type FailedJob = {
  readonly queue: QueueName;
  readonly jobId: string;
  /** A code of the table in `shared/error-codes`, or `UNEXPECTED`. */
  readonly code: string;
  /** Epoch ms by the clock of the worker. */
  readonly failedAtMs: number;
  readonly attempts: number;
  /** Null for jobs that belong to no single change request. */
  readonly changeRequest: ChangeRequest | null;
  /** True when guard no longer waits for the job. Running it again would change nothing, so it is refused. */
  readonly isStale: boolean;
};

/** `not_failed`: it is waiting, active or done by now. `locked`: a worker holds it. */
export type DropOutcome = 'dropped' | 'unknown' | 'not_failed' | 'locked';
export type AgainOutcome = 'queued' | 'unknown' | 'not_failed' | 'stale';

export type FailedJobs = {
  /** The newest first, over all queues. `total` counts all of them. */
  list(limit: number): Promise<{ readonly total: number; readonly jobs: readonly FailedJob[] }>;
  /**
   * Puts a job back into its queue with all of its attempts, deaths and patience with outages. Contract: does nothing
   * unless the job is still failed at that moment, so that repeating it queues nothing twice.
   */
  runAgain(queue: QueueName, jobId: string): Promise<AgainOutcome>;
  /** Removes a failed job. A new job may then have its id. */
  drop(queue: QueueName, jobId: string): Promise<DropOutcome>;
};

const OfChangeRequest = z.object({ changeRequest: ChangeRequest });

/** Safe cast: the names are the keys of the object. */
export const QUEUE_NAMES = Object.keys(QUEUES) as readonly QueueName[];

export type FailedJobsDeps = { readonly redis: Redis; readonly keys: Keys; readonly queues: Pick<Queues, 'queue'> };

export const createFailedJobs = ({ redis, keys, queues }: FailedJobsDeps): FailedJobs => {
  const isStale = createStale(redis, keys);
  const find = async (name: QueueName, jobId: string): Promise<Job | 'unknown' | 'not_failed'> => {
    const queue = queues.queue(name);
    // The state is asked first: the library keeps other things than jobs beside them, and an id is somebody's input.
    const state = await queue.getJobState(jobId);
    if (state !== 'failed') return state === 'unknown' ? 'unknown' : 'not_failed';
    const job: Job | undefined = await queue.getJob(jobId);
    return job ?? 'unknown';
  };
  return {
    list: async (limit) => {
      const perQueue = await Promise.all(QUEUE_NAMES.map(async (name) => newestOf(queues, name, limit)));
      const jobs = perQueue.flatMap(({ jobs: some }) => some).toSorted((one, other) => other.at - one.at);
      return {
        total: perQueue.reduce((sum, { count }) => sum + count, 0),
        jobs: await Promise.all(
          jobs.slice(0, limit).map(async ({ queue, job }) => describe(queue, job, await isStale(queue, job.data))),
        ),
      };
    },
    runAgain: async (name, jobId) => {
      const job = await find(name, jobId);
      if (typeof job === 'string') return job;
      if (await isStale(name, job.data)) return 'stale';
      // Outages that the job has already waited for, and processes that it has taken down, must not end it at once.
      await redis.del(keys.waited(`${name}.${jobId}`));
      await forgetDeaths(redis, queues.queue(name).toKey(jobId));
      const of = name === 'guard' ? OfChangeRequest.safeParse(job.data).data?.changeRequest : undefined;
      if (of !== undefined) await forgetDeathsOf(redis, keys, of);
      try {
        await job.retry('failed', { resetAttemptsMade: true, resetAttemptsStarted: true });
        return 'queued';
      } catch (error) {
        const gone = goneOutcome(error);
        if (gone === null) throw error;
        return gone;
      }
    },
    drop: async (name, jobId) => {
      const job = await find(name, jobId);
      if (typeof job === 'string') return job;
      return (await queues.queue(name).remove(jobId, { removeChildren: false })) === 1 ? 'dropped' : 'locked';
    },
  };
};

type Newest = { readonly queue: QueueName; readonly job: Job; readonly at: number };

const newestOf = async (
  queues: Pick<Queues, 'queue'>,
  queue: QueueName,
  limit: number,
): Promise<{ readonly count: number; readonly jobs: readonly Newest[] }> => {
  const of = queues.queue(queue);
  const last = Math.min(limit, MAX_FAILED_JOBS) - 1;
  const [count, jobs] = await Promise.all([of.getFailedCount(), last < 0 ? [] : of.getFailed(0, last)]);
  return { count, jobs: jobs.map((job) => ({ queue, job, at: job.finishedOn ?? job.timestamp })) };
};

/** Workers store the code alone. The library's own words, for example about a lost lock, are no code. */
const codeIn = (reason: string | undefined): string =>
  reason !== undefined && /^[A-Z][A-Z0-9_]{2,79}$/.test(reason) ? reason : 'UNEXPECTED';

const describe = (queue: QueueName, job: Job, isStale: boolean): FailedJob => ({
  queue,
  jobId: job.id ?? '',
  code: codeIn(job.failedReason),
  failedAtMs: job.finishedOn ?? job.timestamp,
  attempts: job.attemptsMade,
  changeRequest: OfChangeRequest.safeParse(job.data).data?.changeRequest ?? null,
  isStale,
});

/** https://api.docs.bullmq.io/enums/v5.ErrorCode.html: -1 the job does not exist, -3 it is not in the expected state. */
const goneOutcome = (error: unknown): 'unknown' | 'not_failed' | null => {
  const code = error instanceof Error && 'code' in error ? error.code : null;
  if (code === -1) return 'unknown';
  return code === -3 ? 'not_failed' : null;
};
