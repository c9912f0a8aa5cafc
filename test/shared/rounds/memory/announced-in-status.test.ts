import { describe, expect, test } from 'vitest';
import { withAnnouncements } from '../../../../shared/rounds/memory/announced-in-status.ts';
import { hashInput } from '../../../../shared/rounds/memory/announcement-url.ts';
import { reconcile } from '../../../../shared/rounds/memory/reconcile.ts';
import type { Announcement } from '../../../../shared/rounds/model/run.ts';
import { inputOf } from '../../../../shared/rounds/model/input.ts';
import * as make from '../builders.ts';

const PRESENT = inputOf(make.changeRequest());

const announced = (patch: Partial<Announcement> = {}): Announcement => ({
  run: make.runId('run'),
  review: 1,
  attempt: 1,
  runs: 1,
  superseded: 0,
  until: 2_000,
  ...hashInput(PRESENT),
  ...patch,
});

describe('what the status announces, after the loss of everything else', () => {
  test('is the run in progress, with its counts', () => {
    const history = withAnnouncements(make.history(), [announced({ runs: 3, attempt: 2, superseded: 1 })], PRESENT);
    expect(history).toMatchObject({
      runsUsed: 3,
      attempts: 2,
      supersededInRow: 1,
      running: { kind: 'review', runId: make.runId('run'), ...PRESENT, review: 1, attempt: 2, deadlineMs: 2_000_000 },
    });
    // The attempt before has failed, this one has not.
    expect(reconcile(null, history)).toMatchObject({
      running: { phase: 'reviewing', attempt: 2 },
      failedAttempts: 1,
      runsUsed: 3,
    });
  });

  test('is the newest of several, in any order', () => {
    const all = [announced({ runs: 2, attempt: 2, run: make.runId('second') }), announced({ runs: 1 })];
    for (const found of [all, all.toReversed()])
      expect(withAnnouncements(make.history(), found, PRESENT)).toMatchObject({
        runsUsed: 2,
        running: { runId: make.runId('second') },
      });
  });

  test('never lowers a count that the comments show', () => {
    const shown = make.history({ runsUsed: 7, attempts: 1, supersededInRow: 2 });
    expect(withAnnouncements(shown, [announced()], PRESENT)).toMatchObject({
      runsUsed: 7,
      attempts: 1,
      supersededInRow: 2,
    });
  });

  test('is no run for another input, but counts', () => {
    const other = hashInput({ ...PRESENT, target: 'release' });
    const history = withAnnouncements(make.history(), [announced({ ...other, runs: 2, attempt: 2 })], PRESENT);
    // It was superseded, so only the attempt before it has failed.
    expect(history).toMatchObject({ running: null, runsUsed: 2, attempts: 1 });
  });

  test.each([
    ['a review that is complete', make.history({ reviewsDone: 1 })],
    ['a head that was handed to a human', make.history({ closed: [PRESENT] })],
  ])('is no run of %s', (_what, history) => {
    expect(withAnnouncements(history, [announced()], PRESENT).running).toBeNull();
  });

  test('is a run that answers in threads, after its review', () => {
    const replies = { threads: ['F-001' as const], note: 9 };
    const found = [announced({ replies, runs: 2 })];
    expect(withAnnouncements(make.history({ reviewsDone: 1 }), found, PRESENT)).toMatchObject({
      running: { kind: 'reply', scope: replies },
      runsUsed: 2,
      attempts: 0,
    });
  });

  test('changes nothing when it says nothing', () => {
    const history = make.history({ runsUsed: 1 });
    expect(withAnnouncements(history, [], PRESENT)).toBe(history);
  });
});
