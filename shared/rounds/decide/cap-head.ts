/** Decides whether a cap prevents the review of a head, and closes that head with a hand-off. */
import { change, type DecideInput, type Decision, emit } from './decision.ts';
import { countsOf, mayStartRun } from '../model/counts.ts';
import { withGrants } from '../model/policy.ts';
import type { Cap } from '../model/counts.ts';
import type { GuardState } from '../model/state.ts';
import { type Input, mayBeSameInput } from '../model/input.ts';

/** Returns the cap that prevents a run; null if a run may start. A change request without rounds left is still reviewed: see `Stage`. */
export const capReached = (state: GuardState, input: DecideInput): Cap | null => {
  if (input.facts.history.disowned) return 'identity';
  if (mayRun(state, input)) return null;
  const { maxSilent } = withGrants(input.policy, state.granted).rounds;
  return state.silentReviews >= maxSilent ? 'silent' : 'runs';
};

export const mayRun = (state: GuardState, { policy }: Pick<DecideInput, 'policy'>): boolean => {
  const runsUsed = state.runsUsed - (isTriedAgain(state) ? 1 : 0);
  return mayStartRun({ ...countsOf(state), runsUsed }, withGrants(policy, state.granted).rounds);
};

/** True if the wanted head was parked before: its run is already counted. */
const isTriedAgain = ({ parked, wanted }: GuardState): boolean =>
  parked !== null && parked.again && wanted !== null && mayBeSameInput(parked, wanted);

const CAP_REASONS: Readonly<Record<Cap, string>> = {
  runs: 'the limit of runs is reached',
  silent: 'the limit of reviews that asked for nothing is reached',
  identity: 'another account signs as this bot',
};

type Capped = { readonly input: Input; readonly cap: Cap };

export const capHead = (decision: Decision, { freshRunId }: DecideInput, { input, cap }: Capped): Decision => {
  // A superseded run may have left a request in `asked`. The hand-off answers it, too; otherwise every wake-up would
  // repeat the hand-off.
  const closed = change(decision, { wanted: null, asked: null, closed: [...decision.state.closed, input] });
  return emit(closed, { kind: 'post_cap', input, cap, noticeId: freshRunId }, CAP_REASONS[cap]);
};
