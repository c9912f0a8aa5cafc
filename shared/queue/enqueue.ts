import { type JobsOptions, Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import { carrier } from '../tracing/tracing.ts';
import { MAX_FAILED_JOBS, type PayloadOf, QUEUES, type QueueName } from './contracts.ts';

/** Priority of work that may be late; other work is done first. */
export const OVERTAKEN = 2;

export type EnqueueOptions = {
  /** Deterministic: while a job is kept, a new job with its id is ignored. Must not contain a colon or be a whole number. */
  readonly jobId: string;
  readonly delayMs?: number;
  /** A lower number is sooner. A job without a priority goes first. */
  readonly priority?: number;
  /** The job that waits for the added job. The parent continues even if the added job fails. */
  readonly parent?: { readonly id: string; readonly queue: string };
};

/** Contract: rejects when the job could not be stored. A job with the id of an existing job is ignored. */
export type Enqueue = <Name extends QueueName>(
  name: Name,
  payload: PayloadOf<Name>,
  options: EnqueueOptions,
) => Promise<void>;

export type Queues = {
  readonly enqueue: Enqueue;
  readonly queue: (name: QueueName) => Queue;
  readonly close: () => Promise<void>;
};

export type QueueSettings = { readonly attempts?: number; readonly backoffMs?: number };

/** `connection` determines what adding a job does while Redis is unreachable. See the roles in `store/redis.ts`. */
export const createQueues = (connection: Redis, prefix: string, settings: QueueSettings = {}): Queues => {
  const opened = new Map<QueueName, Queue>();
  const queue = (name: QueueName): Queue => {
    const known = opened.get(name);
    if (known !== undefined) return known;
    const created = new Queue(QUEUES[name].name, { connection, prefix, skipWaitingForReady: true });
    // Without a listener, a lost connection would end the process. The error is not lost, because the command that
    // needed the connection rejects.
    created.on('error', () => {});
    opened.set(name, created);
    return created;
  };
  return {
    queue,
    enqueue: async (name, payload, options) => {
      await queue(name).add(name, QUEUES[name].payload.parse(payload), jobOptions(name, options, settings));
    },
    close: async () => {
      await Promise.all([...opened.values()].map(async (each) => each.close()));
    },
  };
};

const jobOptions = (name: QueueName, options: EnqueueOptions, settings: QueueSettings): JobsOptions => {
  const contract = QUEUES[name];
  const trace = carrier();
  return {
    jobId: options.jobId,
    attempts: settings.attempts ?? contract.attempts,
    backoff: { type: 'exponential', delay: settings.backoffMs ?? contract.backoffMs, jitter: 0.5 },
    removeOnComplete: { age: contract.keepCompletedS },
    removeOnFail: { age: contract.keepFailedS, count: MAX_FAILED_JOBS },
    delay: options.delayMs ?? 0,
    priority: options.priority ?? 0,
    // Not part of the payload, which is the same with and without traces.
    ...(trace === null ? {} : { telemetry: { metadata: trace } }),
    ...(options.parent === undefined ? {} : { parent: options.parent, ignoreDependencyOnFailure: true }),
  };
};
