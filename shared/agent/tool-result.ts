/** The result of one tool call, as the transcript keeps it. Texts are already redacted and cut. */
import { z } from 'zod';
import { KeptParts } from './submission/kept.ts';
import { SubmissionProblem, Submission } from './submission/submission.ts';
import { ClaimToVerify, VerifierAnswer } from '../vocabulary/verification.ts';

export const ExploreQuestion = z.object({
  question: z.string().min(10).max(4000),
  files: z.array(z.string().min(1).max(1000)).max(20),
});
export type ExploreQuestion = z.output<typeof ExploreQuestion>;

/** Line ranges of one file at the head that were shown in full. */
export const ShownLines = z.object({
  path: z.string(),
  ranges: z.array(z.object({ startLine: z.number().int().positive(), endLine: z.number().int().positive() })),
});
export type ShownLines = z.output<typeof ShownLines>;

export const ToolResult = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), text: z.string(), lines: ShownLines.optional() }),
  /** The requested object does not exist, is not allowed or failed. The model may try something else. */
  z.object({ kind: z.literal('failed'), text: z.string() }),
  z.object({ kind: z.literal('noted'), text: z.string() }),
  z.object({ kind: z.literal('explore'), question: ExploreQuestion }),
  /** `claims`: the claims to verify now. Absent if claims are not verified. */
  z.object({ kind: z.literal('submitted'), submission: Submission, claims: z.array(ClaimToVerify).optional() }),
  z.object({ kind: z.literal('verified'), verification: VerifierAnswer }),
  z.object({
    kind: z.literal('refused'),
    problems: z.array(SubmissionProblem).min(1),
    /** The valid part, which is accepted when no correction is left. Null when there is a violation. */
    fallback: Submission.nullable(),
    /** The claims to verify if `fallback` is accepted. Absent if claims are not verified. */
    fallbackClaims: z.array(ClaimToVerify).optional(),
    /** The parts that need not be submitted again. Absent or null if nothing was accepted. */
    kept: KeptParts.nullable().optional(),
    /** The model's raw text if no review could be read from it, otherwise null. */
    unreadable: z.string().nullable(),
  }),
]);
export type ToolResult = z.output<typeof ToolResult>;
