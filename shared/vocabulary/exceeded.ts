import { z } from 'zod';

/** `project` and `day` cover one calendar day (UTC); `day` covers the whole installation. */
export const BudgetScope = z.enum(['run', 'change_request', 'project', 'day']);
export type BudgetScope = z.output<typeof BudgetScope>;

export const ExceededBudget = z.object({
  /** `context`: the conversation does not fit into the model's context even after compaction. */
  budget: z.enum(['turns', 'wall', 'tokens', 'money', 'context']),
  scope: BudgetScope,
  /** The limit in turns, ms, tokens or micro-dollars, depending on `budget`. */
  limit: z.number(),
});
export type ExceededBudget = z.output<typeof ExceededBudget>;

const SCOPES: Readonly<Record<BudgetScope, string>> = {
  run: 'of one run',
  change_request: 'of this change request',
  project: 'of this project for today',
  day: 'of the installation for today',
};

/** Returns a string such as `the budget of one run ($5)`. */
export const exceededText = ({ budget, scope, limit }: ExceededBudget): string => {
  const amounts = {
    turns: `${limit} turns`,
    wall: `${Math.round(limit / 1000)} s`,
    tokens: `${limit} tokens`,
    money: `$${limit / 1_000_000}`,
    context: 'the context of the model',
  };
  return `the budget ${SCOPES[scope]} (${amounts[budget]})`;
};
