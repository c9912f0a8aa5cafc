/** What the review of one case, or the reviews of all its pushes, said and cost. */
import { z } from 'zod';
import { Place, Severity, Verdict } from '../vocabulary/finding.ts';
import { Spent } from '../vocabulary/spent.ts';
import { CaseId } from './case-fields.ts';

export const EvalFinding = Place.extend({
  severity: Severity,
  title: z.string(),
  body: z.string(),
  evidence: z.string(),
  rule: z.string().nullable(),
});
export type EvalFinding = z.output<typeof EvalFinding>;

const common = {
  caseId: CaseId,
  /** Counts from 1. */
  repeat: z.number().int().positive(),
  spent: Spent,
};

/** A thread as it is after the review of one push. `id` stays the same over all reviews; `line` is where the thread is now. */
export const SeenThread = z.object({
  id: z.string(),
  path: z.string(),
  line: z.number().int().positive(),
  isOpen: z.boolean(),
  severity: Severity,
  title: z.string(),
});
export type SeenThread = z.output<typeof SeenThread>;

/** `threads`: all threads so far. `notes`: why there is no verdict, in words; empty if there is one. */
export const SeenReview = z.object({
  verdict: Verdict,
  threads: z.array(SeenThread),
  notes: z.array(z.string()).default([]),
});
export type SeenReview = z.output<typeof SeenReview>;

export const EvalResult = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('reviewed'),
    ...common,
    verdict: Verdict,
    findings: z.array(EvalFinding),
    /** Added and removed lines. */
    changedLines: z.number().int().nonnegative(),
    /** The files that the labels with a `pathEnd` name, by the path of the label. */
    labelPaths: z.record(z.string(), z.string()).default({}),
    /** Why the review is incomplete or has no verdict, in words; empty if it is complete. */
    notes: z.array(z.string()).default([]),
  }),
  /** One review for each push of a case of kind `rounds`. */
  z.object({ kind: z.literal('rounds'), ...common, reviews: z.array(SeenReview) }),
  /** The case could not be built, or its review failed. */
  z.object({ kind: z.literal('failed'), ...common, code: z.string(), message: z.string() }),
]);
export type EvalResult = z.output<typeof EvalResult>;
export type EvalReviewed = EvalResult & { readonly kind: 'reviewed' };
export type EvalRounds = EvalResult & { readonly kind: 'rounds' };

export const EvalRun = z.object({
  v: z.literal(1),
  version: z.string(),
  runner: z.enum(['rules', 'agent', 'claude-code']),
  /** Null for the rules. */
  model: z.string().nullable(),
  repeat: z.number().int().positive(),
  /** SHA-256 of the cases, in hexadecimal. */
  cases: z.string(),
});
export type EvalRun = z.output<typeof EvalRun>;

/** Names the files of one result. */
export const resultName = ({ caseId, repeat }: Pick<EvalResult, 'caseId' | 'repeat'>): string => `${caseId}.${repeat}`;
