/**
 * How many processes died while they executed a job. The library counts each lock that expired. A lock also expires when a
 * process stands still or loses Redis, and such a process lives: it takes its count back when its execution has ended.
 */
import type { Job } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { createScript } from '../store/server/script.ts';
import { QUEUES, type QueueName } from './contracts.ts';
import { WorkerDiedError } from './job-errors.ts';

/** The reason with which an execution is aborted whose lock expired. */
export const LOCK_LOST = 'the lock of the job was lost';

/** Fields of the hash in which the library keeps a job: its own, and ours beside it, which goes with the job. */
const EXPIRED = 'stc';
const SURVIVED = 'survived';

type On = { readonly name: QueueName; readonly prefix: string; readonly connection: Redis };

const keyOf = ({ prefix, name }: On, { id = '' }: Pick<Job, 'id'>): string => `${prefix}:${QUEUES[name].name}:${id}`;

/** Asks Redis only if as many locks expired. @throws WorkerDiedError if as many processes died as the queue allows. */
export const refuseDeadly = async (on: On, job: Pick<Job, 'id' | 'stalledCounter'>): Promise<void> => {
  const { maxDeaths } = QUEUES[on.name];
  if (maxDeaths === undefined || job.stalledCounter < maxDeaths) return;
  const deaths = job.stalledCounter - Number(await on.connection.hget(keyOf(on, job), SURVIVED));
  if (deaths >= maxDeaths) throw new WorkerDiedError(deaths);
};

type Executing = { readonly job: Pick<Job, 'id'>; readonly signal: AbortSignal | undefined };

/** Waits for the execution. If its lock was lost, counts it as one whose process lives. */
export const countSurvival = async (
  on: On & { readonly log: Logger },
  { job, signal }: Executing,
  execution: Promise<void>,
): Promise<void> => {
  try {
    await execution;
  } finally {
    if (signal?.reason === LOCK_LOST)
      await noteSurvival(on.connection, keyOf(on, job)).catch((cause: unknown) => {
        on.log.warn({ err: cause, jobId: job.id }, 'could not record that an execution outlived its lock');
      });
  }
};

/** Does not bring back a job that is gone: its id would then count as taken. */
const survive = createScript(`
if redis.call('EXISTS', KEYS[1]) == 1 then redis.call('HINCRBY', KEYS[1], ARGV[1], 1) end
return 0`);

export const noteSurvival = async (redis: Redis, jobKey: string): Promise<void> =>
  void (await survive(redis, [jobKey], [SURVIVED]));

export const forgetDeaths = async (redis: Redis, jobKey: string): Promise<void> =>
  void (await redis.hdel(jobKey, EXPIRED, SURVIVED));
