/** How much work each queue holds, and since when. */
import type { Job, JobType } from 'bullmq';
import type { QueueName } from './contracts.ts';
import type { Queues } from './enqueue.ts';
import { QUEUE_NAMES } from './failed-jobs.ts';

export const JOB_STATES = ['waiting', 'active', 'waiting_children', 'delayed', 'failed'] as const;
export type JobState = (typeof JOB_STATES)[number];

export type StateCount = {
  readonly count: number;
  /** Epoch ms of the oldest job: since when it waits, runs or has failed. Null if there is none. */
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

const sinceOf = (state: JobState, job: Job): number => {
  if (state === 'failed') return job.finishedOn ?? job.timestamp;
  if (state === 'active' || state === 'waiting_children') return job.processedOn ?? job.timestamp;
  return state === 'waiting' ? job.timestamp + (job.opts.delay ?? 0) : job.timestamp;
};

/** `sinceMs` of a waiting job is when it was first due, and of a delayed job when it was added. */
export const countQueues = async (queues: Pick<Queues, 'queue'>): Promise<readonly QueueCount[]> =>
  Promise.all(QUEUE_NAMES.map(async (queue) => ({ queue, states: await countStates(queues, queue) })));

const countStates = async (queues: Pick<Queues, 'queue'>, name: QueueName): Promise<QueueCount['states']> => {
  const of = queues.queue(name);
  const count = async (state: JobState): Promise<StateCount> => {
    const types = [...TYPES[state]];
    const counted = await of.getJobCountByTypes(...types);
    if (counted === 0) return { count: 0, sinceMs: null };
    // A job may have moved on since it was counted.
    const jobs: readonly Job[] = await of.getJobs(types, 0, LOOK_AT - 1, true);
    const since = jobs.map((job) => sinceOf(state, job));
    return { count: counted, sinceMs: since.length === 0 ? null : Math.min(...since) };
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
