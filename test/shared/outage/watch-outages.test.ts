import { expect, it } from 'vitest';
import type { Redis } from 'ioredis';
import { overviewText } from '../../../services/cli/status-text.ts';
import { askReady } from '../../../shared/runtime/health.ts';
import { createMetrics } from '../../../shared/metrics.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { createOutageStore, listOutages, outageText } from '../../../shared/outage/outages.ts';
import { watchOutages } from '../../../shared/outage/watch-outages.ts';
import { useRedis } from '../../support/use-redis.ts';
import { createMistakeStore, listMistakes, mistakeText } from '../../../shared/outage/mistakes.ts';

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});

it('F-F10: names what is away in readyz, in status and as a number', async () => {
  const keys = createKeys('test');
  const metrics = createMetrics({ service: 'test', processMetrics: false });
  const nowMs = (): number => Date.now();
  const requestStore = createOutageStore(redis, keys, {
    patienceMs: 9_000,
    baseMs: 1,
    capMs: 9,
    nowMs,
    random: () => 0,
  });
  const watch = watchOutages({ redis, prefix: 'test', metrics, nowMs }, 20);
  try {
    await requestStore.meet('guard.one', { what: 'forge', code: 'FORGE_UNAVAILABLE', retryAfterMs: null });
    await expect.poll(() => watch.texts().join(), { timeout: 5_000 }).toContain('the forge cannot be used since');
    const { status, body } = await askReady(async () => [], watch.texts());
    expect([status, body]).toEqual([200, expect.stringContaining('FORGE_UNAVAILABLE')]);
    const outages = (await listOutages(redis, keys, nowMs())).map(outageText);
    expect(overviewText({ known: 0, work: [], slots: [], outages, misconfigurations: [], pauses: [] })).toMatch(
      /^outage: the forge cannot be used/,
    );
    expect(await metrics.registry.metrics()).toMatch(/fixpoint_outage\{what="forge",service="test"\} 1/);
    await requestStore.passed('guard.one');
    await expect.poll(() => watch.texts(), { timeout: 5_000 }).toEqual([]);
  } finally {
    watch.stop();
  }
});

it('names what is misconfigured in readyz, which stays ready, and in status, until its worker begins anew', async () => {
  const keys = createKeys('test');
  const metrics = createMetrics({ service: 'test', processMetrics: false });
  let now = Date.parse('2026-03-01T10:00:00Z');
  const nowMs = (): number => now;
  const board = createMistakeStore(redis, keys, { queue: 'post', nowMs });
  await board.meet({ what: 'forge', code: 'FORGE_UNAUTHORISED' });
  now += 60_000;
  await board.meet({ what: 'forge', code: 'FORGE_UNAUTHORISED' });
  await createMistakeStore(redis, keys, { queue: 'review', nowMs }).begin();
  const misconfigurations = (await listMistakes(redis, keys, now)).map(mistakeText);
  expect(misconfigurations).toEqual([
    'misconfiguration: the forge refuses requests since 2026-03-01T10:00:00.000Z, last at ' +
      '2026-03-01T10:01:00.000Z (FORGE_UNAUTHORISED, in a job of post); work waits for a restart or a request',
  ]);
  const overview = { known: 0, work: [], slots: [], outages: [], misconfigurations, pauses: [] };
  expect(overviewText(overview).split('\n')[0]).toBe(misconfigurations[0]);
  const watch = watchOutages({ redis, prefix: 'test', metrics, nowMs }, 20);
  try {
    await expect.poll(() => watch.texts(), { timeout: 5_000 }).toEqual(misconfigurations);
    const { status, body } = await askReady(async () => [], watch.texts());
    expect([status, JSON.parse(body)]).toEqual([200, { ready: true, problems: [], notices: misconfigurations }]);
    expect(await listMistakes(redis, keys, now + 24 * 3_600_000)).toEqual([]);
    await board.begin();
    await expect.poll(() => watch.texts(), { timeout: 5_000 }).toEqual([]);
  } finally {
    watch.stop();
  }
});
