/** What a reviewer asks an explorer, and what it gets back. Both wait in the store: a job holds ids only. */
import { z } from 'zod';

export const Question = z.object({
  v: z.literal(1),
  kind: z.literal('who_uses'),
  symbol: z.string().min(1).max(200),
});
export type Question = z.output<typeof Question>;

/** `refused` tells an unusable question apart from one whose answer is "nothing found". */
export const Notes = z.object({
  v: z.literal(1),
  outcome: z.enum(['answered', 'refused']),
  /** Markdown with the headings of an explorer's notes; data of the repository. */
  text: z.string().max(50_000),
});
export type Notes = z.output<typeof Notes>;
