/** What `fixpoint review --format json` prints. The schema beside this file is published; a test keeps them equal. */
import { z } from 'zod';
import { ExceededBudget } from '../../../shared/vocabulary/exceeded.ts';
import { CommitSha, FindingId } from '../../../shared/vocabulary/ids.ts';
import { Relation, Severity, Side, Verdict } from '../../../shared/vocabulary/finding.ts';
import { ReviewMode } from '../../../shared/vocabulary/review-mode.ts';
import { Coverage } from '../../../shared/vocabulary/coverage.ts';
import { Spent } from '../../../shared/vocabulary/spent.ts';

export const ReviewedFinding = z.object({
  id: FindingId,
  severity: Severity,
  /** Whether it keeps the change from a pass. */
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
  /** The built-in rule that made the claim, or null when a model did. */
  rule: z.string().nullable(),
});

export const ReviewerKind = z.enum(['rules', 'agent', 'claude-code']);
export type ReviewerKind = z.output<typeof ReviewerKind>;

/** What was compared. A head that is not committed is a commit of its own, which only this review knows. */
export const ReviewedCommits = z.object({
  head: CommitSha,
  target: CommitSha,
  /** Where the change begins; null where the two share no commit. */
  mergeBase: CommitSha.nullable(),
});

export const ReviewOutput = z
  .object({
    /** Of Fixpoint. */
    version: z.string(),
    runner: ReviewerKind,
    /** Null in the mode `codebase`. */
    commits: ReviewedCommits.nullable(),
    mode: ReviewMode.default('change'),
    verdict: Verdict,
    summary: z.string(),
    findings: z.array(ReviewedFinding),
    /** P0 and P1 of a model whose quotation stands nowhere in the file: never a pass, and no finding either. */
    unverified: z.array(ReviewedFinding.omit({ id: true, blocking: true })).default([]),
    coverage: Coverage,
    /** The budget that ended the review before its end; null when none did. */
    exceeded: ExceededBudget.nullable(),
    /** About the settings of the repository, and instructions that the change edits. */
    notes: z.array(z.string()).default([]),
    spent: Spent,
  })
  .meta({ title: 'fixpoint review', description: 'The result of one local review; lines count from 1 on their side.' });
export type ReviewOutput = z.output<typeof ReviewOutput>;

/** What is known before anything is reviewed. */
export type Reviewed = Pick<ReviewOutput, 'mode' | 'runner' | 'commits'>;
