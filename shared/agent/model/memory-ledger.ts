/** A budget ledger in memory, for a review on the command line. Its data is lost when the process ends. */
import { type BudgetAccount, type Amount, type BudgetLedger, type BudgetLimits, whichLimitBreaks } from './budget.ts';
import type { BudgetScope } from '../../vocabulary/exceeded.ts';
import { changeRequestKey } from '../../vocabulary/ids.ts';

export const accountKeys = ({ runId, changeRequest, day }: BudgetAccount): Readonly<Record<BudgetScope, string>> => ({
  run: `run:${runId}`,
  change_request: `change-request:${changeRequestKey(changeRequest)}`,
  project: `project:${changeRequest.forge}.${changeRequest.projectId}:${day}`,
  day: `day:${day}`,
});

const NOTHING: Amount = { tokens: 0, microUsd: 0 };

const plus = (one: Amount, other: Amount, sign: 1 | -1): Amount => ({
  tokens: one.tokens + sign * other.tokens,
  microUsd: one.microUsd + sign * other.microUsd,
});

export const createMemoryLedger = (limits: BudgetLimits): BudgetLedger => {
  const counters = new Map<string, Amount>();
  const open = new Map<string, Amount>();
  const seen = new Set<string>();
  const have = (key: string): Amount => counters.get(key) ?? NOTHING;
  const move = (account: BudgetAccount, amount: Amount, sign: 1 | -1): void => {
    for (const key of Object.values(accountKeys(account))) counters.set(key, plus(have(key), amount, sign));
  };
  return {
    limits,
    reserve: async ({ callId, account, worst }) => {
      if (seen.has(callId)) return { kind: 'reserved' };
      const keys = accountKeys(account);
      const used = {
        run: have(keys.run),
        change_request: have(keys.change_request),
        project: have(keys.project),
        day: have(keys.day),
      };
      const refusal = whichLimitBreaks(used, worst, limits);
      if (refusal !== null) return { kind: 'refused', ...refusal };
      seen.add(callId);
      open.set(callId, worst);
      move(account, worst, 1);
      return { kind: 'reserved' };
    },
    settle: async (callId, account, used) => {
      const worst = open.get(callId);
      if (worst === undefined) return;
      open.delete(callId);
      move(account, worst, -1);
      move(account, used, 1);
    },
    spent: async (scope, account) => have(accountKeys(account)[scope]),
  };
};
