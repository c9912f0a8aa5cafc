/** How a conversation ends. None but `submitted` can ever become a passing review. */
import { z } from 'zod';
import { ExceededBudget } from '../vocabulary/exceeded.ts';
import { Submission } from './submission/submission.ts';

export const Outcome = z.discriminatedUnion('kind', [
  /** A reviewer's review. */
  z.object({ kind: z.literal('submitted'), submission: Submission }),
  /** An explorer's notes; `found` is false when it looked and there was nothing. */
  z.object({ kind: z.literal('explored'), notes: z.string(), found: z.boolean() }),
  z.object({ kind: z.literal('budget_exceeded'), exceeded: ExceededBudget, notes: z.string() }),
  /** Still against the protocol after the last correction: a failed attempt. */
  z.object({ kind: z.literal('violation'), problems: z.array(z.string()), notes: z.string() }),
  /** No review could be read after the last correction. `rawText` is what the model wrote last; null when nothing. */
  z.object({ kind: z.literal('unreadable'), rawText: z.string().nullable(), notes: z.string() }),
  /** The model will not look at this change. */
  z.object({ kind: z.literal('refusal'), category: z.string().nullable(), notes: z.string() }),
  /** The provider refuses for good. `code` is the error's. */
  z.object({ kind: z.literal('model_failed'), code: z.string(), notes: z.string() }),
]);
export type Outcome = z.output<typeof Outcome>;
