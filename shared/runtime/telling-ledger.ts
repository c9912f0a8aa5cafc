import type { BudgetLedger } from '../agent/model/budget.ts';
import type { Raise } from '../queue/raise.ts';

/** A ledger that notifies the operator of an exhausted budget. Contract: a refusal is returned only after the event is stored. */
export const tellingLedger = (
  ledger: BudgetLedger,
  { raise, nowMs }: { readonly raise: Raise; readonly nowMs: () => number },
): BudgetLedger => ({
  ...ledger,
  reserve: async (request) => {
    const reserved = await ledger.reserve(request);
    if (reserved.kind === 'refused' && reserved.scope !== 'run') {
      const { scope, budget, limit } = reserved;
      const { changeRequest, day } = request.account;
      await raise({ kind: 'budget_used_up', atMs: nowMs(), scope, budget, limit, changeRequest, day });
    }
    return reserved;
  },
});
