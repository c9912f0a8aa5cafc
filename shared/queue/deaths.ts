/**
 * How many processes died while they executed a job. The library counts each lock that expired. A lock also expires when a
 * process stands still or loses Redis, and such a process lives: it takes its count back when its execution has ended.
 */
import type { Job } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { createScript } from '../store/server/script.ts';
import { type PayloadOf, QUEUES, type QueueName } from './contracts.ts';
import { WorkerDiedError } from './job-errors.ts';

/** The reason with which an execution is aborted whose lock expired. */
export const LOCK_LOST = 'the lock of the job was lost';

/** Fields of the hash in which the library keeps a job: its own, and ours beside it, which goes with the job. */
const EXPIRED = 'stc';
const SURVIVED = 'survived';

type On = { readonly name: QueueName; readonly prefix: string; readonly connection: Redis };

const keyOf = ({ prefix, name }: On, { id = '' }: Pick<Job, 'id'>): string => `${prefix}:${QUEUES[name].name}:${id}`;

/** Asks Redis only if it matters. @throws WorkerDiedError if as many processes died as the queue allows. */
const countDeaths = async (on: On, job: Pick<Job, 'id' | 'stalledCounter'>): Promise<number> => {
  const { maxDeaths, aloneAfterDeath } = QUEUES[on.name];
  if (job.stalledCounter < (aloneAfterDeath === true ? 1 : maxDeaths)) return 0;
  const deaths = job.stalledCounter - Number(await on.connection.hget(keyOf(on, job), SURVIVED));
  if (deaths >= maxDeaths) throw new WorkerDiedError(deaths);
  return deaths;
};

/** Runs the work while no other suspect of the queue is at work: one during which a process died. Null if another one is. */
export type Alone = <Result>(
  signal: AbortSignal,
  work: (signal: AbortSignal) => Promise<Result>,
) => Promise<{ readonly result: Result } | null>;

type Watching<Name extends QueueName> = On & { readonly name: Name; readonly alone?: Alone };
type Watched<Name extends QueueName> = {
  readonly job: Pick<Job, 'id' | 'stalledCounter'>;
  readonly payload: PayloadOf<Name>;
};

/**
 * Returns how to execute the job; that returns null if another suspect is being executed.
 * @throws WorkerDiedError if as many processes died as the queue allows.
 */
export const watchDeaths = async <Name extends QueueName, Result>(
  on: Watching<Name>,
  { job, payload }: Watched<Name>,
  handle: (signal: AbortSignal) => Promise<Result>,
): Promise<(signal: AbortSignal) => Promise<Result | null>> => {
  const { alone } = on;
  // The cast is safe because the contract belongs to `name`, which the union of contracts cannot express.
  const countsDeaths = QUEUES[on.name].countsDeaths as ((payload: PayloadOf<Name>) => boolean) | undefined;
  const { aloneAfterDeath } = QUEUES[on.name];
  if (countsDeaths?.(payload) === false) return handle;
  const deaths = await countDeaths(on, job);
  if (deaths === 0 || aloneAfterDeath !== true || alone === undefined) return handle;
  return async (signal) => (await alone(signal, handle))?.result ?? null;
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
