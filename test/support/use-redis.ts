import type { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { connectRedis } from '../../shared/store/redis.ts';
import { startRedis, type TestRedis } from './redis.ts';

/** A Redis for the tests of a file, empty before each of them. `take` gets a connection to it before the first one runs. */
export const useRedis = (take: (connection: Redis, url: string) => void): void => {
  let server: TestRedis;
  let connection: Redis;
  beforeAll(async () => {
    server = await startRedis();
    connection = connectRedis(server.url, 'worker');
    take(connection, server.url);
  });
  beforeEach(async () => {
    await connection.flushall();
  });
  afterAll(async () => {
    connection?.disconnect();
    await server?.stop();
  });
};
