/** Ends a run whose result is on the forge. */
import { endReplies } from './decide-thread-replies.ts';
import { change, type DecideInput, type Decision, endRun } from './decision.ts';
import { countsOf, mergeCounts } from '../model/counts.ts';
import { inputIn, mayBeSameInput } from '../model/input.ts';
import { carriedBy, type Run } from '../model/run.ts';

export const completeRun = (decision: Decision, run: Run): Decision => {
  if (run.kind === 'reply' || run.kind === 'reevaluate') return endReplies(decision, run, 'the threads are answered');
  const settled = change(decision, {
    failedAttempts: 0,
    supersededInRow: 0,
    // The merge base is null until the forge shows the marker, which contains the one that the reviewer computed.
    reviewed: [...decision.state.reviewed, { ...inputIn(run), base: null }],
  });
  const { state } = settled;
  const counted = change(settled, run.countsAfter === undefined ? {} : mergeCounts(countsOf(state), run.countsAfter));
  if (carriedBy(run) !== undefined) return endRun(counted, 'the carried verdict is posted');
  const reviewsDone = Math.max(state.reviewsDone, run.review);
  return endRun(change(counted, { reviewsDone }), `review ${run.review} is posted`);
};

/**
 * True if the summary of this run is posted and only the poster's report is missing. The status is written last; if it is
 * missing, it is repaired like any other: see `follow-status.ts`.
 */
export const isPosted = (run: Run, { facts: { history } }: DecideInput): boolean =>
  run.kind === 'review' &&
  run.phase === 'posting' &&
  (history.reviewed.some((each) => each.review === run.review && mayBeSameInput(each, run)) ||
    (history.summary?.marker.run === run.runId && history.summary.marker.phase === 'posted'));
