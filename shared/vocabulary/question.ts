import { z } from 'zod';
import { NOTHING_SPENT, Spent } from './spent.ts';
import { ClaimToVerify, VerifierAnswer } from './verification.ts';

const v = z.literal(1);

/** What a finder looks for. */
export const FinderEye = z.enum(['correctness', 'security', 'removed', 'tests']);
export type FinderEye = z.output<typeof FinderEye>;

export const MAX_FINDER_DIFF = 200_000;

export const Question = z.discriminatedUnion('kind', [
  /** This kind is answered by text search, without a model. */
  z.object({ v, kind: z.literal('who_uses'), symbol: z.string().min(1).max(200) }),
  /** The reviewing model wrote this question, so it is untrusted data. */
  z.object({
    v,
    kind: z.literal('explore'),
    question: z.string().min(1).max(4000),
    files: z.array(z.string().min(1).max(4096)).max(20),
    changedPaths: z.array(z.string().min(1).max(4096)).max(200),
  }),
  /** `diff`: the annotated diff, without secrets. It is untrusted data. */
  z.object({ v, kind: z.literal('find'), eye: FinderEye, diff: z.string().max(MAX_FINDER_DIFF) }),
  z.object({ v, kind: z.literal('verify'), claim: ClaimToVerify }),
]);
export type Question = z.output<typeof Question>;

/**
 * - `answered`, `nothing_found`: the search is complete.
 * - `budget_exceeded`: the search is incomplete.
 * - `failed`: the result is unknown; `text` contains the notes so far.
 * - `refused`: the question cannot be answered.
 */
export const Notes = z.object({
  v,
  outcome: z.enum(['answered', 'nothing_found', 'budget_exceeded', 'failed', 'refused']),
  /** The explorer's notes in Markdown, which are untrusted data. */
  text: z.string().max(50_000),
  /** The answer to a question of the kind `verify`. Absent if there is none. */
  verification: VerifierAnswer.optional(),
  spent: Spent.default(NOTHING_SPENT),
});
export type Notes = z.output<typeof Notes>;

/** The ids under which the questions of a run, their notes and their conversations are stored. */
export const explorerId = (
  runId: string,
  { turns, index }: { readonly turns: number; readonly index: number },
): string => `${runId}-${turns}-${index + 1}`;

export const finderId = (runId: string, index: number): string => `${runId}-find-${index + 1}`;

export const verifierId = (runId: string, index: number): string => `${runId}-verify-${index + 1}`;

export const transcriptOfPart = (runId: string, number: number): string => `${runId}-part-${number}`;
