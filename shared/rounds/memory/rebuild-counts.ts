/** Rebuilds the counts of a change request from every summary and from the comments of its reviews. */
import type { Counts } from '../model/counts.ts';
import type { MarkerPayload } from '../model/marker-payload.ts';
import { isSummary, type OwnMarker } from './own-markers.ts';

/** `reviewsDone`: completed reviews. Comments of a review that is not complete do not count as a round. */
export const rebuildCounts = (own: readonly OwnMarker[], reviewsDone: number): Counts => {
  const summaries = own.filter(isSummary).map(({ payload }) => payload);
  const asking = new Set(own.filter(({ payload }) => asks(payload)).map(({ payload }) => payload.review));
  const most = (counts: readonly (number | undefined)[]): number => Math.max(0, ...counts.map((count) => count ?? 0));
  return {
    runsUsed: most(own.map(({ payload }) => ('runs' in payload ? payload.runs : 0))),
    // If there is no summary, the comments still show most of the rounds.
    roundsUsed: most([
      ...summaries.map(({ rounds }) => rounds),
      [...asking].filter((review) => review <= reviewsDone).length,
    ]),
    silentReviews: most(summaries.map(({ silent }) => silent)),
    carriedHeads: most(summaries.map(({ carried }) => carried)),
  };
};

const asks = (payload: MarkerPayload): boolean =>
  payload.kind === 'finding' ||
  (payload.kind === 'reply' && payload.note === undefined && payload.action !== 'resolve');
