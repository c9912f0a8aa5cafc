import { change, type DecideInput, type Decision, isReviewed } from './decision.ts';
import { inputOf, mayBeSameInput } from '../model/input.ts';
import { MAX_GRANTS, withGrants } from '../model/policy.ts';
import type { ReviewCommand } from '../model/facts.ts';
import type { GuardState } from '../model/state.ts';

/**
 * Null when the verdict is only repeated: the input was reviewed and `--full` is not set. A request grants at most one
 * round: `--full` always does, any other only when the caps would prevent the review.
 */
export const grantReview = (
  decision: Decision,
  call: Pick<ReviewCommand, 'full' | 'instructions'>,
  input: DecideInput,
): Decision | null => {
  const { state } = decision;
  const { running } = state;
  const { changeRequest } = input.facts;
  if (changeRequest === null) return decision;
  const present = inputOf(changeRequest);
  // A carry run does not answer a review request.
  if (running !== null && running.kind !== 'carry' && mayBeSameInput(running, present)) return decision;
  const full = call.full === true;
  if (isReviewed(state, present) && !full) return null;
  const grants = full || isCapped(state, input) ? 1 : 0;
  return change(decision, {
    granted: Math.min(MAX_GRANTS, state.granted + grants),
    asked: { ...present, full, instructions: call.instructions ?? '' },
  });
};

const isCapped = ({ roundsDone, runsUsed, granted }: GuardState, { policy }: DecideInput): boolean => {
  const { max, maxRuns } = withGrants(policy, granted).rounds;
  return roundsDone >= max || runsUsed >= maxRuns;
};
