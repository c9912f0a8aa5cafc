import { z } from 'zod';

export const Spent = z.object({
  turns: z.number().int().nonnegative(),
  modelCalls: z.number().int().nonnegative(),
  inputTokens: z.number().int().nonnegative(),
  outputTokens: z.number().int().nonnegative(),
  cachedTokens: z.number().int().nonnegative(),
  costUsd: z.number().nonnegative(),
  wallMs: z.number().int().nonnegative(),
  /** Set if a subscription paid for calls, whose money is not counted. */
  subscription: z.literal(true).optional(),
});
export type Spent = z.output<typeof Spent>;

export const NOTHING_SPENT: Spent = {
  turns: 0,
  modelCalls: 0,
  inputTokens: 0,
  outputTokens: 0,
  cachedTokens: 0,
  costUsd: 0,
  wallMs: 0,
};

export const addSpent = (one: Spent | null, other: Spent | null): Spent => {
  const left = one ?? NOTHING_SPENT;
  const right = other ?? NOTHING_SPENT;
  return {
    turns: left.turns + right.turns,
    modelCalls: left.modelCalls + right.modelCalls,
    inputTokens: left.inputTokens + right.inputTokens,
    outputTokens: left.outputTokens + right.outputTokens,
    cachedTokens: left.cachedTokens + right.cachedTokens,
    costUsd: left.costUsd + right.costUsd,
    wallMs: left.wallMs + right.wallMs,
    ...(left.subscription === true || right.subscription === true ? { subscription: true } : {}),
  };
};
