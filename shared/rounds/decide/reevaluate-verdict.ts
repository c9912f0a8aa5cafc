/** A dismissal, or CI that now passes, can change the verdict of a reviewed head. Both are read from the forge on every wake-up. */
import { change, type DecideInput, type Decision, enterPhase, emit } from './decision.ts';
import { type History, lastReviewed, type ReviewedInput } from '../model/history.ts';
import { compareInputs, type Input, inputIn, inputKey, inputOf } from '../model/input.ts';
import type { ReevaluateRun } from '../model/run.ts';
import type { GuardState } from '../model/state.ts';
import { judgeThreads } from '../gate/verdict.ts';

/** Starts a run without a reviewer: it waits for CI if a pass depends on CI, then the poster posts the verdict. */
export const reevaluateVerdict = (decision: Decision, input: DecideInput): Decision => {
  const { facts, nowMs, policy, freshRunId } = input;
  const { changeRequest, history, ci } = facts;
  if (changeRequest === null || !isIdle(decision.state)) return decision;
  const present = inputOf(changeRequest);
  const dismissals = staleFor(history, present);
  const key = dismissals ?? (ci?.kind === 'passed' && isHeldByCi(history, present) ? repairedKey(present) : null);
  if (key === null || decision.state.reevaluatedFor === key) return decision;
  const run: ReevaluateRun = {
    kind: 'reevaluate',
    runId: freshRunId,
    ...inputIn(present),
    review: Math.max(1, decision.state.reviewsDone),
    attempt: 1,
    phase: 'announcing',
    planId: null,
    deadlineMs: nowMs,
  };
  const waiting = enterPhase(run, 'waiting_ci', null, nowMs + policy.gate.ciDeadlineMs);
  return emit(
    change(decision, { running: waiting, reevaluatedFor: key }),
    { kind: 'schedule', event: { source: 'wake', id: `restate-${freshRunId}`, atMs: nowMs }, delayMs: 0 },
    dismissals === null ? 'CI has since passed at this head' : 'a dismissal changes the verdict',
  );
};

const isIdle = ({ running, wanted, quiet, fixing }: GuardState): boolean =>
  running === null && wanted === null && quiet === null && fixing === null;

/** CI that passes leads to a new verdict once per input, so that flapping CI causes no repeated posts. A commander can ask again. */
const repairedKey = (present: Input): string => `${inputKey(present)} ci`;

/** True if the current input was reviewed last and only CI prevents a pass. */
export const isHeldByCi = (history: History, present: Input): boolean => {
  const entry = lastReviewed(history);
  return isLast(entry, present) && entry.onlyCi === true && judgeThreads(entry, history.threads).verdict === 'lgtm';
};

/** True if CI should be read although no run is in progress. */
export const mayBeRepaired = (state: GuardState, history: History, present: Input): boolean =>
  isIdle(state) && state.reevaluatedFor !== repairedKey(present) && isHeldByCi(history, present);

const isLast = (entry: ReviewedInput | null, present: Input): entry is ReviewedInput =>
  entry !== null && compareInputs(entry, present) === 'same';

/** Returns a key of the dismissals that change the posted verdict; null if none does, or if only CI prevented a pass. */
const staleFor = (history: History, present: Input): string | null => {
  const entry = lastReviewed(history);
  const dismissed = history.threads.filter(({ state }) => state === 'dismissed');
  if (!isLast(entry, present) || entry.onlyCi === true || dismissed.length === 0) return null;
  const { verdict } = judgeThreads(entry, history.threads);
  return verdict === entry.verdict ? null : `${inputKey(present)} ${dismissed.map(({ id }) => id).join(' ')}`;
};
