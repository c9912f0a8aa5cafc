/** What a model reports fixed: settled threads only, each with a quotation. */
import { z } from 'zod';
import type { FindingId, ReportedFix } from '../rounds/vocabulary.ts';
import { named } from './read-answers.ts';

const GivenFix = z.object({ evidence: z.string().max(4000) });

export type ReadFixed = { readonly fixed: readonly ReportedFix[]; readonly problems: readonly string[] };

/** What is wrong is named, and left out: a thread that nobody shows fixed stays with its human. */
export const readFixed = (given: unknown, settled: readonly FindingId[]): ReadFixed => {
  const entries = named(given);
  if (entries === null) return { fixed: [], problems: ['fixed: must be an object with one property per thread'] };
  const fixed: ReportedFix[] = [];
  const problems: string[] = [];
  for (const { id, value } of entries) {
    const findingId = settled.find((each) => each === id);
    const fix = GivenFix.safeParse(value);
    if (findingId === undefined) problems.push(`fixed: ${id} is no thread that waits for a person`);
    else if (fixed.some((each) => each.findingId === findingId)) problems.push(`fixed: ${id} stands there twice`);
    else if (fix.success) fixed.push({ findingId, evidence: fix.data.evidence, rule: null });
    else problems.push(`fixed: ${id}: evidence must be a text of at most 4000 characters`);
  }
  return { fixed, problems: problems.slice(0, 10) };
};
