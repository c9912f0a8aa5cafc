/** A number, in several places, that every step of machines lowers: so they come to rest, whatever they do. */
import { maxStartedRuns } from '../../../shared/rounds/bound/bound.ts';
import { maxFixes } from '../../../shared/rounds/model/fixes.ts';
import { withGrants } from '../../../shared/rounds/model/policy.ts';
import { isOtherInput, isInputSettled } from '../../../shared/rounds/decide/decision.ts';
import { type Input, inputKey, mayBeSameInput } from '../../../shared/rounds/model/input.ts';
import type { GuardState } from '../../../shared/rounds/model/state.ts';
import { at } from './builders.ts';
import { H0 } from './explore-names.ts';
import { factsOf, type Setting, stateOf, type World } from './explore-world.ts';

/** Compared from the left. */
export type Rank = readonly number[];

export const isFalling = (before: Rank, after: Rank): boolean => {
  const place = before.findIndex((value, index) => value !== after[index]);
  return place !== -1 && (after[place] ?? 0) < (before[place] ?? 0);
};

const RUN_STAGES = { announcing: 5, reviewing: 4, waiting_ci: 3, posting: 2, giving_up: 1 } as const;
const FIX_STAGES = { announcing: 4, working: 3, telling: 1 } as const;

export const rankOf = (setting: Setting, world: World): Rank => {
  const state = stateOf(setting, world);
  const policy = withGrants(setting.policy, state.granted);
  return [
    world.faults,
    world.outages,
    parkedStage(state),
    policy.author.enabled ? maxFixes(setting.policy) - state.fixesUsed : 0,
    fixStage(state, world),
    maxStartedRuns(policy) - state.runsUsed,
    talkStage(setting, state, world) + runStage(state),
    headStage(state),
    closing(state, world),
    notTakenBack(state),
    notPlaced(state, world),
    notWaited(state, world),
    notAwaited(setting, state),
  ];
};

/** A head that waits for its retry: for the time, for its run. */
const parkedStage = ({ parked }: GuardState): number => {
  if (parked === null) return 0;
  return parked.again ? 1 : 2;
};

const notWaited = ({ running }: GuardState, { outages }: World): number =>
  outages > 0 && running !== null && running.waits === undefined ? 1 : 0;

/** A review that has not begun, and does not wait for a report of CI yet. */
const notAwaited = ({ reports }: Setting, { wanted, reportWait }: GuardState): number =>
  reports && wanted !== null && reportWait === null ? 1 : 0;

const runStage = ({ running }: GuardState): number => (running === null ? 0 : RUN_STAGES[running.phase]);

const fixStage = ({ fixing }: GuardState, { fixPushed }: World): number =>
  fixing === null ? 0 : FIX_STAGES[fixing.phase] - (fixPushed ? 1 : 0);

/** A word that waits: not seen, seen, and no longer once it is with a human. */
const talkStage = (setting: Setting, { running, replyDebounce }: GuardState, world: World): number => {
  const { answers } = factsOf(setting, world);
  if (answers.length === 0) return 0;
  const newest = Math.max(...answers.map(({ noteId }) => noteId));
  if (running?.phase === 'giving_up' && running.kind === 'reply' && running.scope.note === newest) return 0;
  if (replyDebounce?.noteId !== newest) return 20;
  return replyDebounce.untilMs === Number.MAX_SAFE_INTEGER ? 0 : 10;
};

const isPresent = (input: Input | null): boolean => input !== null && mayBeSameInput(input, at(H0));

/** What the present head still waits for: to be seen, to be calm, to be reviewed. */
const headStage = (state: GuardState): number => {
  const { wanted, quiet, running } = state;
  const isDone = isPresent(running) || isInputSettled(state, at(H0));
  if (wanted === null && quiet === null) return isDone ? 0 : 11;
  return (
    stageOf(wanted === null ? null : isPresent(wanted), 1, 6) + stageOf(quiet === null ? null : quiet.head === H0, 3, 4)
  );
};

/** That another head came meanwhile is further away. */
const stageOf = (isPresent: boolean | null, present: number, other: number): number => {
  if (isPresent === null) return 0;
  return isPresent ? present : other;
};

/** The status of the head is about another input, and that has not been said yet. */
const notTakenBack = (state: GuardState): number =>
  isOtherInput(state, at(H0)) && state.withdrawnFor?.startsWith(inputKey(at(H0))) !== true ? 1 : 0;

/** The status of its commit was written before it came there, or it has left. */
const notPlaced = ({ placed }: GuardState, { isOpen }: World): number => {
  const isThere = isOpen ? placed?.head === H0 && placed.target === at(H0).target : placed === null;
  return isThere ? 0 : 1;
};

/** One that is closed ends what is under way. */
const closing = ({ wanted, quiet, fixing }: GuardState, { isOpen }: World): number =>
  isOpen ? 0 : [wanted, quiet, fixing].filter((each) => each !== null).length;
