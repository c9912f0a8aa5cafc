/**
 * The head may stand still while the target branch or the merge base becomes another one: by an edit of the change
 * request, or by a push to the target of which no event of the change request tells. Whatever wakes guard shows it.
 */
import { whyNotReviewed, requestReview } from './decide-triggers.ts';
import { type DecideInput, type Decision, isDoubtful, isOtherInput } from './decision.ts';
import { inputOf, mayBeSameInput, type Input } from '../model/input.ts';
import type { GuardState } from '../model/state.ts';

/** As a push: the same settings say whether it is reviewed. What is doubtful is compared, or reviewed, by a run. */
export const followInput = (decision: Decision, input: DecideInput): Decision => {
  const { changeRequest } = input.facts;
  if (changeRequest === null || input.events.length === 0 || !input.policy.triggers.includes('pushed')) return decision;
  const present = inputOf(changeRequest);
  const isOther = isOtherInput(decision.state, present) || isLeftBehind(decision.state, present);
  const wish = { explicit: false, call: null, why: whyOf(decision.state, present) };
  return isOther && whyNotReviewed(decision, wish, input) === null ? requestReview(decision, wish, input) : decision;
};

/** The run in progress has the present head, with another target branch or merge base. */
const isLeftBehind = ({ running }: GuardState, present: Input): boolean =>
  running !== null && running.head === present.head && !mayBeSameInput(running, present);

const whyOf = (state: GuardState, present: Input): string =>
  isDoubtful(state, present) ? 'its merge base is not known' : 'its target branch or its merge base is another one';
