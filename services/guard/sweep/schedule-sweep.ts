import type { Queue } from 'bullmq';
import type { Logger } from 'pino';
import { QUEUES } from '../../../shared/queue/contracts.ts';

const SCHEDULE = 'sweep';

export type Beside = {
  readonly log: Logger;
  /** Work that every guard runs at every interval, in addition to the schedule. */
  readonly beside: () => Promise<void>;
};

/**
 * All guards share one schedule. It is stored in Redis, so a timer restores it if Redis was wiped. Other lost data is
 * found only by the sweep. Returns a function that stops the timer.
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
