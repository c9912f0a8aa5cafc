import { expect, test } from 'vitest';
import { connectRedis } from '../../shared/store/redis.ts';
import { startFleet } from './fleet.ts';

const START_MS = 240_000;

test(
  'a fleet fails when it is taken down and a secret stands in Redis in another shape, and leaves nothing running',
  async () => {
    const fleet = await startFleet({ count: { guard: 0, reviewer: 0, explorer: 0, ingress: 0 } });
    const redis = connectRedis(fleet.redis.url, 'worker');
    const secret = Buffer.from(`x:${fleet.settings.webhookSecret}`).toString('base64');
    await redis.hset('anywhere', 'field', secret);
    redis.disconnect();
    await expect(fleet.close()).rejects.toThrow(/^secret 4 of 5 in base64 in Redis anywhere$/m);
    const [poster] = fleet.processes;
    expect(await poster?.exited).toEqual({ code: null, signal: 'SIGKILL' });
    await expect(fetch(fleet.sim.url)).rejects.toThrow('fetch failed');
  },
  START_MS,
);
