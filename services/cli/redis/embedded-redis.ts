import type { Redis } from 'ioredis';
import { createIoredisMock } from 'js-redis-server';

/** A Redis inside this process, without a port. Its data is lost when the process ends. */
export type EmbeddedRedis = {
  readonly connect: () => Redis;
  readonly close: () => Promise<void>;
};

export const startEmbeddedRedis = async (): Promise<EmbeddedRedis> => {
  // Safe cast: without the `cluster` option the library returns a plain client.
  const first = (await createIoredisMock()) as Redis;
  // The queue library requires null here for blocking connections.
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
      // QUIT is not used, because it would wait for commands that still block.
      for (const each of [...others, first]) each.disconnect();
    },
  };
};
