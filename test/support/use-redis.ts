import { setImmediate } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach } from 'vitest';
import { connectRedis } from '../../shared/store/redis.ts';
import { startRedis, type TestRedis } from './redis.ts';

/** Starts a Redis for a test file and empties it before each test. `take` gets a connection before the first test. */
export const useRedis = (take: (connection: Redis, url: string) => void): void => {
  let server: TestRedis;
  let connection: Redis;
  beforeAll(async () => {
    server = await startRedis();
    connection = connectRedis(server.url, 'worker');
    take(connection, server.url);
  });
  beforeEach(async () => {
    // What the test before has left to the end of its turn.
    await setImmediate();
    await connection.flushall();
  });
  afterAll(async () => {
    connection?.disconnect();
    await server?.stop();
  });
};
