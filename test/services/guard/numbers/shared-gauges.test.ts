import type { Redis } from 'ioredis';
import { afterEach, expect, it } from 'vitest';
import { type SharedGauges, serveSharedGauges } from '../../../../services/guard/numbers/shared-gauges.ts';
import { createMetrics, type Metrics } from '../../../../shared/metrics.ts';
import { createQueues } from '../../../../shared/queue/enqueue.ts';
import { createBudgetLedger } from '../../../../shared/store/budget-ledger.ts';
import { createKeys } from '../../../../shared/store/keys.ts';
import { createOpenHandoffs } from '../../../../shared/store/learning/open-handoffs.ts';
import { RunId } from '../../../../shared/vocabulary/ids.ts';
import { BUDGET_LIMITS } from '../../../support/budget-limits.ts';
import { countOf, parseMetrics } from '../../../support/read-metrics.ts';
import { useRedis } from '../../../support/use-redis.ts';

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});

const keys = createKeys('test');
const OF = { forge: 'sim', projectId: 1, number: 2 };
const LIMITS = { ...BUDGET_LIMITS, day: { tokens: 1_000, microUsd: 10_000 } };
const NOW = Date.parse('2026-03-01T10:00:00Z');
const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

const serve = (nonce: string): { readonly metrics: Metrics; readonly stop: () => void } => {
  const metrics = createMetrics({ service: 'guard', processMetrics: false });
  const queues = createQueues(redis, keys.queues);
  const shared: SharedGauges = {
    redis,
    keys,
    queues,
    ledger: createBudgetLedger(redis, { prefix: 'test', limits: LIMITS }),
    handoffs: createOpenHandoffs(redis, keys),
    forges: ['sim'],
    redisMode: 'external',
    metrics,
    nowMs: () => NOW,
    nonce,
  };
  const { stop } = serveSharedGauges(shared, 15);
  closers.push(stop);
  return { metrics, stop };
};

const read = async ({ registry }: Metrics, name: string) => countOf(parseMetrics(await registry.metrics()), name);
const serves = async (metrics: Metrics): Promise<boolean> =>
  Object.keys(await read(metrics, 'fixpoint_redis_info')).length > 0;
const untilServes = async (metrics: Metrics): Promise<void> =>
  expect.poll(async () => serves(metrics), { timeout: 10_000 }).toBe(true);

it('is served by one guard at a time, and by another one once that guard has ended', async () => {
  const first = serve('one');
  await untilServes(first.metrics);
  const second = serve('two');
  await new Promise((elapsed) => setTimeout(elapsed, 100));
  expect([await serves(first.metrics), await serves(second.metrics)]).toEqual([true, false]);
  first.stop();
  await untilServes(second.metrics);
  await expect.poll(async () => serves(first.metrics)).toBe(false);
});

it("shows jobs and their ages, the day's budget, open hand-offs and the kind of Redis", async () => {
  const handoffs = createOpenHandoffs(redis, keys);
  await handoffs.note(OF, true, NOW - 7_000);
  await handoffs.note(OF, true, NOW);
  await handoffs.note({ ...OF, number: 3 }, true, NOW);
  await handoffs.note({ ...OF, number: 3 }, false, NOW);
  await handoffs.note({ ...OF, number: 4 }, true, NOW - 31 * 24 * 3_600_000);
  const ledger = createBudgetLedger(redis, {
    prefix: 'test',
    limits: LIMITS,
  });
  const account = { runId: RunId.parse('a'.repeat(20)), changeRequest: OF, day: '2026-03-01' };
  const purpose = { role: 'reviewer', model: 'm' } as const;
  await ledger.reserve({ callId: 'one', account, purpose, worst: { tokens: 250, microUsd: 1_000 } });
  const queues = createQueues(redis, keys.queues);
  await queues.enqueue('guard', { v: 1, kind: 'sweep' }, { jobId: 'one' });
  const job = await queues.queue('guard').getJob('one');
  await redis.hset(queues.queue('guard').toKey('one'), 'timestamp', NOW - 5_000);
  const { metrics } = serve('one');
  await untilServes(metrics);
  expect(job?.id).toBe('one');
  expect(await read(metrics, 'fixpoint_queue_jobs')).toEqual({ 'queue=guard state=waiting': 1 });
  expect(await read(metrics, 'fixpoint_queue_oldest_job_age_seconds')).toEqual({ 'queue=guard state=waiting': 5 });
  expect(await read(metrics, 'fixpoint_budget_used_ratio')).toEqual({
    'budget=tokens scope=day': 0.25,
    'budget=money scope=day': 0.1,
  });
  expect(await read(metrics, 'fixpoint_handoffs_open')).toEqual({ 'forge=sim': 1 });
  expect(await read(metrics, 'fixpoint_handoff_oldest_age_seconds')).toEqual({ 'forge=sim': 7 });
  expect(await read(metrics, 'fixpoint_redis_info')).toEqual({ 'mode=external': 1 });
});
