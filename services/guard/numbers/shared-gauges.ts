/**
 * Metrics that are read from Redis and are the same for the whole installation. One guard at a time serves them, so that
 * a sum over processes is right; when it ends, another one takes over.
 */
import type { Redis } from 'ioredis';
import type { BudgetLedger } from '../../../shared/agent/model/budget.ts';
import type { Metrics } from '../../../shared/metrics.ts';
import type { Queues } from '../../../shared/queue/enqueue.ts';
import { countQueues, JOB_STATES } from '../../../shared/queue/queue-counts.ts';
import type { Keys } from '../../../shared/store/keys.ts';
import { acquireLease, type Lease, LeaseLostError, releaseLease, renewLease } from '../../../shared/store/lease.ts';
import type { OpenHandoffs } from '../../../shared/store/learning/open-handoffs.ts';
import { RunId } from '../../../shared/vocabulary/ids.ts';

type Gauges = Pick<
  Metrics,
  'queueJobs' | 'queueOldestSeconds' | 'budgetUsed' | 'handoffsOpen' | 'handoffOldestSeconds' | 'redisInfo'
>;

export type SharedGauges = {
  readonly redis: Redis;
  readonly keys: Keys;
  readonly queues: Pick<Queues, 'queue'>;
  readonly ledger: Pick<BudgetLedger, 'limits' | 'spent'>;
  readonly handoffs: Pick<OpenHandoffs, 'look'>;
  readonly forges: readonly string[];
  readonly redisMode: 'embedded' | 'external';
  readonly metrics: Gauges;
  readonly nowMs: () => number;
  /** Unique per process. */
  readonly nonce: string;
};

const EVERY_MS = 5_000;
/** After this time without a renewal, another guard takes over. */
const TTL_MS = 20_000;

/** Keeps trying to be the guard that serves them. `stop` lets another one take over at once. */
export const serveSharedGauges = (shared: SharedGauges, everyMs = EVERY_MS): { readonly stop: () => void } => {
  let lease: Lease | null = null;
  let isLooking = false;
  let isStopped = false;
  const look = async (): Promise<void> => {
    lease = await keepLease(shared, lease);
    if (lease !== null && !isStopped) await measure(shared);
    // It may have lost the lease or been stopped in the meantime.
    if (lease === null || isStopped) clear(shared.metrics);
  };
  const timer = setInterval(() => {
    // While Redis is unreachable, commands wait in a queue. Only one look runs at a time, so that they do not pile up.
    if (isLooking) return;
    isLooking = true;
    look()
      // Without Redis nothing is known, and the readiness check reports the problem.
      .catch(() => clear(shared.metrics))
      .finally(() => {
        isLooking = false;
      });
  }, everyMs);
  timer.unref();
  return {
    stop: () => {
      isStopped = true;
      clearInterval(timer);
      clear(shared.metrics);
      // If this fails, the lease expires.
      if (lease !== null) releaseLease(shared.redis, lease).catch(() => undefined);
    },
  };
};

const keepLease = async ({ redis, keys, nonce }: SharedGauges, lease: Lease | null): Promise<Lease | null> => {
  const request = { key: keys.numbers('lock'), fenceKey: keys.numbers('fence'), ttlMs: TTL_MS, nonce };
  if (lease === null) return acquireLease(redis, request);
  try {
    await renewLease(redis, lease, TTL_MS);
    return lease;
  } catch (error) {
    if (error instanceof LeaseLostError) return acquireLease(redis, request);
    throw error;
  }
};

const clear = (gauges: Gauges): void => {
  const { queueJobs, queueOldestSeconds, budgetUsed, handoffsOpen, handoffOldestSeconds, redisInfo } = gauges;
  for (const gauge of [queueJobs, queueOldestSeconds, budgetUsed, handoffsOpen, handoffOldestSeconds, redisInfo])
    gauge.reset();
};

const ageSeconds = (sinceMs: number | null, nowMs: number): number =>
  sinceMs === null ? 0 : Math.max(0, nowMs - sinceMs) / 1000;

const measure = async (shared: SharedGauges): Promise<void> => {
  const { metrics, redisMode, nowMs } = shared;
  for (const { queue, states } of await countQueues(shared.queues)) {
    for (const state of JOB_STATES) {
      const { count, sinceMs } = states[state];
      metrics.queueJobs.set({ queue, state }, count);
      metrics.queueOldestSeconds.set({ queue, state }, ageSeconds(sinceMs, nowMs()));
    }
  }
  await measureBudget(shared);
  await measureHandoffs(shared);
  metrics.redisInfo.set({ mode: redisMode }, 1);
};

const measureHandoffs = async ({ forges, handoffs, metrics, nowMs }: SharedGauges): Promise<void> => {
  for (const forge of forges) {
    const { count, sinceMs } = await handoffs.look(forge, nowMs());
    metrics.handoffsOpen.set({ forge }, count);
    metrics.handoffOldestSeconds.set({ forge }, ageSeconds(sinceMs, nowMs()));
  }
};

/** The counter of a day belongs to no run and no change request; the ledger wants some. */
const NOBODY = { runId: RunId.parse('0'.repeat(20)), changeRequest: { forge: 'none', projectId: 1, number: 1 } };

const measureBudget = async ({ ledger, metrics, nowMs }: SharedGauges): Promise<void> => {
  const day = new Date(nowMs()).toISOString().slice(0, 10);
  const spent = await ledger.spent('day', { ...NOBODY, day });
  const limit = ledger.limits.day;
  metrics.budgetUsed.set({ scope: 'day', budget: 'tokens' }, spent.tokens / limit.tokens);
  metrics.budgetUsed.set({ scope: 'day', budget: 'money' }, spent.microUsd / limit.microUsd);
};
