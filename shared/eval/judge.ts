/** Whether a finding is the defect of a label: by its place, or by its words. The judge by model is `model-question.ts`. */
import { z } from 'zod';
import { type Claim, isSameClaim, similarity } from '../rounds/duplicates/duplicates.ts';
import type { Place } from '../vocabulary/finding.ts';
import type { EvalGolden } from './case.ts';
import { CaseId } from './case-fields.ts';
import type { EvalFinding, EvalReviewed } from './result.ts';

export const JudgeKind = z.enum(['place', 'words', 'model']);
export type JudgeKind = z.output<typeof JudgeKind>;

/** All pairs that a judge takes for the same defect, as indexes into the labels of the case and the findings of the result. */
export const JudgedResult = z.object({
  caseId: CaseId,
  repeat: z.number().int().positive(),
  pairs: z.array(z.object({ golden: z.number().int().nonnegative(), finding: z.number().int().nonnegative() })),
});
export type JudgedResult = z.output<typeof JudgedResult>;

export const EvalJudgement = z.object({
  v: z.literal(1),
  by: JudgeKind,
  /** Null unless a model judged. */
  model: z.string().nullable(),
  results: z.array(JudgedResult),
});
export type EvalJudgement = z.output<typeof EvalJudgement>;

/** Lines that a finding may be away from its label. */
export const NEAR_LABEL_LINES = 5;

const placeOf = ({ path, side, from, to }: EvalGolden): Place | null =>
  path === undefined || from === undefined ? null : { path, side, startLine: from, line: to ?? from };

/** Whether a judge can decide about a label: a place cannot be compared with a label that has none. */
export const isJudgeable = (golden: EvalGolden, by: JudgeKind): boolean => by !== 'place' || placeOf(golden) !== null;

export const isAtPlace = (golden: EvalGolden, finding: EvalFinding): boolean => {
  const place = placeOf(golden);
  if (place === null || place.path !== finding.path || place.side !== finding.side) return false;
  return place.startLine <= finding.line + NEAR_LABEL_LINES && finding.startLine <= place.line + NEAR_LABEL_LINES;
};

/** Labels without a title: their text is compared with both parts of the finding. */
const claimOf = ({ text }: EvalGolden, place: Place): Claim => ({ place, title: text, body: '', citedCode: '' });

/** `threshold`: the similarity from which on two findings of a change request count as one. A label without a place is compared by its words only. */
export const isSameByWords = (golden: EvalGolden, finding: EvalFinding, threshold: number): boolean => {
  if (golden.path !== undefined && golden.path !== finding.path) return false;
  const said: Claim = { place: finding, title: finding.title, body: finding.body, citedCode: finding.evidence };
  const place = placeOf(golden);
  return place === null
    ? similarity(claimOf(golden, finding), said) >= threshold
    : isSameClaim(claimOf(golden, place), said, threshold);
};

/** The labels with the whole path where theirs is only the end of one. */
export const withLabelPaths = (
  golden: readonly EvalGolden[],
  { labelPaths }: Pick<EvalReviewed, 'labelPaths'>,
): EvalGolden[] =>
  golden.map((label) =>
    label.path === undefined || label.pathEnd === undefined
      ? label
      : { ...label, path: labelPaths[label.path] ?? label.path },
  );

/** Contract: `isSame` is pure. */
export const pairsOf = (
  golden: readonly EvalGolden[],
  findings: readonly EvalFinding[],
  isSame: (golden: EvalGolden, finding: EvalFinding) => boolean,
): JudgedResult['pairs'] =>
  golden.flatMap((label, index) =>
    findings.flatMap((finding, at) => (isSame(label, finding) ? [{ golden: index, finding: at }] : [])),
  );
