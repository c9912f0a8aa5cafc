import type { Redis } from 'ioredis';
import { createIoredisMock } from 'js-redis-server';

/**
 * A Redis inside this process, without a port: for the demo and for unit tests. Nothing is kept when the process ends,
 * and no other process can reach it.
 */
export type EmbeddedRedis = {
  /** Every connection sees the same data. */
  readonly connect: () => Redis;
  readonly close: () => Promise<void>;
};

export const startEmbeddedRedis = async (): Promise<EmbeddedRedis> => {
  // Without the `cluster` option the library returns a plain client.
  const first = (await createIoredisMock()) as Redis;
  // What the queue library demands of connections that block.
  first.options.maxRetriesPerRequest = null;
  const others: Redis[] = [];
  return {
    connect: () => {
      const other = first.duplicate({ maxRetriesPerRequest: null });
      other.on('error', () => {});
      others.push(other);
      return other;
    },
    close: async () => {
      for (const other of others) other.disconnect();
      await first.quit();
    },
  };
};
