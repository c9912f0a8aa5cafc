import type { BudgetLimits } from '../../shared/agent/model/budget.ts';

export const BUDGET_LIMITS: BudgetLimits = {
  run: { tokens: 3_000_000, microUsd: 5_000_000 },
  change_request: { tokens: 15_000_000, microUsd: 25_000_000 },
  project: { tokens: 60_000_000, microUsd: 100_000_000 },
  day: { tokens: 300_000_000, microUsd: 500_000_000 },
};
