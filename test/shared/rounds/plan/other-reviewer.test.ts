import { describe, expect, test } from 'vitest';
import type { OtherRun } from '../../../../shared/rounds/model/events.ts';
import type { MarkerPayload } from '../../../../shared/rounds/model/marker-payload.ts';
import type { PostPlan } from '../../../../shared/rounds/model/posting/post-plan.ts';
import { otherReviewer } from '../../../../shared/rounds/plan/other-reviewer.ts';
import * as make from '../builders.ts';
import { type Attempt, findingBy, summaryBy } from '../two-runs-world.ts';

const MINE: Attempt = { seed: 'mine', attempt: 2, runs: 4 };
const THEIRS: Attempt = { ...MINE, seed: 'theirs' };
const FORMER: Attempt = { seed: 'former', attempt: 1, runs: 3 };

const planOf = (kind: PostPlan['kind']): PostPlan =>
  // Only these fields are read.
  ({ kind, summary: { marker: summaryBy(MINE, 'posted') } }) as unknown as PostPlan;

const ownOf = (payloads: readonly MarkerPayload[]) =>
  payloads.map((payload) => ({ payload, comment: make.comment('') }));

const FOUND: OtherRun = { run: make.runId('theirs'), review: 1, attempt: 2, until: null };
const ANNOUNCED = summaryBy(THEIRS, 'reviewing');
const otherHead = { ...findingBy(THEIRS, 'one'), head: make.sha('other') };
const nextReview = {
  ...summaryBy(THEIRS, 'posted'),
  review: 2,
  reviewed: [make.reviewedAt(make.sha('other'), { review: 2 })],
};

describe('another process reviews the input', () => {
  test.each<[string, readonly MarkerPayload[], OtherRun | null]>([
    ['when its review is posted', [summaryBy(THEIRS, 'posted')], FOUND],
    ['when a later review is posted', [nextReview], { ...FOUND, review: 2 }],
    ['when it has begun to post', [findingBy(THEIRS, 'one')], FOUND],
    ['when the summary announces it, until its deadline', [ANNOUNCED], { ...FOUND, until: 9_000 }],
    ['when this run is announced beside its findings', [summaryBy(MINE, 'reviewing'), findingBy(THEIRS, 'one')], FOUND],
    ['but not when it failed', [summaryBy(THEIRS, 'failed')], null],
    ['but not when this run has begun to post', [findingBy(MINE, 'one'), findingBy(THEIRS, 'two')], null],
    ['but not when this run has posted its summary', [summaryBy(MINE, 'posted'), findingBy(THEIRS, 'two')], null],
    ['but not for an earlier attempt', [findingBy(FORMER, 'one'), summaryBy(FORMER, 'reviewing')], null],
    ['but not for an earlier review', [{ ...summaryBy(THEIRS, 'posted'), review: 0 }], null],
    ['but not for another head', [otherHead, { ...ANNOUNCED, head: make.sha('other') }], null],
    ['but not when it answers in threads', [{ ...ANNOUNCED, replies: { threads: [], note: 1 } }], null],
    ['but not when it began before', [{ ...ANNOUNCED, runs: 3 }], null],
    ['but not when its summary is a younger duplicate', [summaryBy(MINE, 'reviewing'), ANNOUNCED], null],
    ['but not when nothing is said', [], null],
  ])('%s', (_what, payloads, expected) => {
    expect(otherReviewer(planOf('review'), ownOf(payloads))).toEqual(expected);
  });

  test('which matters to a review and its announcement only', () => {
    const own = ownOf([summaryBy(THEIRS, 'posted')]);
    expect(otherReviewer(planOf('announce'), own)).toEqual(FOUND);
    for (const kind of ['carried', 'replies', 'give_up', 'withdraw'] as const)
      expect(otherReviewer(planOf(kind), own)).toBeNull();
  });
});
