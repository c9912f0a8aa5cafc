/** Detects a new target branch or merge base at an unchanged head. Checks on every wake-up: a push to the target sends no event. */
import { whyNotReviewed, requestReview } from './decide-triggers.ts';
import { type DecideInput, type Decision, isDoubtful, isOtherInput } from './decision.ts';
import { inputOf, mayBeSameInput, type Input } from '../model/input.ts';
import type { GuardState } from '../model/state.ts';

/** Handles a new input like a push. If only git can tell whether the input is new, a run compares it. */
export const followInput = (decision: Decision, input: DecideInput): Decision => {
  const { changeRequest } = input.facts;
  if (changeRequest === null || input.events.length === 0 || !input.policy.triggers.includes('pushed')) return decision;
  const present = inputOf(changeRequest);
  const isOther = isOtherInput(decision.state, present) || isLeftBehind(decision.state, present);
  const wish = { explicit: false, call: null, why: whyOf(decision.state, present) };
  return isOther && whyNotReviewed(decision, wish, input) === null ? requestReview(decision, wish, input) : decision;
};

/** True if the running review has the current head but another target branch or merge base. */
const isLeftBehind = ({ running }: GuardState, present: Input): boolean =>
  running !== null && running.head === present.head && !mayBeSameInput(running, present);

const whyOf = (state: GuardState, present: Input): string =>
  isDoubtful(state, present) ? 'the merge base is not known' : 'the target branch or merge base has changed';
