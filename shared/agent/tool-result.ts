/** What came of one tool call, as a value that the transcript keeps. Texts are ready for the model: redacted and cut. */
import { z } from 'zod';
import { SubmissionProblem, Submission } from './submission/submission.ts';

/** One concern for one explorer. */
export const ExploreQuestion = z.object({
  question: z.string().min(10).max(4000),
  files: z.array(z.string().min(1).max(1000)).max(20),
});
export type ExploreQuestion = z.output<typeof ExploreQuestion>;

/** Lines of one file at the head, shown whole. */
export const ShownLines = z.object({
  path: z.string(),
  ranges: z.array(z.object({ startLine: z.number().int().positive(), endLine: z.number().int().positive() })),
});
export type ShownLines = z.output<typeof ShownLines>;

export const ToolResult = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('text'), text: z.string(), lines: ShownLines.optional() }),
  /** The model asked for something that does not exist, is not allowed or did not work; it may try otherwise. */
  z.object({ kind: z.literal('failed'), text: z.string() }),
  z.object({ kind: z.literal('noted'), text: z.string() }),
  z.object({ kind: z.literal('explore'), question: ExploreQuestion }),
  z.object({ kind: z.literal('submitted'), submission: Submission }),
  z.object({
    kind: z.literal('refused'),
    problems: z.array(SubmissionProblem).min(1),
    /** What can be taken when no correction is left; null when a violation stays. */
    fallback: Submission.nullable(),
    /** What the model wrote, when nothing of it could be read. */
    unreadable: z.string().nullable(),
  }),
]);
export type ToolResult = z.output<typeof ToolResult>;
