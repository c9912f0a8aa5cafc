/** The output of `fixpoint review --format json`. The schema file beside this one is published; a test compares them. */
import { z } from 'zod';
import { ExceededBudget } from '../../../shared/vocabulary/exceeded.ts';
import { CommitSha, FindingId, ForgeId } from '../../../shared/vocabulary/ids.ts';
import { Relation, Severity, Side, Verdict } from '../../../shared/vocabulary/finding.ts';
import { ReviewMode } from '../../../shared/vocabulary/review-mode.ts';
import { Coverage } from '../../../shared/vocabulary/coverage.ts';
import { Spent } from '../../../shared/vocabulary/spent.ts';

/** Lines of a file around a finding; the first one is `startLine`. Detected secrets are removed. */
export const CodeFrame = z.object({ startLine: z.number().int().positive(), lines: z.array(z.string()) });
export type CodeFrame = z.output<typeof CodeFrame>;

export const ReviewedFinding = z.object({
  id: FindingId,
  severity: Severity,
  blocking: z.boolean(),
  relation: Relation,
  path: z.string(),
  side: Side,
  startLine: z.number().int().positive(),
  line: z.number().int().positive(),
  title: z.string(),
  body: z.string(),
  evidence: z.string(),
  suggestion: z.string().nullable(),
  /** The built-in rule that made the finding; null when a model made it. */
  rule: z.string().nullable(),
  /** The code there. Null when it could not be read. */
  code: CodeFrame.nullable().optional(),
});

export type ReviewedFinding = z.output<typeof ReviewedFinding>;

export const ReviewerKind = z.enum(['rules', 'agent', 'claude-code']);
export type ReviewerKind = z.output<typeof ReviewerKind>;

/** The compared commits. For uncommitted changes, the head is a temporary commit of this review. */
export const ReviewedCommits = z.object({
  head: CommitSha,
  target: CommitSha,
  /** Null when head and target share no commit. */
  mergeBase: CommitSha.nullable(),
});

/** The change request of a forge that was reviewed. */
export const ReviewedChangeRequest = z.object({
  forge: ForgeId,
  projectId: z.number().int().positive(),
  number: z.number().int().positive(),
  /** Address of the summary, or of the change request if there is no summary. */
  url: z.string(),
  title: z.string(),
  /** Null when the head got its verdict without a review. */
  review: z.number().int().positive().nullable(),
  /** False when the verdict existed before, because the same head is not reviewed twice. */
  isNew: z.boolean(),
  /** True when the result is on the forge. */
  isPosted: z.boolean(),
});

export const ReviewOutput = z
  .object({
    version: z.string(),
    runner: ReviewerKind,
    /** Null in the mode `codebase`. */
    commits: ReviewedCommits.nullable(),
    mode: ReviewMode.default('change'),
    /** Absent for a review of code on this machine. */
    changeRequest: ReviewedChangeRequest.optional(),
    verdict: Verdict,
    summary: z.string(),
    findings: z.array(ReviewedFinding),
    /** P0 and P1 claims of a model whose quotation is not in the file: not findings, but they prevent a pass. */
    unverified: z.array(ReviewedFinding.omit({ id: true, blocking: true })).default([]),
    /** Findings of a model that a verifier refuted, with the code that refutes each. Absent if there are none. */
    refuted: z
      .array(z.object({ path: z.string(), line: z.number().int().positive(), title: z.string(), evidence: z.string() }))
      .optional(),
    coverage: Coverage,
    /** Findings that the `[[ignore]]` entries of the base silence. */
    ignored: z.number().int().nonnegative().default(0),
    /** The budget that ended the review early. Null when no budget did. */
    exceeded: ExceededBudget.nullable(),
    /** Notes about the repository's settings, and about instruction files that the change edits. */
    notes: z.array(z.string()).default([]),
    spent: Spent,
  })
  .meta({
    title: 'fixpoint review',
    description: 'The result of one review; line numbers start at 1 and refer to their side of the diff.',
  });
export type ReviewOutput = z.output<typeof ReviewOutput>;

export type Reviewed = Pick<ReviewOutput, 'mode' | 'runner' | 'commits'>;
