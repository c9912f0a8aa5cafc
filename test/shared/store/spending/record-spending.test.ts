import type { Redis } from 'ioredis';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { BudgetAccount, CallPurpose } from '../../../../shared/agent/model/budget.ts';
import { createBudgetLedger, seedBudget } from '../../../../shared/store/budget-ledger.ts';
import { connectRedis } from '../../../../shared/store/redis.ts';
import { readSpending, type SpendingRow } from '../../../../shared/store/spending/read-spending.ts';
import { MAX_FIELDS, spendingKey } from '../../../../shared/store/spending/spending-record.ts';
import { NOTHING_SPENT } from '../../../../shared/vocabulary/spent.ts';
import { startEmbeddedRedis } from '../../../../services/cli/redis/embedded-redis.ts';
import { BUDGET_LIMITS } from '../../../support/budget-limits.ts';
import { startRedis, type TestRedis } from '../../../support/redis.ts';

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

const DAY = '2026-11-30';
const account: BudgetAccount = { runId: 'run1', changeRequest: { forge: 'main', projectId: 17, number: 2 }, day: DAY };
const purpose: CallPurpose = { role: 'reviewer', model: 'house/coder|7b' };
const limits = {
  ...BUDGET_LIMITS,
  run: { tokens: 1e9, microUsd: 1e12 },
  change_request: { tokens: 1e9, microUsd: 1e12 },
  project: { tokens: 1e9, microUsd: 1e12 },
  day: { tokens: 1e9, microUsd: 1e12 },
};
const ledgerOn = (connection: Redis = redis) => createBudgetLedger(connection, { prefix: 'test', limits });
const rows = async (connection: Redis = redis): Promise<readonly SpendingRow[]> =>
  readSpending(connection, { prefix: 'test', since: DAY, until: DAY }, AbortSignal.timeout(5_000));
const row = (patch: Partial<SpendingRow>): SpendingRow => ({
  day: DAY,
  forge: 'main',
  projectId: 17,
  ...purpose,
  calls: 1,
  inputTokens: 0,
  cachedTokens: 0,
  outputTokens: 0,
  microUsd: 0,
  ...patch,
});
const worst = { tokens: 1_000, microUsd: 900, outputTokens: 400 };
const used = { tokens: 300, microUsd: 70, outputTokens: 20, cachedTokens: 250 };
const spent = row({ inputTokens: 280, cachedTokens: 250, outputTokens: 20, microUsd: 70 });

describe.each(['a server', 'this process'])('with Redis in %s', (where) => {
  const connect = async (): Promise<{ connection: Redis; close: () => Promise<void> }> => {
    if (where === 'a server') return { connection: redis, close: async () => {} };
    const embedded = await startEmbeddedRedis();
    return { connection: embedded.connect(), close: embedded.close };
  };

  it('records a call with its worst case until it is settled, and its real use once', async () => {
    const { connection, close } = await connect();
    const ledger = ledgerOn(connection);
    await ledger.reserve({ callId: 'a', account, purpose, worst });
    expect(await rows(connection)).toEqual([row({ inputTokens: 600, outputTokens: 400, microUsd: 900 })]);
    await ledger.settle('a', account, used);
    await ledger.settle('a', account, { tokens: 9, microUsd: 9 });
    await ledger.reserve({ callId: 'a', account, purpose, worst });
    expect(await rows(connection)).toEqual([spent]);
    await seedBudget(connection, {
      prefix: 'test',
      account,
      spent: { ...NOTHING_SPENT, inputTokens: 300, costUsd: 1 },
    });
    expect((await rows(connection)).map(({ role, microUsd }) => [role, microUsd])).toEqual([
      ['reviewer', 70],
      ['restored', 999_930],
    ]);
    await close();
  });
});

it('adds the calls of one project, role and model, and separates all others', async () => {
  const ledger = ledgerOn();
  const other = { ...account, changeRequest: { forge: 'main', projectId: 17, number: 3 } };
  const elsewhere = { ...account, changeRequest: { forge: 'main', projectId: 18, number: 3 } };
  const all: readonly (readonly [BudgetAccount, CallPurpose])[] = [
    [account, purpose],
    [other, purpose],
    [elsewhere, purpose],
    [account, { ...purpose, role: 'verifier' }],
    [account, { ...purpose, model: 'claude-haiku-5-5' }],
    [{ ...account, day: '2026-12-01' }, purpose],
  ];
  for (const [index, [of, what]] of all.entries()) {
    await ledger.reserve({ callId: `call-${index}`, account: of, purpose: what, worst });
    await ledger.settle(`call-${index}`, of, used);
  }
  const twice = { calls: 2, inputTokens: 560, cachedTokens: 500, outputTokens: 40, microUsd: 140 };
  expect(await rows()).toEqual([
    { ...spent, ...twice },
    { ...spent, projectId: 18 },
    { ...spent, role: 'verifier' },
    { ...spent, model: 'claude-haiku-5-5' },
  ]);
  const period = { prefix: 'test', since: '2026-11-29', until: '2026-12-02' };
  expect((await readSpending(redis, period, AbortSignal.timeout(5_000))).map(({ day }) => day)).toEqual([
    ...Array.from({ length: 4 }, () => DAY),
    '2026-12-01',
  ]);
});

it('splits what one call cost over the models that it used', async () => {
  const ledger = ledgerOn();
  await ledger.reserve({ callId: 'a', account, purpose, worst });
  const otherModels = [{ model: 'claude-haiku-5-5', tokens: 100, microUsd: 10, outputTokens: 5, cachedTokens: 50 }];
  await ledger.settle('a', account, { ...used, otherModels });
  expect(await rows()).toEqual([
    row({ inputTokens: 185, cachedTokens: 185, outputTokens: 15, microUsd: 60 }),
    row({ model: 'claude-haiku-5-5', inputTokens: 95, cachedTokens: 50, outputTokens: 5, microUsd: 10 }),
  ]);
  expect(await ledger.spent('day', account)).toEqual({ tokens: 300, microUsd: 70 });
});

it('does not list a call that was never sent, nor one that a budget refused', async () => {
  const ledger = ledgerOn();
  await ledger.reserve({ callId: 'a', account, purpose, worst });
  await ledger.settle('a', account, { tokens: 0, microUsd: 0 });
  const tight = createBudgetLedger(redis, { prefix: 'test', limits: { ...limits, day: { tokens: 1, microUsd: 1 } } });
  expect(await tight.reserve({ callId: 'b', account, purpose, worst })).toMatchObject({ kind: 'refused' });
  expect(await rows()).toEqual([]);
});

it('keeps a call whose process was killed before it was settled, as spent in full, through a crash of Redis', async () => {
  const ledger = ledgerOn();
  await ledger.reserve({ callId: 'settled', account, purpose, worst });
  await ledger.settle('settled', account, used);
  await ledger.reserve({ callId: 'lost', account, purpose: { ...purpose, role: 'explorer' }, worst });
  await server.kill();
  await server.restart();
  expect(await rows()).toEqual([spent, row({ role: 'explorer', inputTokens: 600, outputTokens: 400, microUsd: 900 })]);
  expect(await redis.ttl(spendingKey('test', DAY))).toBeGreaterThan(399 * 24 * 3600);
});

it('counts further projects of a full day together', async () => {
  const full = Object.fromEntries(
    Array.from({ length: MAX_FIELDS }, (_, index) => [`main|${index + 100}|author|m`, '1,1,0,0,1']),
  );
  await redis.hset(spendingKey('test', DAY), full);
  const ledger = ledgerOn();
  for (const projectId of [17, 18]) {
    const of = { ...account, changeRequest: { forge: 'main', projectId, number: 1 } };
    await ledger.reserve({ callId: `of-${projectId}`, account: of, purpose, worst });
    await ledger.settle(`of-${projectId}`, of, used);
  }
  const found = (await rows()).filter(({ role }) => role === 'reviewer');
  expect(found.map(({ projectId, calls, microUsd }) => ({ projectId, calls, microUsd }))).toEqual([
    { projectId: 0, calls: 2, microUsd: 140 },
  ]);
  expect(await redis.hlen(spendingKey('test', DAY))).toBe(MAX_FIELDS + 1);
});

describe('what signed markers remember after a wipe', () => {
  const remembered = {
    ...NOTHING_SPENT,
    modelCalls: 4,
    inputTokens: 900,
    cachedTokens: 500,
    outputTokens: 100,
    costUsd: 0.1 + 0.2,
  };
  const seed = async (): Promise<void> => seedBudget(redis, { prefix: 'test', account, spent: remembered });
  const restored = { role: 'restored', model: 'unknown', cachedTokens: 500 } as const;

  it('is recorded as restored, once', async () => {
    await Promise.all([seed(), seed(), seed()]);
    await seedBudget(redis, { prefix: 'test', account: { ...account, day: '2026-12-01' }, spent: remembered });
    const period = { prefix: 'test', since: DAY, until: '2026-12-01' };
    expect(await readSpending(redis, period, AbortSignal.timeout(5_000))).toEqual([
      row({ ...restored, calls: 4, inputTokens: 900, outputTokens: 100, microUsd: 300_000 }),
    ]);
  });

  it('adds nothing to what the record already knows, and only the difference to a part of it', async () => {
    const ledger = ledgerOn();
    await ledger.reserve({ callId: 'a', account, purpose, worst: { tokens: 1_000, microUsd: 300_000 } });
    await seed();
    expect(await rows()).toEqual([row({ inputTokens: 1_000, microUsd: 300_000 })]);
    await redis.flushall();
    await ledger.reserve({ callId: 'b', account, purpose, worst: { tokens: 500, microUsd: 100_000 } });
    await seed();
    expect(await rows()).toEqual([
      row({ inputTokens: 500, microUsd: 100_000 }),
      row({ ...restored, calls: 2, cachedTokens: 250, inputTokens: 450, outputTokens: 50, microUsd: 200_000 }),
    ]);
  });

  it('is not restored from markers while the record still has it', async () => {
    const ledger = ledgerOn();
    await ledger.reserve({ callId: 'a', account, purpose, worst });
    const [counter, record] = await Promise.all([
      redis.ttl('{test}:spent:change-request:main.17.2'),
      redis.ttl(spendingKey('test', DAY)),
    ]);
    expect(counter).toBeGreaterThan(record);
  });
});
