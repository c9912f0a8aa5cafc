import type { FixBrief } from '../../../shared/rounds/model/fix-brief.ts';
import type { FindingId } from '../../../shared/vocabulary/ids.ts';

/** Contains no text from a model, finding or repository, so that a forge finds no command or closing keyword in it. */
export const commitMessage = (
  { review, runId }: Pick<FixBrief, 'review' | 'runId'>,
  ids: readonly FindingId[],
): string =>
  [
    `fix: address findings of review ${review}`,
    '',
    `Fixpoint-Review: ${review}`,
    ...ids.map((id) => `Fixpoint-Finding: ${id}`),
    `Fixpoint-Run: ${runId}`,
    '',
  ].join('\n');
