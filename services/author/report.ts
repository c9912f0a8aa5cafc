import type { FixBrief, FixReport } from '../../shared/rounds/model/fix-brief.ts';
import { addSpent, type Spent } from '../../shared/vocabulary/spent.ts';
import type { FixWork } from './change/agent.ts';

export type Made = Pick<FixReport, 'commit' | 'touchedFiles'>;

/** If `addressed` is missing, all findings in touched files count as addressed. A declined finding never counts as addressed. */
export const reportOf = (
  { runId, head, review, findings }: Pick<FixBrief, 'runId' | 'head' | 'review' | 'findings'>,
  work: FixWork,
  made: Made,
): FixReport => {
  const declined = new Set(work.declines.map(({ findingId }) => findingId));
  const byFile = findings.filter(({ place }) => made.touchedFiles.includes(place.path)).map(({ id }) => id);
  return {
    v: 1,
    runId,
    head,
    review,
    ...made,
    touchedFiles: [...made.touchedFiles],
    summary: work.summary,
    addressedFindingIds: (work.addressed ?? byFile).filter((id) => !declined.has(id)),
    declines: [...work.declines],
    spent: work.spent,
    failedValidations: [],
  };
};

/** Adds the spending of one more execution. The commit is kept, because it may have been pushed. */
export const withSpent = (
  earlier: FixReport | null,
  { runId, head, review }: Pick<FixBrief, 'runId' | 'head' | 'review'>,
  spent: Spent,
): FixReport => {
  const nothing = { commit: null, touchedFiles: [], summary: '', addressedFindingIds: [], declines: [] };
  const report = earlier ?? { v: 1, runId, head, review, ...nothing, failedValidations: [], spent };
  return { ...report, spent: addSpent(earlier?.spent ?? null, spent) };
};
