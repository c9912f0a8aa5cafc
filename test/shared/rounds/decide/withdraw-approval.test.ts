import { describe, expect, it } from 'vitest';
import { decide as decideWhole } from '../../../../shared/rounds/decide/decide.ts';
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

describe('a new head after an approval', () => {
  const NEXT = make.sha('next');

  const onNext = (
    given: {
      readonly state?: Partial<Parameters<typeof make.state>[0]>;
      readonly changeRequest?: Parameters<typeof make.changeRequest>[0];
      readonly policy?: Partial<Policy>;
      readonly rounds?: Partial<Policy['rounds']>;
      readonly verdict?: Verdict;
    } = {},
    deciding: typeof decide = decide,
  ) =>
    deciding({
      state: make.state({ reviewsDone: 1, reviewed: [make.at(make.sha('first'))], ...given.state }),
      events: [make.forgeEvent('pushed', { head: NEXT })],
      facts: make.facts({
        changeRequest: make.changeRequest({ head: NEXT, ...given.changeRequest }),
        history: make.history({ reviewed: [entry('first', 1, given.verdict ?? 'lgtm')], reviewsDone: 1 }),
      }),
      policy: make.policy({ forgeVerdict: ON, ...given.policy }, given.rounds),
      nowMs: make.NOW,
      freshRunId: make.runId('fresh'),
    }).state;

  const filters = make.policy().filters;

  it.each<[why: string, given: Parameters<typeof onNext>[0]]>([
    ['has to wait for the end of the quiet time', { policy: { quietMs: 30_000 } }],
    ['has to wait for a slot', {}],
    ['has to wait for the end of another run', { state: { running: make.run({ head: make.sha('first') }) } }],
    ['is prevented by a draft', { changeRequest: { draft: true } }],
    ['is prevented by a pause', { state: { pauses: 1 } }],
    [
      'is prevented by a label',
      { changeRequest: { labels: ['wip'] }, policy: { filters: { ...filters, ignoreLabels: ['wip'] } } },
    ],
    ['is prevented by an author', { policy: { filters: { ...filters, authors: ['somebody'] } } }],
    ['is prevented by a target branch', { policy: { filters: { ...filters, targetBranches: ['release'] } } }],
    ['is prevented by a trigger that is off', { policy: { triggers: ['opened'] } }],
  ])('loses it at once, also if the review %s', (_why, given) => {
    const { outbox, withdrawnFor } = onNext(given);
    const orders = outbox.filter(({ kind }) => kind === 'withdraw_approval');
    expect(orders).toEqual([{ ...ORDER, input: make.at(NEXT) }]);
    const again = onNext({ ...given, state: { ...given?.state, withdrawnFor } });
    expect(again.outbox.filter(({ kind }) => kind === 'withdraw_approval')).toEqual([]);
  });

  it.each<[how: string, given: Parameters<typeof onNext>[0], kind: string]>([
    ['the announcement of its review', { state: { slotHeld: true } }, 'announce'],
    ['the hand-off of a head for which no run is left', { state: { runsUsed: 9 }, rounds: { maxRuns: 2 } }, 'post_cap'],
  ])('loses it with %s', (_how, given, kind) => {
    const kinds = onNext(given).outbox.map((effect) => effect.kind);
    expect(kinds).toContain(kind);
    expect(kinds).not.toContain('withdraw_approval');
  });

  it('keeps what no approval supported', () => {
    const kinds = onNext({ verdict: 'feedback', changeRequest: { draft: true } }).outbox.map(({ kind }) => kind);
    expect(kinds).not.toContain('withdraw_approval');
  });

  it('gets its pending status with the reason beside the withdrawal', () => {
    const { outbox } = onNext({ changeRequest: { draft: true } }, decideWhole);
    expect(outbox).toContainEqual(
      expect.objectContaining({ kind: 'write_status', head: NEXT, waits: expect.any(String) }),
    );
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
