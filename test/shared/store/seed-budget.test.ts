import { expect, it } from 'vitest';
import type { Redis } from 'ioredis';
import { BUDGET_LIMITS } from '../../support/budget-limits.ts';
import { NOTHING_SPENT } from '../../../shared/vocabulary/spent.ts';
import { createBudgetLedger, seedBudget } from '../../../shared/store/budget-ledger.ts';
import { useRedis } from '../../support/use-redis.ts';
import { runId } from '../rounds/builders.ts';

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});

const account = { runId: runId('run'), changeRequest: { forge: 'main', projectId: 1, number: 5 }, day: '2026-01-01' };
const purpose = { role: 'reviewer', model: 'claude-sonnet-5-5' } as const;
const spent = { ...NOTHING_SPENT, inputTokens: 900_000, outputTokens: 100_000, costUsd: 20 };

const seed = async () => seedBudget(redis, { prefix: 'test', account, spent });

it('F-D3: what signed markers remember is counted again after a wipe, once', async () => {
  const ledger = createBudgetLedger(redis, { prefix: 'test', limits: BUDGET_LIMITS });
  await seed();
  await seed();
  for (const scope of ['change_request', 'project', 'day'] as const)
    expect(await ledger.spent(scope, account)).toEqual({ tokens: 1_000_000, microUsd: 20_000_000 });
  expect(await ledger.spent('run', account)).toEqual({ tokens: 0, microUsd: 0 });
  const worst = { tokens: 10, microUsd: 5_000_001 };
  expect(await ledger.reserve({ callId: 'a', account, purpose, worst })).toMatchObject({
    kind: 'refused',
    scope: 'run',
  });
  expect(await ledger.reserve({ callId: 'b', account, purpose, worst: { tokens: 10, microUsd: 5_000_000 } })).toEqual({
    kind: 'reserved',
  });
  expect(
    await ledger.reserve({
      callId: 'c',
      account: { ...account, runId: runId('next') },
      purpose,
      worst: { tokens: 10, microUsd: 1 },
    }),
  ).toMatchObject({
    kind: 'refused',
    scope: 'change_request',
  });
});

it('F-D3: counters that know more stay as they are', async () => {
  const ledger = createBudgetLedger(redis, { prefix: 'test', limits: BUDGET_LIMITS });
  await ledger.reserve({ callId: 'a', account, purpose, worst: { tokens: 2_000_000, microUsd: 4_000_000 } });
  await seedBudget(redis, { prefix: 'test', account, spent: { ...spent, costUsd: 1 } });
  expect(await ledger.spent('change_request', account)).toEqual({ tokens: 2_000_000, microUsd: 4_000_000 });
});
