import type { Queue } from 'bullmq';
import type { Logger } from 'pino';
import { QUEUES } from '../../../shared/queue/contracts.ts';

const SCHEDULE = 'sweep';

export type Beside = {
  readonly log: Logger;
  /** Done at every interval in every guard, whichever of them sweeps. */
  readonly beside: () => Promise<void>;
};

/**
 * All guards share one schedule; the library stores one schedule per id. It lives in Redis, so it is put back when a wiped Redis
 * has lost it: without the sweep nothing would find what was lost with it. Returns what ends the looking.
 */
export const scheduleSweep = async (
  queue: Queue,
  intervalSeconds: number,
  { log, beside }: Beside,
): Promise<() => void> => {
  const every = intervalSeconds * 1000;
  await putSchedule(queue, every);
  const timer = setInterval(() => {
    restoreSchedule(queue, every).catch((err: unknown) => log.warn({ err }, 'the sweep could not be scheduled'));
    beside().catch((err: unknown) => log.warn({ err }, 'the webhook health metric could not be updated'));
  }, every);
  return () => clearInterval(timer);
};

const restoreSchedule = async (queue: Queue, every: number): Promise<void> => {
  if ((await queue.getJobScheduler(SCHEDULE)) === undefined) await putSchedule(queue, every);
};

const putSchedule = async (queue: Queue, every: number): Promise<void> => {
  const opts = { attempts: 1, removeOnComplete: { count: 10 }, removeOnFail: { count: 10 } };
  await queue.upsertJobScheduler(SCHEDULE, { every }, { name: QUEUES.guard.name, data: { v: 1, kind: 'sweep' }, opts });
};
