/** How much work each queue holds, and since when. */
import type { Job, JobType, Queue } from 'bullmq';
import type { QueueName } from './contracts.ts';
import type { Queues } from './enqueue.ts';
import { QUEUE_NAMES } from './failed-jobs.ts';

export const JOB_STATES = ['waiting', 'active', 'waiting_children', 'delayed', 'failed'] as const;
export type JobState = (typeof JOB_STATES)[number];

export type StateCount = {
  readonly count: number;
  /** Epoch ms of the oldest job: since when it waits, runs or has failed. Null if there is none, or none is known. */
  readonly sinceMs: number | null;
};

export type QueueCount = { readonly queue: QueueName; readonly states: Readonly<Record<JobState, StateCount>> };

/** The library's names for the states. */
const TYPES: Readonly<Record<JobState, readonly JobType[]>> = {
  waiting: ['wait', 'prioritized'],
  active: ['active'],
  waiting_children: ['waiting-children'],
  delayed: ['delayed'],
  failed: ['failed'],
};

/** Jobs are looked at in the order in which the library will take them, so the oldest is among the first. */
const LOOK_AT = 50;

/** How many jobs that have run before are passed over, at most, to find one that waits for its first run. */
const MAX_PASSED_OVER = 500;

/** Null for a job that waits again after it has run: the library does not record when it came back. */
const sinceOf = (state: JobState, job: Job): number | null => {
  if (state === 'failed') return job.finishedOn ?? job.timestamp;
  if (state === 'active' || state === 'waiting_children') return job.processedOn ?? job.timestamp;
  if (state === 'delayed') return job.timestamp;
  return job.processedOn === undefined ? job.timestamp + (job.opts.delay ?? 0) : null;
};

/**
 * `sinceMs` of a waiting job is when it was first due, and of a delayed job when it was added. If only jobs that have run
 * before are among the first 500 that wait, `sinceMs` is null.
 */
export const countQueues = async (queues: Pick<Queues, 'queue'>): Promise<readonly QueueCount[]> =>
  Promise.all(QUEUE_NAMES.map(async (queue) => ({ queue, states: await countStates(queues, queue) })));

/** A job may have moved on since it was counted. */
const oldestSince = async (of: Queue, state: JobState): Promise<number | null> => {
  for (let start = 0; start < MAX_PASSED_OVER; start += LOOK_AT) {
    const jobs: readonly Job[] = await of.getJobs([...TYPES[state]], start, start + LOOK_AT - 1, true);
    const since = jobs.flatMap((job) => sinceOf(state, job) ?? []);
    if (since.length > 0) return Math.min(...since);
    if (jobs.length === 0) return null;
  }
  return null;
};

const countStates = async (queues: Pick<Queues, 'queue'>, name: QueueName): Promise<QueueCount['states']> => {
  const of = queues.queue(name);
  const count = async (state: JobState): Promise<StateCount> => {
    const counted = await of.getJobCountByTypes(...TYPES[state]);
    return { count: counted, sinceMs: counted === 0 ? null : await oldestSince(of, state) };
  };
  const [waiting, active, children, delayed, failed] = await Promise.all([
    count('waiting'),
    count('active'),
    count('waiting_children'),
    count('delayed'),
    count('failed'),
  ]);
  return { waiting, active, waiting_children: children, delayed, failed };
};
