import { z } from 'zod';
import { NOTHING_SPENT, Spent } from './spent.ts';

const v = z.literal(1);

export const Question = z.discriminatedUnion('kind', [
  /** Answered from the text alone, without a model. */
  z.object({ v, kind: z.literal('who_uses'), symbol: z.string().min(1).max(200) }),
  /** In the words of the model that reviews: data, whatever it says. */
  z.object({
    v,
    kind: z.literal('explore'),
    question: z.string().min(1).max(4000),
    files: z.array(z.string().min(1).max(4096)).max(20),
    changedPaths: z.array(z.string().min(1).max(4096)).max(200),
  }),
]);
export type Question = z.output<typeof Question>;

/**
 * - `answered`, `nothing_found`: it looked, and this is what there is.
 * - `budget_exceeded`: not complete. `failed`: unknown, with what was noted before.
 * - `refused`: the question cannot be answered at all.
 */
export const Notes = z.object({
  v,
  outcome: z.enum(['answered', 'nothing_found', 'budget_exceeded', 'failed', 'refused']),
  /** Markdown with the headings of an explorer's notes; data of the repository. */
  text: z.string().max(50_000),
  spent: Spent.default(NOTHING_SPENT),
});
export type Notes = z.output<typeof Notes>;
