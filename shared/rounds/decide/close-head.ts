/** Decides whether a cap prevents the review of a head, and closes that head with a hand-off. */
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

/** True when the wanted head was parked before: its run is already counted. */
const isTriedAgain = ({ parked, wanted }: GuardState): boolean =>
  parked !== null && parked.again && wanted !== null && mayBeSameInput(parked, wanted);

/**
 * True when only rounds are used up and the head may be a reviewed change on a newer base. Some forges require that
 * update before a merge, so the change needs its verdict there. The check takes a run, but calls no model.
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
  // This also answers the request that a superseded run left in `asked`; otherwise every wake would repeat it.
  const closed = change(decision, { wanted: null, asked: null, closed: [...decision.state.closed, input] });
  return emit(closed, { kind: 'post_cap', input, cap, noticeId: freshRunId }, CAP_REASONS[cap]);
};
