/** How a carry run ends. It never uses a round, and never posts a second hand-off for the same input. */
import { closeHead } from './close-head.ts';
import { inputIn, mayBeSameInput } from '../model/input.ts';
import { change, type DecideInput, type Decision, endRun, isAsked, note } from './decision.ts';
import type { Run } from '../model/run.ts';
import type { GuardState } from '../model/state.ts';

/** The reviewer's error code for a head that matches no reviewed input. */
export const DIFFERENT_INPUT = 'DIFFERENT_INPUT';

/** Retries while attempts are left, unless the reviewer knows that there is nothing to carry. */
export const failCarry = (decision: Decision, run: Run, code: string, input: DecideInput): Decision => {
  const isKnown = code === DIFFERENT_INPUT;
  const failedAttempts = Math.max(decision.state.failedAttempts + 1, run.attempt);
  const counted = isKnown
    ? note(decision, 'nothing', 'it is none of the reviewed inputs')
    : note(change(decision, { failedAttempts }), 'nothing', `attempt ${run.attempt} failed: ${code}`);
  const { wanted } = decision.state;
  if (wanted !== null && !mayBeSameInput(run, wanted)) return endRun(counted, 'a newer input is wanted');
  const isAgain = !isKnown && failedAttempts < input.policy.rounds.attempts;
  if (isAgain || isAsked(decision.state, run))
    return endRun(
      change(counted, { wanted: inputIn(run) }),
      isAgain ? 'another attempt follows' : 'its review was asked for',
    );
  const ended = endRun(change(counted, { failedAttempts: 0 }), 'no round is left for it');
  return closeHead(ended, input, { input: inputIn(run), cap: 'rounds' });
};

/** The carried verdict answers a plain review request for this input. A request with `--full` or instructions stays wanted. */
export const askedAfterCarry = ({ asked, wanted }: GuardState, run: Run): Pick<GuardState, 'asked' | 'wanted'> => {
  if (asked === null || !mayBeSameInput(asked, run)) return { asked, wanted };
  return asked.full || asked.instructions !== '' ? { asked, wanted: inputIn(run) } : { asked: null, wanted };
};
