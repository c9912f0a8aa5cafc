import { setTimeout as pause } from 'node:timers/promises';
import { createQueues } from '../../shared/queue/enqueue.ts';
import { QUEUES, type QueueName } from '../../shared/queue/contracts.ts';
import { createKeys } from '../../shared/store/keys.ts';
import { connectRedis } from '../../shared/store/redis.ts';
import type { Fleet } from './fleet.ts';

export type FleetQueues = {
  /** Resolves once no job is waiting or active; delayed jobs do not count. */
  idle(timeoutMs?: number): Promise<void>;
  /** Resolves once `count` jobs of a queue are active. */
  active(name: QueueName, count: number, timeoutMs?: number): Promise<void>;
  /** Resolves once `count` jobs of a queue are waiting or active. */
  jobs(name: QueueName, count: number, timeoutMs?: number): Promise<void>;
  flush(): Promise<void>;
  close(): Promise<void>;
};

/** Polling interval: changes between two polls do not matter to any test. */
const LOOK_MS = 20;
const LIMIT_MS = 60_000;

// Safe cast: the names are the keys of the object.
const NAMES = Object.keys(QUEUES) as QueueName[];

export const openQueues = (fleet: Pick<Fleet, 'redis'>): FleetQueues => {
  const redis = connectRedis(fleet.redis.url, 'worker');
  const queues = createQueues(redis, createKeys('fixpoint').queues);
  const count = async (name: QueueName, ...states: ('active' | 'wait' | 'prioritized')[]): Promise<number> =>
    queues.queue(name).getJobCountByTypes(...states);
  return {
    idle: async (timeoutMs = LIMIT_MS) =>
      until(async () => {
        const counts = await Promise.all(NAMES.map(async (name) => count(name, 'active', 'wait', 'prioritized')));
        return counts.every((each) => each === 0);
      }, timeoutMs),
    active: async (name, wanted, timeoutMs = LIMIT_MS) =>
      until(async () => (await count(name, 'active')) >= wanted, timeoutMs),
    jobs: async (name, wanted, timeoutMs = LIMIT_MS) =>
      until(async () => (await count(name, 'active', 'wait', 'prioritized')) >= wanted, timeoutMs),
    flush: async () => void (await redis.flushall()),
    close: async () => {
      await queues.close();
      redis.disconnect();
    },
  };
};

export const until = async (holds: () => boolean | Promise<boolean>, timeoutMs = LIMIT_MS): Promise<void> => {
  const deadline = performance.now() + timeoutMs;
  while (!(await holds())) {
    if (performance.now() >= deadline) throw new Error(`the condition did not hold within ${timeoutMs} ms`);
    await pause(LOOK_MS);
  }
};
