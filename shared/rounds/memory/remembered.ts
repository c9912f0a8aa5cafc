/**
 * The living summary as guard has seen it last, kept beside its state: somebody may delete it, or restore an older edit,
 * and what only it says (which inputs were reviewed, what was spent) must not be lost by that.
 */
import { z } from 'zod';
import type { ForgeComment } from '../../forge/port.ts';
import { SummaryMarker } from '../model/marker-payload.ts';
import type { HistoryInput, OwnMarker, Summary } from '../model/history.ts';

export const RememberedSummary = z.object({ marker: SummaryMarker, body: z.string(), authorId: z.number().int() });
export type RememberedSummary = z.output<typeof RememberedSummary>;

/** A comment that the forge does not show. */
const NOWHERE: ForgeComment = {
  id: '',
  kind: 'conversation',
  threadId: null,
  author: null,
  body: '',
  createdAtMs: 0,
  updatedAtMs: 0,
  place: null,
  resolved: null,
  webUrl: '',
};

/** It counts beside what stands on the forge, like a further summary, as long as its author is or was the bot. */
export const recall = (
  { remembered = null, key, botIds }: Pick<HistoryInput, 'remembered' | 'key' | 'botIds'>,
  standing: readonly OwnMarker[],
): readonly Summary[] => {
  if (remembered === null || remembered.marker.cr !== key || !botIds.has(remembered.authorId)) return [];
  const { marker, body, authorId } = remembered;
  const shown = standing.find(({ payload }) => payload.kind === 'summary')?.comment ?? NOWHERE;
  const author = { id: authorId, login: shown.author?.login ?? '' };
  return [{ payload: marker, comment: { ...shown, author, body, updatedAtMs: 0 } }];
};
