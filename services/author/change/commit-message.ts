import type { FixBrief } from '../../../shared/rounds/model/fix-brief.ts';
import type { FindingId } from '../../../shared/vocabulary/ids.ts';

/**
 * A fixed template: no word of a model, a finding or a repository stands in it, so that no forge finds a command, a
 * reference or a closing word.
 */
export const commitMessage = ({ round, runId }: Pick<FixBrief, 'round' | 'runId'>, ids: readonly FindingId[]): string =>
  [
    `fix: address review findings of round ${round}`,
    '',
    `Fixpoint-Round: ${round}`,
    ...ids.map((id) => `Fixpoint-Finding: ${id}`),
    `Fixpoint-Run: ${runId}`,
    '',
  ].join('\n');
