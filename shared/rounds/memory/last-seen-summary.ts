/**
 * The living summary as guard has seen it last, kept beside its state: somebody may delete it, or restore an older edit,
 * and what only it says (which inputs were reviewed, what was spent) must not be lost by that.
 */
import type { ForgeComment } from '../../forge/port-facts.ts';
import type { HistoryInput, OwnMarker, Summary } from './own-markers.ts';

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
