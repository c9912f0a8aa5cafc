/** A round that waits for CI goes on as soon as CI has ended, or its deadline has come, or the head has moved. */
import type { DecideInput, Decision } from './decision.ts';
import { supersede } from './decide-reports.ts';
import { inputOf, mayBeSameInput } from '../model/input.ts';
import { mustWait, postRound, scheduleLook } from './ready-round.ts';

export const goOnAfterCi = (board: Decision, input: DecideInput): Decision => {
  const { running: run } = board.state;
  if (run?.phase !== 'waiting_ci') return board;
  const { changeRequest } = input.facts;
  if (!run.mustFinish && (changeRequest === null || !mayBeSameInput(run, inputOf(changeRequest))))
    return supersede(board, 'the input changed while the round waited for CI', input);
  if (input.nowMs >= run.deadlineMs || !mustWait(input)) return postRound(board, run, input);
  return input.nowMs >= (run.nextLookMs ?? 0) ? scheduleLook(board, run, input) : board;
};
