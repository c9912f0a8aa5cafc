/**
 * Keeps the last summary that was seen, because the reviewed inputs and the cost exist only there, and somebody may
 * delete the summary or restore an older edit.
 */
import type { ForgeComment } from '../../forge/port-facts.ts';
import { keyOnForge } from '../../vocabulary/ids.ts';
import type { HistoryInput, OwnMarker, Summary } from './own-markers.ts';

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

/** Returns the stored summary as one more summary, if its author is still one of the bot's accounts. */
export const recall = (
  { remembered = null, key, botIds }: Pick<HistoryInput, 'remembered' | 'key' | 'botIds'>,
  standing: readonly OwnMarker[],
): readonly Summary[] => {
  if (remembered === null || keyOnForge(remembered.marker.cr) !== keyOnForge(key)) return [];
  if (!botIds.has(remembered.authorId)) return [];
  const { marker, body, authorId } = remembered;
  const shown = standing.find(({ payload }) => payload.kind === 'summary')?.comment ?? NOWHERE;
  const author = { id: authorId, login: shown.author?.login ?? '' };
  return [{ payload: marker, comment: { ...shown, author, body, updatedAtMs: 0 } }];
};
