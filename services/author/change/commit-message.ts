import type { FixBrief } from '../../../shared/rounds/model/fix-brief.ts';
import type { FindingId } from '../../../shared/vocabulary/ids.ts';

/** Contains no text of a model, finding or repository, so that a forge finds no command or closing keyword in it. */
export const commitMessage = ({ round, runId }: Pick<FixBrief, 'round' | 'runId'>, ids: readonly FindingId[]): string =>
  [
    `fix: address review findings of round ${round}`,
    '',
    `Fixpoint-Round: ${round}`,
    ...ids.map((id) => `Fixpoint-Finding: ${id}`),
    `Fixpoint-Run: ${runId}`,
    '',
  ].join('\n');
