import { type Policy, withGrants } from '../../shared/rounds/model/policy.ts';
import { spentRuns } from '../../shared/rounds/model/counts.ts';
import type { Run } from '../../shared/rounds/model/run.ts';
import type { GuardState, Parked } from '../../shared/rounds/model/state.ts';
import { type ChangeRequest, changeRequestKey } from '../../shared/vocabulary/ids.ts';
import { escapeForTerminalLine } from '../../shared/text/visible.ts';

/**
 * `running`: a run is active. `waiting_ci`: a review is ready and waits for CI. `fixing`: the author is working.
 * `wanted`: a head waits for a slot. `quiet`: a head waits until pushes stop. `idle`: nothing to do.
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

type Now = { readonly nowMs: number; readonly policy: Pick<Policy, 'rounds'> };

export const changeRequestStatus = (of: ChangeRequest, state: GuardState, now: Now): ChangeRequestStatus => {
  const { rounds } = withGrants(now.policy, state.granted);
  return {
    changeRequest: changeRequestKey(of).replaceAll('.', '/'),
    ...workOf(state, now.nowMs),
    rounds: { used: state.roundsUsed, max: rounds.max },
    runs: { used: spentRuns(state), max: rounds.maxRuns },
    fixes: state.fixesUsed,
    paused: state.pauses % 2 === 1,
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

const workOf = ({ running, fixing, wanted, quiet, parked }: GuardState, nowMs: number): Work => {
  const until = (ms: number): number => Math.max(0, Math.ceil((ms - nowMs) / 1000));
  if (running !== null) {
    const doing = running.phase === 'waiting_ci' ? 'waiting_ci' : 'running';
    return { doing, why: wordsFor(running), head: running.head, secondsLeft: until(running.deadlineMs) };
  }
  if (fixing !== null) {
    const why = `fix ${fixing.number} for review ${fixing.review} is ${fixing.phase}`;
    return { doing: 'fixing', why, head: fixing.head, secondsLeft: until(fixing.deadlineMs) };
  }
  if (wanted !== null) return { doing: 'wanted', why: 'waits for a free slot', head: wanted.head, secondsLeft: null };
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

const lineOf = ({
  changeRequest,
  doing,
  why,
  head,
  secondsLeft,
  rounds,
  runs,
  paused,
}: ChangeRequestStatus): string => {
  const left = secondsLeft === null ? '' : `, ${secondsLeft} s left`;
  const pause = paused ? ' [paused]' : '';
  return (
    `${changeRequest} ${doing} ${head?.slice(0, 10) ?? '-'} ` +
    `rounds ${rounds.used}/${rounds.max} runs ${runs.used}/${runs.max}${pause}: ${why}${left}`
  );
};

export type ProjectSlots = { readonly project: string; readonly running: readonly number[] };

export type Overview = {
  readonly known: number;
  readonly work: readonly ChangeRequestStatus[];
  readonly slots: readonly ProjectSlots[];
  readonly slotsPerProject: number;
  readonly outages: readonly string[];
  /** What an operator has to correct, in words. */
  readonly misconfigurations: readonly string[];
};

export const overviewText = ({ known, work, slots, slotsPerProject, outages, misconfigurations }: Overview): string => {
  const lines = [
    ...outages,
    ...misconfigurations,
    `${work.length} of ${known} known change requests in progress`,
    ...work.map(lineOf),
    ...slots.map(
      ({ project, running }) =>
        `project ${project}: ${running.length} of ${slotsPerProject} slots taken by ${running.join(', ')}`,
    ),
  ];
  return lines.map((line) => `${escapeForTerminalLine(line)}\n`).join('');
};

export type Detail = ChangeRequestStatus & {
  readonly spent: { readonly tokens: number; readonly usd: number };
  readonly last: { readonly at: string; readonly decision: string; readonly reason: string } | null;
  readonly outages: readonly string[];
  readonly misconfigurations: readonly string[];
};

export const detailText = (detail: Detail): string => {
  const { spent, last, fixes, outages, misconfigurations } = detail;
  const lines = [
    ...outages,
    ...misconfigurations,
    lineOf(detail),
    `fixes ${fixes}, spent ${spent.tokens} tokens and $${spent.usd.toFixed(4)}`,
    last === null ? 'no decision is recorded' : `last decision ${last.at} ${last.decision}: ${last.reason}`,
  ];
  return lines.map((line) => `${escapeForTerminalLine(line)}\n`).join('');
};
