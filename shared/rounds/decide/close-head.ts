/** When a cap keeps a head from its review: which, what is left to do for it, and its last word. */
import { carriedVerdict } from '../model/carried.ts';
import { change, type DecideInput, type Decision, emit } from './decision.ts';
import { lastReviewed } from '../model/history.ts';
import { withGrants } from '../model/policy.ts';
import type { Cap } from '../model/effect.ts';
import type { GuardState } from '../model/state.ts';
import { type Input, mayBeSameInput } from '../model/input.ts';

export const capReached = (state: GuardState, input: DecideInput): Cap | null => {
  if (input.facts.history.disowned) return 'identity';
  if (state.roundsDone >= withGrants(input.policy, state.granted).rounds.max) return 'rounds';
  return isOutOfRuns(state, input) ? 'runs' : null;
};

const isOutOfRuns = (state: GuardState, { policy }: DecideInput): boolean =>
  state.runsUsed - (isTriedAgain(state) ? 1 : 0) >= withGrants(policy, state.granted).rounds.maxRuns;

/** Its run was counted when it began the first time. */
const isTriedAgain = ({ parked, wanted }: GuardState): boolean =>
  parked !== null && parked.again && wanted !== null && mayBeSameInput(parked, wanted);

/**
 * Without a round left a head may still be the last reviewed one on a newer base: where the forge asks for that before a merge,
 * no verdict for it would be a dead end. Looking takes a run, and no model.
 */
export const mayOnlyCarry = (state: GuardState, input: DecideInput): boolean => {
  const { history } = input.facts;
  const last = lastReviewed(history);
  if (last === null || carriedVerdict(last, history.threads) === null) return false;
  return capReached(state, input) === 'rounds' && !isOutOfRuns(state, input);
};

const CAP_REASONS: Readonly<Record<Cap, string>> = {
  rounds: 'the cap of rounds is reached',
  runs: 'the cap of runs is reached',
  identity: 'another account signs as this bot',
};

type Closing = { readonly input: Input; readonly cap: Cap };

export const closeHead = (decision: Decision, { freshRunId }: DecideInput, { input, cap }: Closing): Decision => {
  // A question that a superseded run has left is answered with this: else every look would ask it again.
  const closed = change(decision, { wanted: null, asked: null, closed: [...decision.state.closed, input] });
  return emit(closed, { kind: 'post_cap', input, cap, noticeId: freshRunId }, CAP_REASONS[cap]);
};
