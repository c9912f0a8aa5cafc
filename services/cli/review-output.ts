/** What `fixpoint review --format json` prints. The schema beside this file is published; a test keeps them equal. */
import { z } from 'zod';
import { Coverage, FindingId, Relation, Severity, Side, Spent, Verdict } from '../../shared/rounds/vocabulary.ts';

export const ReviewedFinding = z.object({
  id: FindingId,
  severity: Severity,
  relation: Relation,
  path: z.string(),
  side: Side,
  startLine: z.number().int().positive(),
  line: z.number().int().positive(),
  title: z.string(),
  body: z.string(),
  evidence: z.string(),
  suggestion: z.string().nullable(),
});

export const ReviewMode = z.enum(['change', 'codebase']);
export type ReviewMode = z.output<typeof ReviewMode>;

export const ReviewOutput = z
  .object({
    mode: ReviewMode.default('change'),
    verdict: Verdict,
    summary: z.string(),
    findings: z.array(ReviewedFinding),
    /** P0 and P1 of a model whose quotation stands nowhere in the file: never a pass, and no finding either. */
    unverified: z.array(ReviewedFinding.omit({ id: true })).default([]),
    coverage: Coverage,
    /** About the settings of the repository, and instructions that the change edits. */
    notes: z.array(z.string()).default([]),
    spent: Spent,
  })
  .meta({ title: 'fixpoint review', description: 'The result of one local review; lines count from 1 on their side.' });
export type ReviewOutput = z.output<typeof ReviewOutput>;

export const reviewOutputSchema = (): unknown => z.toJSONSchema(ReviewOutput);
