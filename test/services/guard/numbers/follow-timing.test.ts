import { expect, it } from 'vitest';
import { followTiming } from '../../../../services/guard/numbers/follow-timing.ts';
import type { GuardState } from '../../../../shared/rounds/model/state.ts';
import type { Timing } from '../../../../shared/rounds/model/timing.ts';
import * as make from '../../../shared/rounds/builders.ts';

const HEAD = make.sha('head');
const OTHER = make.sha('other');
const T0 = 10_000_000;

const step = (timing: Timing | null, state: Partial<GuardState>, nowMs: number, eventMs = nowMs) =>
  followTiming(make.state({ ...state, timing }), { events: [{ atMs: eventMs }], nowMs });

const at = (phase: ReturnType<typeof make.run>['phase'], head = HEAD): Partial<GuardState> => ({
  running: make.run({ head, phase }),
});

it('times a review from its event to its end, part by part', () => {
  const states: readonly (readonly [Partial<GuardState>, number])[] = [
    [{ wanted: make.at(HEAD) }, 3],
    [at('announcing'), 10],
    [at('reviewing'), 20],
    [at('reviewing'), 50],
    [at('waiting_ci'), 100],
    [at('posting'), 300],
  ];
  let { timing } = step(null, { quiet: { head: HEAD, untilMs: T0 + 3 } }, T0, T0 - 2);
  for (const [state, afterMs] of states) ({ timing } = step(timing, state, T0 + afterMs));
  const { timing: next, ended } = step(timing, {}, T0 + 307);
  expect(next).toBeNull();
  expect(ended?.spentMs).toEqual({ quiet: 5, queue: 17, model: 80, ci: 200, posting: 7 });
  expect([ended?.head, ended?.sinceMs]).toEqual([HEAD, T0 - 2]);
});

it('goes on when another attempt of the same head follows, and starts anew with another head', () => {
  const { timing } = step(null, at('reviewing'), T0);
  const again = step(timing, { wanted: make.at(HEAD) }, T0 + 100);
  expect([again.ended, again.timing?.sinceMs, again.timing?.spentMs.model]).toEqual([null, T0, 100]);
  const moved = step(again.timing, { wanted: make.at(OTHER) }, T0 + 150);
  expect([moved.timing?.head, moved.timing?.sinceMs]).toEqual([OTHER, T0 + 150]);
  expect(moved.ended?.spentMs).toMatchObject({ model: 100, queue: 50 });
});

it('times neither answers in threads nor the run of another process', () => {
  const others = [
    { running: make.replyRun() },
    { running: make.run({ head: HEAD, phase: 'reviewing', elsewhere: true }) },
  ];
  for (const state of others) expect(step(null, state, T0).timing).toBeNull();
});

it('takes no old event for the beginning, and no clock that goes back for a negative time', () => {
  expect(step(null, at('announcing'), T0, T0 - 3_600_000).timing?.sinceMs).toBe(T0);
  const { timing } = step(null, at('announcing'), T0);
  expect(step(timing, at('reviewing'), T0 - 5).timing?.spentMs.queue).toBe(0);
});
