import type { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { BudgetAccount, BudgetLedger, BudgetLimits } from '../../../shared/agent/model/budget.ts';
import { createMemoryLedger } from '../../../shared/agent/model/memory-ledger.ts';
import { createBudgetLedger } from '../../../shared/store/budget-ledger.ts';
import { connectRedis } from '../../../shared/store/redis.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';

let server: TestRedis;
let redis: Redis;
beforeAll(async () => {
  server = await startRedis({ settings: ['--appendonly', 'yes', '--appendfsync', 'always', '--save', ''] });
  redis = connectRedis(server.url, 'worker');
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});
beforeEach(async () => {
  await redis.flushall();
});

const purpose = { role: 'reviewer', model: 'claude-sonnet-5-5' } as const;
const big = { tokens: 1_000_000, microUsd: 1_000_000 };
const limits = (patch: Partial<BudgetLimits>): BudgetLimits => ({
  run: big,
  change_request: big,
  project: big,
  day: big,
  ...patch,
});
const account = (patch: Partial<BudgetAccount> = {}): BudgetAccount => ({
  runId: 'run1',
  changeRequest: { forge: 'main', projectId: 1, number: 2 },
  day: '2026-01-01',
  ...patch,
});

const makers: Readonly<Record<string, (limits: BudgetLimits) => BudgetLedger>> = {
  Redis: (given) => createBudgetLedger(redis, { prefix: 'test', limits: given }),
  memory: (given) => createMemoryLedger(given),
};

describe.each(Object.keys(makers))('a ledger in %s', (where) => {
  const create = (given: BudgetLimits): BudgetLedger => {
    const make = makers[where];
    if (make === undefined) throw new Error('no such ledger');
    return make(given);
  };

  it.each([
    ['run', account({ changeRequest: { forge: 'main', projectId: 9, number: 9 }, day: '2026-01-09' })],
    ['change_request', account({ runId: 'run2', day: '2026-01-09' })],
    ['project', account({ runId: 'run2', changeRequest: { forge: 'main', projectId: 1, number: 9 } })],
    ['day', account({ runId: 'run2', changeRequest: { forge: 'other', projectId: 7, number: 9 } })],
  ] as const)('counts per %s, and takes nothing from any scope when one refuses', async (scope, other) => {
    const ledger = create(limits({ [scope]: { tokens: 100, microUsd: 1_000 } }));
    expect(
      await ledger.reserve({ callId: 'a', account: account(), purpose, worst: { tokens: 60, microUsd: 10 } }),
    ).toEqual({
      kind: 'reserved',
    });
    const scopes = ['run', 'change_request', 'project', 'day'] as const;
    const counters = async () => Promise.all(scopes.map((one) => ledger.spent(one, other)));
    const before = await counters();
    expect(await ledger.reserve({ callId: 'b', account: other, purpose, worst: { tokens: 41, microUsd: 10 } })).toEqual(
      {
        kind: 'refused',
        scope,
        budget: 'tokens',
        limit: 100,
        used: 60,
      },
    );
    expect(await counters()).toEqual(before);
    expect(await ledger.spent(scope, other)).toEqual({ tokens: 60, microUsd: 10 });
    expect(
      await ledger.reserve({ callId: 'c', account: other, purpose, worst: { tokens: 40, microUsd: 990 } }),
    ).toEqual({
      kind: 'reserved',
    });
  });

  it('names money when money is what is missing', async () => {
    const ledger = create(limits({ day: { tokens: 1_000, microUsd: 5 } }));
    expect(
      await ledger.reserve({ callId: 'a', account: account(), purpose, worst: { tokens: 1, microUsd: 6 } }),
    ).toEqual({
      kind: 'refused',
      scope: 'day',
      budget: 'money',
      limit: 5,
      used: 0,
    });
  });

  it('gives back what was not used, once', async () => {
    const ledger = create(limits({}));
    await ledger.reserve({ callId: 'a', account: account(), purpose, worst: { tokens: 100, microUsd: 50 } });
    await ledger.settle('a', account(), { tokens: 30, microUsd: 7 });
    await ledger.settle('a', account(), { tokens: 0, microUsd: 0 });
    for (const scope of ['run', 'change_request', 'project', 'day'] as const) {
      expect(await ledger.spent(scope, account())).toEqual({ tokens: 30, microUsd: 7 });
    }
  });

  it('reserves a repeated id only once, also after it was settled', async () => {
    const ledger = create(limits({}));
    const request = { callId: 'a', account: account(), purpose, worst: { tokens: 100, microUsd: 50 } };
    await ledger.reserve(request);
    await ledger.reserve(request);
    expect(await ledger.spent('run', account())).toEqual({ tokens: 100, microUsd: 50 });
    await ledger.settle('a', account(), { tokens: 1, microUsd: 1 });
    await ledger.reserve(request);
    expect(await ledger.spent('run', account())).toEqual({ tokens: 1, microUsd: 1 });
  });

  it('settles nothing that was never reserved', async () => {
    const ledger = create(limits({}));
    await ledger.settle('ghost', account(), { tokens: 5, microUsd: 5 });
    expect(await ledger.spent('day', account())).toEqual({ tokens: 0, microUsd: 0 });
  });

  it('never lets forty calls at once take more than there is', async () => {
    const ledger = create(limits({ project: { tokens: 1_000, microUsd: big.microUsd } }));
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, index) =>
        ledger.reserve({
          callId: `call-${index}`,
          account: account({ runId: `run${index}` }),
          purpose,
          worst: { tokens: 90, microUsd: 1 },
        }),
      ),
    );
    expect(answers.filter(({ kind }) => kind === 'reserved')).toHaveLength(11);
    expect(await ledger.spent('project', account())).toEqual({ tokens: 990, microUsd: 11 });
  });
});

describe('the ledger in Redis', () => {
  it('X12: keeps its counters through a crash, unsettled reservations included', async () => {
    const ledger = createBudgetLedger(redis, { prefix: 'test', limits: limits({}) });
    await ledger.reserve({ callId: 'settled', account: account(), purpose, worst: { tokens: 100, microUsd: 10 } });
    await ledger.settle('settled', account(), { tokens: 5, microUsd: 1 });
    await ledger.reserve({ callId: 'lost', account: account(), purpose, worst: { tokens: 70, microUsd: 7 } });
    await server.kill();
    await server.restart();
    const after = createBudgetLedger(redis, { prefix: 'test', limits: limits({}) });
    expect(await after.spent('change_request', account())).toEqual({ tokens: 75, microUsd: 8 });
    await after.settle('lost', account(), { tokens: 70, microUsd: 7 });
    expect(await after.spent('change_request', account())).toEqual({ tokens: 75, microUsd: 8 });
  });

  it('keeps each counter longer than what it counts, and the reservation as long as its run', async () => {
    const ledger = createBudgetLedger(redis, { prefix: 'test', limits: limits({}) });
    await ledger.reserve({ callId: 'a', account: account(), purpose, worst: { tokens: 1, microUsd: 1 } });
    const daysLeft = async (key: string) => [key, Math.ceil((await redis.ttl(key)) / (24 * 3_600))] as const;
    expect(Object.fromEntries(await Promise.all((await redis.keys('*')).map(daysLeft)))).toEqual({
      '{test}:reserved:a': 30,
      '{test}:spent:run:run1': 30,
      '{test}:spent:change-request:main.1.2': 401,
      '{test}:spending:2026-01-01': 400,
      '{test}:spent:project:main.1:2026-01-01': 3,
      '{test}:spent:day:2026-01-01': 3,
    });
  });

  it('counts a part of a micro-dollar as a whole one', async () => {
    const ledger = createBudgetLedger(redis, { prefix: 'test', limits: limits({}) });
    await ledger.reserve({ callId: 'a', account: account(), purpose, worst: { tokens: 10.2, microUsd: 0.1 } });
    expect(await ledger.spent('run', account())).toEqual({ tokens: 11, microUsd: 1 });
  });
});
