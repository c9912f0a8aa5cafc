/** Finds the run of another process that posts, or has posted, the review of a plan. The plan is then not posted. */
import type { OtherRun } from '../model/events.ts';
import { inputOfMarker } from '../memory/input-of-marker.ts';
import type { OwnMarker } from '../memory/own-markers.ts';
import { mayBeSameInput } from '../model/input.ts';
import type { FindingMarker, SummaryMarker } from '../model/marker-payload.ts';
import type { PostPlan } from '../model/posting/post-plan.ts';

/** `own`: oldest first. Null if the plan may be posted. A plan that is partly on the forge is completed. */
export const otherReviewer = (plan: PostPlan, own: readonly OwnMarker[]): OtherRun | null => {
  if ((plan.kind !== 'review' && plan.kind !== 'announce') || plan.summary === null) return null;
  const mine = plan.summary.marker;
  const payloads = own.map(({ payload }) => payload);
  if (payloads.some((payload) => payload.run === mine.run && isResult(payload))) return null;
  // A newer summary is a duplicate, and its run gives way.
  const standing = payloads.find(({ kind }) => kind === 'summary');
  const other = payloads.find(
    (payload) =>
      payload.run !== mine.run &&
      ((payload.kind === 'summary' &&
        (hasReviewed(payload, mine) || (payload === standing && announces(payload, mine)))) ||
        (payload.kind === 'finding' && isOfSameAttempt(payload, mine))),
  );
  if (other === undefined) return null;
  const { run, review, attempt } = other;
  const until = other.kind === 'summary' && other.phase === 'reviewing' ? other.until : null;
  return { run, review, attempt, until };
};

const isResult = (payload: OwnMarker['payload']): boolean =>
  payload.kind === 'finding' || (payload.kind === 'summary' && payload.phase === 'posted');

/** The number of completed reviews only grows, so this number is already used. */
const hasReviewed = ({ phase, review, reviewed }: SummaryMarker, mine: SummaryMarker): boolean =>
  phase === 'posted' && review >= mine.review && reviewed.some((known) => known.review >= mine.review);

/** A later attempt replaces an earlier one. */
const announces = (payload: SummaryMarker, mine: SummaryMarker): boolean =>
  payload.phase === 'reviewing' &&
  payload.replies === undefined &&
  payload.runs >= mine.runs &&
  payload.attempt >= mine.attempt &&
  mayBeSameInput(inputOfMarker(payload), inputOfMarker(mine));

/** The findings of an earlier attempt are known, and this attempt adds what they lack. */
const isOfSameAttempt = ({ review, attempt, head }: FindingMarker, mine: SummaryMarker): boolean =>
  review === mine.review && attempt >= mine.attempt && head === mine.head;
