import type { DraftFinding } from '../../vocabulary/finding.ts';
import type { KeptParts } from './kept.ts';
import type { ReadSubmission } from './read-submission.ts';

/** `ids`: threads and findings whose entries must be corrected. */
export type Wrong = { readonly refused: ReadonlySet<DraftFinding>; readonly ids: ReadonlySet<string> };

export const keptOf = (
  { submission, usable }: ReadSubmission & { readonly kind: 'read' },
  { refused, ids }: Wrong,
): KeptParts => {
  const isRight = ({ findingId }: { readonly findingId: string }): boolean => !ids.has(findingId);
  const { walkthrough, findings, answers, fixed = [], refuted = [] } = submission;
  return {
    ...usable,
    notReviewed: [...usable.notReviewed],
    ...(walkthrough === undefined ? {} : { walkthrough }),
    findings: findings.filter((finding) => !refused.has(finding)),
    answers: answers.filter(isRight),
    fixed: fixed.filter(isRight),
    refuted: refuted.filter(isRight),
  };
};
