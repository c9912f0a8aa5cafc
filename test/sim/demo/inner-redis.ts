/** A Redis inside this process that also other processes reach: it listens on loopback. Its data ends with the process. */
import { createRedisMock } from 'js-redis-server';

export type InnerRedis = { readonly url: string; readonly stop: () => Promise<void> };

export const startInnerRedis = async (): Promise<InnerRedis> => {
  const server = await createRedisMock();
  return { url: server.url, stop: async () => server.close() };
};
