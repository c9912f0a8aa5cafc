/**
 * Row Q15 at a rate that any machine keeps up with. `npm run bench -- storm` offers as much as the row names, and measures
 * latencies, which depend on what else a machine does.
 */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { memoryOf, PROJECT, type Server, startServer } from '../bench/ingress.ts';
import { offerLoad } from '../bench/offer-load.ts';
import { countJobs, makeStormSettings } from '../bench/storm.ts';
import { makeStormEvent } from '../bench/storm-deliveries.ts';
import { startRedis, type TestRedis } from '../support/redis.ts';

const DISTINCT = 200;
const TIMES = 5;
const PER_SECOND = 250;
const MAX_GROWTH_BYTES = 50 * 1024 * 1024;

let redis: TestRedis;
let server: Server | null = null;
beforeAll(async () => {
  redis = await startRedis();
}, 60_000);
afterAll(async () => {
  server?.child.kill();
  await redis?.stop();
});

test('Q15: a thousand deliveries of two hundred events are all accepted, and each event is one job', async () => {
  const { settings, secrets } = makeStormSettings(redis.url);
  server = await startServer('ingress', 'fixpoint', settings);
  const before = await memoryOf(server.child);
  const events = Array.from({ length: DISTINCT }, (_, index) => makeStormEvent(index + 1, PROJECT, secrets));
  const { statuses } = await offerLoad({
    port: server.port,
    perSecond: PER_SECOND,
    count: DISTINCT * TIMES,
    make: (index) => {
      const event = events[index % DISTINCT];
      if (event === undefined) throw new Error(`no event ${index}`);
      return event.deliver();
    },
  });
  expect([...statuses.keys()].filter((status) => !status.startsWith('2'))).toEqual([]);
  expect([...statuses.values()].reduce((sum, count) => sum + count, 0)).toBe(DISTINCT * TIMES);
  expect(await countJobs(redis.url)).toEqual({ events: DISTINCT, wakes: DISTINCT });
  expect((await memoryOf(server.child)) - before).toBeLessThan(MAX_GROWTH_BYTES);
}, 120_000);
