/** What a commander's call for a review means: a review, a repeated verdict, or one round more than the caps allow. */
import { change, type DecideInput, type Decision } from './decision.ts';
import type { Request } from './facts.ts';
import { MAX_GRANTS, withGrants } from './grants.ts';
import type { GuardState } from './state.ts';

/**
 * Null: this head is reviewed and nothing new was asked for, so its verdict is said again. Each call grants at most one
 * round: `--full` always, any other only where the caps would keep an unreviewed head from its review.
 */
export const hearCall = (board: Decision, call: Request, input: DecideInput): Decision | null => {
  const { state } = board;
  const head = input.facts.changeRequest?.head;
  // A run that may only carry is no answer to somebody who wants a review.
  const isReviewed = state.running?.head === head && state.running?.onlyCarry !== true;
  if (head === undefined || isReviewed) return board;
  const full = call.full === true;
  if (state.reviewedHeads.some((known) => known === head) && !full) return null;
  const grants = full || isCapped(state, input) ? 1 : 0;
  return change(board, {
    granted: Math.min(MAX_GRANTS, state.granted + grants),
    asked: { head, full, instructions: call.instructions ?? '' },
  });
};

const isCapped = ({ roundsDone, runsUsed, granted }: GuardState, { policy }: DecideInput): boolean => {
  const { max, maxRuns } = withGrants(policy, granted).rounds;
  return roundsDone >= max || runsUsed >= maxRuns;
};
