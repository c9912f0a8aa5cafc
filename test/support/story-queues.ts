import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { QUEUES, type QueueName } from '../../shared/queue/contracts.ts';
import { createQueues } from '../../shared/queue/enqueue.ts';
import { createKeys } from '../../shared/store/keys.ts';

export type StoryQueues = {
  /** True when no job is waiting, active, or delayed by a few seconds (a taken lock, a retry). */
  readonly idle: () => Promise<boolean>;
  readonly addSweep: () => Promise<void>;
  readonly close: () => Promise<void>;
};

/** A longer delay is a deadline or the next sweep. */
const SOON_MS = 15_000;
/** The queue library multiplies due times by this, to order jobs with equal times. */
const SCORE_PER_MS = 0x1000;

// Safe cast: the names are the keys of the object.
const NAMES = Object.keys(QUEUES) as QueueName[];

export const openStoryQueues = (redis: Redis, prefix: string): StoryQueues => {
  const keys = createKeys(prefix);
  const queues = createQueues(redis, keys.queues);
  const busy = async (name: QueueName): Promise<number> => {
    const working = await queues.queue(name).getJobCountByTypes('active', 'wait', 'prioritized', 'waiting-children');
    const soon = (Date.now() + SOON_MS) * SCORE_PER_MS;
    return working + (await redis.zcount(`${keys.queues}:${QUEUES[name].name}:delayed`, 0, soon));
  };
  return {
    idle: async () => (await Promise.all(NAMES.map(busy))).every((count) => count === 0),
    addSweep: async () => {
      await queues.enqueue('guard', { v: 1, kind: 'sweep' }, { jobId: `sweep-${randomBytes(6).toString('hex')}` });
    },
    close: queues.close,
  };
};
