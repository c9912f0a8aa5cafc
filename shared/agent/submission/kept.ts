/** The valid part of a refused submission. The next submission of the conversation needs to contain only what was refused. */
import { z } from 'zod';
import { collapseBlanks } from '../../text/collapse-blanks.ts';
import { OmittedFile } from '../../vocabulary/coverage.ts';
import { DraftFinding, Refutation, ReportedFix, ThreadAnswer } from '../../vocabulary/finding.ts';
import { Walkthrough } from '../../vocabulary/walkthrough.ts';

export const KeptParts = z.object({
  /** Null if there was none that could be used. */
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

/** A finding that is given again under its title replaces the kept one. The gate finds other duplicates. */
export const keepFindings = (
  kept: readonly DraftFinding[],
  given: readonly DraftFinding[],
): readonly DraftFinding[] => {
  const isGiven = ({ path, title }: DraftFinding): boolean =>
    given.some((other) => other.path === path && wordsOf(other.title) === wordsOf(title));
  return [...kept.filter((finding) => !isGiven(finding)), ...given];
};

type Named = { readonly findingId: string };

/** What is given again replaces what was kept under its id. */
export const keepNamed = <Each extends Named>(kept: readonly Each[], given: readonly Each[]): readonly Each[] => [
  ...kept.filter(({ findingId }) => !given.some((other) => other.findingId === findingId)),
  ...given,
];

/** A summary that is much shorter than the kept one only says what was corrected. */
export const keepSummary = (kept: string | null, given: string | null): string | null =>
  kept !== null && (given ?? '').length < kept.length / 2 ? kept : given;
