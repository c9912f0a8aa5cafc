/** The valid part of a refused submission. The next submission of the conversation needs to contain only what was refused. */
import { z } from 'zod';
import { collapseBlanks } from '../../text/collapse-blanks.ts';
import { OmittedFile } from '../../vocabulary/coverage.ts';
import { DraftFinding, Refutation, ReportedFix, ThreadAnswer } from '../../vocabulary/finding.ts';
import { Walkthrough } from '../../vocabulary/walkthrough.ts';

export const KeptParts = z.object({
  /** Null if no usable summary was given. */
  summary: z.string().nullable(),
  walkthrough: Walkthrough.optional(),
  findings: z.array(DraftFinding),
  answers: z.array(ThreadAnswer),
  fixed: z.array(ReportedFix),
  refuted: z.array(Refutation),
  notReviewed: z.array(OmittedFile),
});
export type KeptParts = z.output<typeof KeptParts>;

const wordsOf = (title: string): string => collapseBlanks(title).toLowerCase();

/** A finding that is given again with the same title replaces the kept one. The gate finds other duplicates. */
export const keepFindings = (
  kept: readonly DraftFinding[],
  given: readonly DraftFinding[],
): readonly DraftFinding[] => {
  const isGiven = ({ path, title }: DraftFinding): boolean =>
    given.some((other) => other.path === path && wordsOf(other.title) === wordsOf(title));
  return [...kept.filter((finding) => !isGiven(finding)), ...given];
};

type Named = { readonly findingId: string };

/** An entry that is given again replaces the kept entry with the same id. */
export const keepNamed = <Each extends Named>(kept: readonly Each[], given: readonly Each[]): readonly Each[] => [
  ...kept.filter(({ findingId }) => !given.some((other) => other.findingId === findingId)),
  ...given,
];

/** A summary that is much shorter than the kept one is not used, because it only describes the correction. */
export const keepSummary = (kept: string | null, given: string | null): string | null =>
  kept !== null && (given ?? '').length < kept.length / 2 ? kept : given;
