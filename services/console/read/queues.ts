import { plainMeaning } from '../../../shared/error-codes/explain.ts';
import { createFailedJobs, type FailedJob } from '../../../shared/queue/failed-jobs.ts';
import { countQueues, type QueueCount } from '../../../shared/queue/queue-counts.ts';
import type { PageSource } from './source.ts';

export type ExplainedJob = FailedJob & {
  /** What the code means and what helps. */
  readonly meaning: string;
};

export type QueuesReading = {
  readonly counts: readonly QueueCount[];
  readonly failed: readonly ExplainedJob[];
  /** Also counts jobs that are not among `failed`. */
  readonly failedTotal: number;
  readonly nowMs: number;
};

const MAX_JOBS = 100;

export const readQueues = async ({ redis, keys, queues, nowMs }: PageSource): Promise<QueuesReading> => {
  const [counts, listed] = await Promise.all([
    countQueues(queues),
    createFailedJobs({ redis, keys, queues }).list(MAX_JOBS),
  ]);
  const failed = listed.jobs.map((job) => ({ ...job, meaning: plainMeaning(job.code) }));
  return { counts, failed, failedTotal: listed.total, nowMs: nowMs() };
};
