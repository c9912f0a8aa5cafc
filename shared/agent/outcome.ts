/** How a conversation ends. Only `submitted` can become a passing review. */
import { z } from 'zod';
import { ExceededBudget } from '../vocabulary/exceeded.ts';
import { VerifierAnswer, VerifiedClaim } from '../vocabulary/verification.ts';
import { Submission } from './submission/submission.ts';

export const Outcome = z.discriminatedUnion('kind', [
  /** `verified`: the results for the claims that were verified. Absent if claims are not verified. */
  z.object({ kind: z.literal('submitted'), submission: Submission, verified: z.array(VerifiedClaim).optional() }),
  /** The answer of a verifier. */
  z.object({ kind: z.literal('verified'), verification: VerifierAnswer }),
  /** Notes of an explorer; `found` is false when it found nothing. */
  z.object({ kind: z.literal('explored'), notes: z.string(), found: z.boolean() }),
  z.object({ kind: z.literal('budget_exceeded'), exceeded: ExceededBudget, notes: z.string() }),
  /** The submission still broke the protocol after the last correction, so the attempt failed. */
  z.object({ kind: z.literal('violation'), problems: z.array(z.string()), notes: z.string() }),
  /** No review could be read after the last correction. `rawText` is the model's last text, or null if it wrote none. */
  z.object({ kind: z.literal('unreadable'), rawText: z.string().nullable(), notes: z.string() }),
  z.object({ kind: z.literal('refusal'), category: z.string().nullable(), notes: z.string() }),
  /** The provider failed in a way that a retry cannot fix. `code` is the error's code. */
  z.object({ kind: z.literal('model_failed'), code: z.string(), notes: z.string() }),
]);
export type Outcome = z.output<typeof Outcome>;
