import { describe, expect, it } from 'vitest';
import { decide } from '../decide-alone.ts';
import { inputKey } from '../../../../shared/rounds/model/input.ts';
import type { Policy } from '../../../../shared/rounds/model/policy.ts';
import type { Verdict } from '../../../../shared/vocabulary/finding.ts';
import { buildWithdrawPlan } from '../../../../shared/rounds/plan/withdraw-plan.ts';
import * as make from '../builders.ts';

const entry = (head: string, review: number, verdict: Verdict) => ({
  head: make.sha(head),
  base: make.sha('base'),
  fingerprint: make.print(head),
  target: 'main',
  targetHead: make.sha('target'),
  rules: make.print('rules'),
  review,
  verdict,
});

type Case = {
  readonly first: Verdict;
  readonly second: Verdict;
  readonly now: string;
  readonly forgeVerdict: Policy['forgeVerdict'];
};

const ON = 'approve_and_request_changes';
const USUAL: Case = { first: 'feedback', second: 'lgtm', now: 'first', forgeVerdict: ON };

const decideOn = ({ first, second, now, forgeVerdict }: Case, withdrawnFor: string | null = null) =>
  decide({
    state: make.state({
      reviewsDone: 2,
      reviewed: [make.at(make.sha('first')), make.at(make.sha('second'))],
      withdrawnFor,
    }),
    events: [make.forgeEvent('pushed')],
    facts: make.facts({
      changeRequest: make.changeRequest({ head: make.sha(now) }),
      history: make.history({ reviewed: [entry('first', 1, first), entry('second', 2, second)], reviewsDone: 2 }),
    }),
    policy: make.policy({ forgeVerdict }),
    nowMs: make.NOW,
    freshRunId: make.runId('fresh'),
  }).state;

const ORDER = {
  kind: 'withdraw_approval',
  input: make.at(make.sha('first')),
  pending: false,
  noticeId: make.runId('fresh'),
};

describe('a branch that was put back to a reviewed head', () => {
  it.each<[what: string, given: Partial<Case>, ordered: boolean]>([
    ['that did not pass', {}, true],
    ['without a verdict of its own', { first: 'inconclusive' }, true],
    ['that passed itself', { first: 'lgtm' }, false],
    ['while the later one did not pass either', { second: 'feedback' }, false],
    ['that is no other one', { now: 'second' }, false],
    ['where nothing is approved', { forgeVerdict: 'request_changes' }, false],
    ['where the forge is told nothing', { forgeVerdict: 'off' }, false],
  ])('%s: %j takes the approval: %s', (_what, given, ordered) => {
    expect(decideOn({ ...USUAL, ...given }).outbox).toEqual(ordered ? [ORDER] : []);
  });

  it('loses it once, not at every event', () => {
    const { withdrawnFor } = decideOn(USUAL);
    expect(withdrawnFor).toBe(`${inputKey(make.at(make.sha('first')))} ${inputKey(make.at(make.sha('second')))}`);
    expect(decideOn(USUAL, withdrawnFor).outbox).toEqual([]);
  });
});

it('the plan takes back an approval, says nothing and leaves the status as it is', () => {
  const context = {
    facts: make.changeRequest(),
    history: make.history(),
    policy: make.policy({ forgeVerdict: ON }),
  };
  const plan = buildWithdrawPlan(context, {
    input: make.at(make.sha('first')),
    pending: false,
    noticeId: make.runId('fresh'),
  });
  const { summary, status, notices, inline, replies, closures, reactions } = plan;
  expect({ summary, status }).toEqual({ summary: null, status: null });
  expect([...notices, ...inline, ...replies, ...closures, ...reactions]).toEqual([]);
  expect(plan.forgeVerdict).toBe('no_approval');
});
