/** What a fix leaves in the store for guard, whatever its end. */
import type { FixBrief, FixReport } from '../../shared/rounds/model/fix-brief.ts';
import { addSpent, type Spent } from '../../shared/vocabulary/spent.ts';
import type { FixWork } from './change/agent.ts';

export type Made = Pick<FixReport, 'commit' | 'touchedFiles'>;

/** An agent that does not say what it has addressed is taken by the files that it touched. A decline goes before both. */
export const reportOf = (
  { runId, head, round, findings }: Pick<FixBrief, 'runId' | 'head' | 'round' | 'findings'>,
  work: FixWork,
  made: Made,
): FixReport => {
  const declined = new Set(work.declines.map(({ findingId }) => findingId));
  const byFile = findings.filter(({ place }) => made.touchedFiles.includes(place.path)).map(({ id }) => id);
  return {
    v: 1,
    runId,
    head,
    round,
    ...made,
    touchedFiles: [...made.touchedFiles],
    summary: work.summary,
    addressedFindingIds: (work.addressed ?? byFile).filter((id) => !declined.has(id)),
    declines: [...work.declines],
    spent: work.spent,
    failedValidations: [],
  };
};

/**
 * An earlier execution of the job with what one more has spent. It keeps the commit: a push of it may still come to
 * light.
 */
export const withSpent = (
  earlier: FixReport | null,
  { runId, head, round }: Pick<FixBrief, 'runId' | 'head' | 'round'>,
  spent: Spent,
): FixReport => {
  const nothing = { commit: null, touchedFiles: [], summary: '', addressedFindingIds: [], declines: [] };
  const report = earlier ?? { v: 1, runId, head, round, ...nothing, failedValidations: [], spent };
  return { ...report, spent: addSpent(earlier?.spent ?? null, spent) };
};
