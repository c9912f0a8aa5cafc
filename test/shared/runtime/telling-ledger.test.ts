import { expect, test } from 'vitest';
import { createMemoryLedger } from '../../../shared/agent/model/memory-ledger.ts';
import type { BudgetLimits } from '../../../shared/agent/model/budget.ts';
import type { NotifyEvent } from '../../../shared/notify/event.ts';
import { tellingLedger } from '../../../shared/runtime/telling-ledger.ts';

const changeRequest = { forge: 'main', projectId: 42, number: 7 };
const account = { runId: 'run000000001', changeRequest, day: '2026-01-31' };
const purpose = { role: 'reviewer', model: 'claude-sonnet-5-5' } as const;
const WIDE = { tokens: 1_000, microUsd: 1_000 };
const wide: BudgetLimits = { run: WIDE, change_request: WIDE, project: WIDE, day: WIDE };

const reserving = async (limits: Partial<BudgetLimits>, worst = { tokens: 10, microUsd: 10 }) => {
  const raised: NotifyEvent[] = [];
  const ledger = tellingLedger(createMemoryLedger({ ...wide, ...limits }), {
    raise: async (event) => void raised.push(event),
    nowMs: () => 5,
  });
  const reserved = await ledger.reserve({ callId: 'one', account, purpose, worst });
  return { kind: reserved.kind, raised, ledger };
};

test.each(['change_request', 'project', 'day'] as const)(
  'tells that the budget of the %s is used up',
  async (scope) => {
    const { kind, raised } = await reserving({ [scope]: { tokens: 9, microUsd: 1_000 } });
    expect([kind, raised]).toEqual([
      'refused',
      [{ kind: 'budget_used_up', atMs: 5, scope, budget: 'tokens', limit: 9, changeRequest, day: '2026-01-31' }],
    ]);
  },
);

test('tells nothing while there is enough, nor of the budget of one run', async () => {
  expect(await reserving({})).toMatchObject({ kind: 'reserved', raised: [] });
  expect(await reserving({ run: { tokens: 9, microUsd: 1_000 } })).toMatchObject({ kind: 'refused', raised: [] });
});

test('counts as the ledger does', async () => {
  const { ledger } = await reserving({});
  await ledger.settle('one', account, { tokens: 3, microUsd: 4 });
  expect(await ledger.spent('day', account)).toEqual({ tokens: 3, microUsd: 4 });
});

test('a refusal is answered only when its event is stored', async () => {
  const ledger = tellingLedger(createMemoryLedger({ ...wide, day: { tokens: 1, microUsd: 1 } }), {
    raise: async () => {
      throw new Error('Redis is away');
    },
    nowMs: () => 5,
  });
  const worst = { tokens: 10, microUsd: 10 };
  await expect(ledger.reserve({ callId: 'one', account, purpose, worst })).rejects.toThrow('Redis is away');
});
