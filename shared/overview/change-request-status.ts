/** What a change request is doing, for `fixpoint status` and the operator's page. */
import { isPaused } from '../rounds/model/command-reply.ts';
import { spentRuns } from '../rounds/model/counts.ts';
import { type GrantedRounds, withGrants } from '../rounds/model/policy.ts';
import type { Run } from '../rounds/model/run.ts';
import type { GuardState, Parked } from '../rounds/model/state.ts';
import { type ChangeRequest, changeRequestKey } from '../vocabulary/ids.ts';

/**
 * `running`: a run is active. `waiting_ci`: a review is ready and waits for CI. `fixing`: the author is working.
 * `wanted`: a head waits for a report of CI or for a slot. `quiet`: a head waits until pushes stop. `idle`: nothing to do.
 */
export type Doing = 'running' | 'waiting_ci' | 'fixing' | 'wanted' | 'quiet' | 'idle';

export type ChangeRequestStatus = {
  readonly changeRequest: string;
  readonly doing: Doing;
  readonly why: string;
  readonly head: string | null;
  /** Seconds until the deadline of the current activity; null if there is no deadline. */
  readonly secondsLeft: number | null;
  readonly rounds: { readonly used: number; readonly max: number };
  readonly runs: { readonly used: number; readonly max: number };
  readonly fixes: number;
  readonly paused: boolean;
};

/** `policy`: the settings, or guard's policy. */
type Now = { readonly nowMs: number; readonly policy: GrantedRounds };

export const changeRequestStatus = (of: ChangeRequest, state: GuardState, now: Now): ChangeRequestStatus => {
  const { rounds } = withGrants(now.policy, state.granted);
  return {
    changeRequest: changeRequestKey(of).replaceAll('.', '/'),
    ...workOf(state, now.nowMs),
    rounds: { used: state.roundsUsed, max: rounds.max },
    runs: { used: spentRuns(state), max: rounds.maxRuns },
    fixes: state.fixesUsed,
    paused: isPaused(state.pauses),
  };
};

type Work = Pick<ChangeRequestStatus, 'doing' | 'why' | 'head' | 'secondsLeft'>;

const IDLE: Work = { doing: 'idle', why: 'nothing to do', head: null, secondsLeft: null };

/** `untilMs` is null when only a restart or a commander's request can end the wait. */
const parkedWork = ({ head, code, untilMs }: Parked, until: (ms: number) => number): Work => ({
  doing: 'idle',
  why: untilMs === null ? `waits for a restart or a request (${code})` : `will be retried after an outage (${code})`,
  head,
  secondsLeft: untilMs === null ? null : until(untilMs),
});

const workOf = ({ running, fixing, wanted, reportWait, quiet, parked }: GuardState, nowMs: number): Work => {
  const until = (ms: number): number => Math.max(0, Math.ceil((ms - nowMs) / 1000));
  if (running !== null) {
    const doing = running.phase === 'waiting_ci' ? 'waiting_ci' : 'running';
    return { doing, why: wordsFor(running), head: running.head, secondsLeft: until(running.deadlineMs) };
  }
  if (fixing !== null) {
    const why = `fix ${fixing.number} for review ${fixing.review} is ${fixing.phase}`;
    return { doing: 'fixing', why, head: fixing.head, secondsLeft: until(fixing.deadlineMs) };
  }
  if (wanted !== null) {
    const { head } = wanted;
    const mayWaitForCi = reportWait?.head === head && nowMs < reportWait.untilMs;
    const why = mayWaitForCi ? 'waits for a CI job that makes a report, or for a free slot' : 'waits for a free slot';
    return { doing: 'wanted', why, head, secondsLeft: null };
  }
  if (quiet !== null) {
    const why = 'waits for pushes to settle';
    return { doing: 'quiet', why, head: quiet.head, secondsLeft: until(quiet.untilMs) };
  }
  return parked === null || parked.again ? IDLE : parkedWork(parked, until);
};

const PHASES: Readonly<Record<Run['phase'], string>> = {
  announcing: 'is being announced',
  reviewing: 'is under review',
  waiting_ci: 'is ready and waits for the CI of its head',
  posting: 'is being posted',
  giving_up: 'has failed and is being handed off',
};

const nameOf = (run: Run): string => {
  switch (run.kind) {
    case 'review':
      return run.carried === undefined ? `review ${run.review}` : 'a carried verdict';
    case 'reply':
      return 'a reply in threads';
    case 'reevaluate':
      return 'a re-evaluated verdict';
    default:
      return run satisfies never;
  }
};

const wordsFor = (run: Run): string => {
  const { attempt, phase, waits } = run;
  const waiting = waits === undefined ? '' : `; waiting for ${waits.what} (${waits.code})`;
  return `${nameOf(run)} ${PHASES[phase]}, attempt ${attempt}${waiting}`;
};
