import type { Redis } from 'ioredis';
import type { Config } from '../config/load.ts';
import { budgetLimitsOf } from '../runtime/connect-model.ts';
import { createBudgetLedger } from '../store/budget-ledger.ts';
import { type ChangeRequest, RunId } from '../vocabulary/ids.ts';

/** Placeholders: the ledger needs a run and a day, but only the change request's counter is read. */
const NO_RUN = { runId: RunId.parse('0'.repeat(20)), day: '1970-01-01' };

type SpendingSource = { readonly redis: Redis; readonly config: Pick<Config, 'redis' | 'budgets'> };

/** What model calls for a change request have cost so far, including reservations of running calls. */
export const spentOn = async (
  { redis, config }: SpendingSource,
  changeRequest: ChangeRequest,
): Promise<{ readonly tokens: number; readonly usd: number }> => {
  const { prefix } = config.redis;
  const ledger = createBudgetLedger(redis, { prefix, limits: budgetLimitsOf(config.budgets.model) });
  const { tokens, microUsd } = await ledger.spent('change_request', { ...NO_RUN, changeRequest });
  return { tokens, usd: microUsd / 1_000_000 };
};
