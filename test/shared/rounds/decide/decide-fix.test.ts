import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '../decide-alone.ts';
import type { DecideInput } from '../../../../shared/rounds/decide/decision.ts';
import type { FixEvent, InboxEvent } from '../../../../shared/rounds/model/events.ts';
import type { Policy } from '../../../../shared/rounds/model/policy.ts';
import type { FixFacts, FixRequest } from '../../../../shared/rounds/model/facts.ts';
import type { History } from '../../../../shared/rounds/model/history.ts';
import type { Fix } from '../../../../shared/rounds/model/fixes.ts';
import type { Effect } from '../../../../shared/rounds/model/effect.ts';
import type { GuardState } from '../../../../shared/rounds/model/state.ts';
import * as make from '../builders.ts';

const DEEP = process.env['FIXPOINT_DEEP'] === '1';
const head = make.changeRequest().head;

const on = (rounds: Partial<Policy['rounds']> = {}): Policy =>
  make.policy({ author: { enabled: true, projects: [], labels: [], authors: [], timeoutMs: 90_000 } }, rounds);

const reviewedOnce = (
  patch: Partial<History> = {},
  verdict: 'feedback' | 'lgtm' | 'inconclusive' = 'feedback',
): History =>
  make.history({
    reviewed: [
      {
        head,
        base: make.sha('base'),
        fingerprint: make.print('patch'),
        target: 'main',
        targetHead: make.sha('target'),
        rules: make.print('rules'),
        review: 1,
        verdict,
      },
    ],
    threads: [make.thread()],
    reviewsDone: 1,
    verdict,
    ...patch,
  });

const fixFacts = (patch: Partial<FixFacts> = {}): FixFacts => ({
  inScope: true,
  branchProtected: false,
  approved: false,
  requests: [],
  ...patch,
});

const asks = (patch: Partial<FixRequest> = {}): FixRequest => ({
  noteId: 4,
  kind: 'conversation',
  authorId: 3,
  actor: { id: 3, login: 'commander' },
  allowed: true,
  ...patch,
});

const posted: InboxEvent = {
  source: 'post',
  id: 'posted',
  atMs: 0,
  runId: make.runId('elsewhere'),
  planId: 'plan',
  outcome: 'posted',
  code: null,
};

const afterReview = (patch: Partial<GuardState> = {}): GuardState =>
  make.state({ reviewsDone: 1, runsUsed: 1, reviewed: [make.at(head)], ...patch });

const input = (patch: Partial<DecideInput> = {}): DecideInput => ({
  state: afterReview(),
  events: [posted],
  facts: make.facts({ history: reviewedOnce(), fix: fixFacts() }),
  policy: on(),
  nowMs: make.NOW,
  freshRunId: make.runId('fresh'),
  ...patch,
});

const kinds = (given: DecideInput): readonly string[] =>
  decide(given)
    .state.outbox.map(({ kind }) => kind)
    .filter((kind) => kind !== 'schedule');

describe('guard orders a fix by itself', () => {
  it('after a posted round with findings that block', () => {
    expect(kinds(input())).toEqual(['announce_fix']);
  });

  it.each<[string, Partial<DecideInput>]>([
    ['when the author is off', { policy: make.policy() }],
    ['outside of its projects', { facts: make.facts({ history: reviewedOnce(), fix: fixFacts({ inScope: false }) }) }],
    ['after lgtm', { facts: make.facts({ history: reviewedOnce({}, 'lgtm'), fix: fixFacts() }) }],
    ['after inconclusive', { facts: make.facts({ history: reviewedOnce({}, 'inconclusive'), fix: fixFacts() }) }],
    ['twice for one round', { state: afterReview({ fixedReview: 1 }) }],
    ['after the last round', { policy: on({ max: 1 }) }],
    ['when as many fixes as may be are used', { state: afterReview({ fixesUsed: 2 }) }],
    ['when no run is left to check it', { state: afterReview({ runsUsed: 6 }) }],
    ['while a fix is in progress', { state: afterReview({ fixing: theFix() }) }],
    ['while a review runs', { state: afterReview({ running: make.run({ runId: make.runId('other') }) }) }],
    [
      'while a newer head waits for quiet',
      { state: afterReview({ quiet: { head: make.sha('new'), untilMs: make.NOW + 9 } }) },
    ],
    ['because of what somebody says on the forge', { events: [make.forgeEvent('comment', { noteId: 8 })] }],
    [
      'for a head without a verdict',
      {
        facts: make.facts({
          changeRequest: make.changeRequest({ head: make.sha('new') }),
          history: reviewedOnce(),
          fix: fixFacts(),
        }),
      },
    ],
    [
      'in a fork',
      {
        facts: make.facts({
          changeRequest: make.changeRequest({ fromFork: true }),
          history: reviewedOnce(),
          fix: fixFacts(),
        }),
      },
    ],
    [
      'on a protected branch',
      { facts: make.facts({ history: reviewedOnce(), fix: fixFacts({ branchProtected: true }) }) },
    ],
    [
      'once a commander has approved',
      { facts: make.facts({ history: reviewedOnce(), fix: fixFacts({ approved: true }) }) },
    ],
    [
      'when what blocks is with a human',
      {
        facts: make.facts({
          history: reviewedOnce({ threads: [make.thread(), make.thread({ id: 'F-002', state: 'vetoed' })] }),
          fix: fixFacts(),
        }),
      },
    ],
    [
      'when nothing open blocks',
      {
        facts: make.facts({
          history: reviewedOnce({ threads: [make.thread({ severity: 'P3', blocking: false })] }),
          fix: fixFacts(),
        }),
      },
    ],
    [
      'without the label that switches it on',
      { policy: make.policy({ author: { ...on().author, labels: ['autofix'] } }) },
    ],
    ['for other authors', { policy: make.policy({ author: { ...on().author, authors: ['somebody'] } }) }],
  ])('but not %s', (_name, patch) => {
    expect(kinds(input(patch))).not.toContain('announce_fix');
  });

  it('for the label and the author that switch it on', () => {
    const author = { ...on().author, labels: ['autofix'], authors: ['author'] };
    const changeRequest = make.changeRequest({ labels: ['autofix'] });
    const facts = make.facts({ changeRequest, history: reviewedOnce(), fix: fixFacts() });
    expect(kinds(input({ policy: make.policy({ author }), facts }))).toEqual(['announce_fix']);
  });
});

describe('a request for a fix', () => {
  const asked = (request: FixRequest, patch: Partial<DecideInput> = {}, more: Partial<FixFacts> = {}): DecideInput =>
    input({
      state: afterReview({ fixedReview: 1 }),
      events: [make.forgeEvent('comment', { noteId: request.noteId })],
      facts: make.facts({ history: reviewedOnce(), fix: fixFacts({ requests: [request], ...more }) }),
      ...patch,
    });

  const refusals = (given: DecideInput): readonly string[] =>
    decide(given).state.outbox.flatMap((command) => (command.kind === 'refuse_fix' ? [command.refusal] : []));

  it('by a commander is carried out, also for threads that were handed over', () => {
    const history = reviewedOnce({ threads: [make.thread({ state: 'escalated' })] });
    const { state } = decide(asked(asks(), { facts: make.facts({ history, fix: fixFacts({ requests: [asks()] }) }) }));
    expect(state.fixing).toMatchObject({ review: 1, number: 1, requester: { id: 3, login: 'commander' } });
  });

  it.each<[string, FixRequest, Partial<DecideInput>, Partial<FixFacts>, string]>([
    ['where the author is off', asks(), { policy: make.policy() }, {}, 'off'],
    ['outside of its projects', asks(), {}, { inScope: false }, 'off'],
    ['on a protected branch', asks(), {}, { branchProtected: true }, 'protected'],
    ['beyond the cap', asks(), { state: afterReview({ fixesUsed: 2 }) }, {}, 'cap'],
    [
      'during a review',
      asks(),
      { state: afterReview({ running: make.run({ runId: make.runId('other') }) }) },
      {},
      'busy',
    ],
    ['during a fix', asks(), { state: afterReview({ fixing: theFix() }) }, {}, 'busy'],
    ['while a head is wanted', asks(), { state: afterReview({ wanted: make.at(head), reviewed: [] }) }, {}, 'busy'],
  ])('%s is answered by a fixed sentence', (_name, request, patch, more, refusal) => {
    const given = asked(request, patch, more);
    expect(refusals(given)).toEqual([refusal]);
    expect(kinds(given)).not.toContain('announce_fix');
  });

  it.each<[string, Parameters<typeof make.changeRequest>[0], string]>([
    ['of a fork', { fromFork: true }, 'fork'],
    ['of a head without a verdict', { head: make.sha('new') }, 'not_reviewed'],
    ['of a change that nothing blocks', {}, 'nothing'],
  ])('%s is answered by a fixed sentence', (_name, changed, refusal) => {
    const history = refusal === 'nothing' ? reviewedOnce({}, 'lgtm') : reviewedOnce();
    const facts = make.facts({
      changeRequest: make.changeRequest(changed),
      history,
      fix: fixFacts({ requests: [asks()] }),
    });
    expect(refusals(asked(asks(), { facts }))).toEqual([refusal]);
  });

  it('by whoever may not command is not answered, however often it comes', () => {
    const requests = [4, 5, 6].map((noteId) => asks({ noteId, allowed: false }));
    const given = asked(asks(), { facts: make.facts({ history: reviewedOnce(), fix: fixFacts({ requests }) }) });
    expect(decide(given).state.outbox.filter(({ kind }) => kind === 'refuse_fix' || kind === 'answer')).toEqual([]);
  });

  it('is heard once', () => {
    expect(decide(asked(asks())).state.seenCommands?.keys).toEqual(['4']);
  });

  it('is carried out once when two are waiting', () => {
    const requests = [asks(), asks({ noteId: 5 })];
    const given = asked(asks(), { facts: make.facts({ history: reviewedOnce(), fix: fixFacts({ requests }) }) });
    expect(kinds(given)).toEqual(['announce_fix', 'refuse_fix']);
  });
});

describe('a fix in progress', () => {
  const during = (fix: Fix, event: InboxEvent, patch: Partial<DecideInput> = {}) =>
    decide(input({ state: afterReview({ fixing: fix, fixesUsed: 1, fixedReview: 1 }), events: [event], ...patch }));
  const said = (fix: Fix, outcome: 'posted' | 'head_moved' | 'failed'): InboxEvent => ({
    ...posted,
    source: 'post',
    runId: fix.runId,
    planId: fix.planId ?? '',
    outcome,
    code: outcome === 'failed' ? 'BROKEN' : null,
  });
  const working = theFix({ phase: 'working', planId: null, deadlineMs: make.NOW + 90_000 });
  const telling = theFix({
    phase: 'telling',
    planId: 'tell',
    end: { kind: 'fixed', code: null, pushed: make.sha('fix') },
  });

  it('is given to the author only once its count stands on the forge', () => {
    const { state } = during(theFix(), said(theFix(), 'posted'));
    expect(state.outbox.map(({ kind }) => kind)).toEqual(['fix', 'schedule']);
    expect(state.fixing).toMatchObject({ phase: 'working', deadlineMs: make.NOW + 90_000 });
  });

  it.each<[string, Fix, InboxEvent, string, string | null]>([
    ['a head that moves before it is announced', theFix(), said(theFix(), 'head_moved'), 'stopped', 'HEAD_MOVED'],
    ['an announcement that fails', theFix(), said(theFix(), 'failed'), 'failed', 'BROKEN'],
    ['the report of a push', working, fixEvent(working, { pushed: make.sha('fix') }), 'fixed', null],
    ['a stop', working, fixEvent(working, { kind: 'stopped', code: 'TREE_SEEN' }), 'stopped', 'TREE_SEEN'],
    ['a failure', working, fixEvent(working, { kind: 'failed', code: 'BROKEN' }), 'failed', 'BROKEN'],
  ])('is told after %s', (_name, fix, event, kind, code) => {
    const { state } = during(fix, event);
    expect(state.outbox.map((command) => command.kind)).toEqual(['tell_fix', 'schedule']);
    expect(state.fixing).toMatchObject({ phase: 'telling', end: { kind, code } });
  });

  it('that is overdue has failed, whatever reports later', () => {
    const late = during(working, { ...posted, source: 'wake' }, { nowMs: make.NOW + 90_000 });
    expect(late.state.fixing?.end).toEqual({ kind: 'failed', code: 'FIX_OVERDUE', pushed: null });
    const again = during(late.state.fixing ?? working, fixEvent(working, { pushed: make.sha('fix') }));
    expect(again.state.outbox).toEqual([]);
  });

  it('ends when it is told, and the head that it made is wanted', () => {
    const facts = make.facts({ changeRequest: make.changeRequest({ head: make.sha('fix') }), history: reviewedOnce() });
    const { state, steps } = during(telling, said(telling, 'posted'), { facts });
    // As `fixpoint why` shows it.
    expect(steps.slice(0, 2)).toEqual([
      { effect: 'end_fix', reason: 'fix 1 has ended' },
      { effect: 'want', reason: 'the fix made a new head' },
    ]);
    expect([state.fixing, state.wanted]).toEqual([null, make.at(make.sha('fix'))]);
    expect(state.outbox.map(({ kind }) => kind)).toEqual(['acquire_slot']);
  });

  it('ends also when nobody could be told', () => {
    const { state } = during(telling, { ...posted, source: 'wake' }, { nowMs: telling.deadlineMs });
    expect(state.fixing).toBeNull();
  });

  it('keeps a review waiting', () => {
    const changeRequest = make.changeRequest({ head: make.sha('new') });
    const facts = make.facts({ changeRequest, history: reviewedOnce() });
    const { state } = during(working, make.forgeEvent('pushed'), { facts });
    expect([state.wanted, state.running, state.outbox.some(({ kind }) => kind === 'acquire_slot')]).toEqual([
      make.at(make.sha('new')),
      null,
      false,
    ]);
  });

  it('is forgotten when the change request is closed', () => {
    const facts = make.facts({ changeRequest: make.changeRequest({ state: 'closed' }) });
    expect(during(working, make.forgeEvent('closed'), { facts }).state.fixing).toBeNull();
  });

  it('takes no report of another one', () => {
    const { state } = during(working, fixEvent(theFix({ runId: make.runId('old') }), { pushed: make.sha('fix') }));
    expect([state.fixing, state.outbox]).toEqual([working, []]);
  });
});

describe('fixes end', () => {
  /** Rounds follow each other as long as anything asks for one; every fix makes a new head, and nothing ever passes. */
  const play = (max: number, choices: readonly number[]): { readonly fixes: number; readonly rounds: number } => {
    let state = make.state();
    let rounds = 0;
    let fixes = 0;
    for (const [step, choice] of choices.entries()) {
      const current = make.sha(`head ${rounds}`);
      const reviewed = {
        head: current,
        base: make.sha('base'),
        fingerprint: make.print('p'),
        target: 'main',
        targetHead: make.sha('target'),
        rules: make.print('rules'),
        review: rounds,
        verdict: 'feedback' as const,
      };
      const history = reviewedOnce({ reviewed: rounds === 0 ? [] : [reviewed], reviewsDone: rounds });
      const requests = choice % 3 === 0 ? [asks({ noteId: step })] : [];
      const facts = make.facts({
        changeRequest: make.changeRequest({ head: current }),
        history,
        fix: fixFacts({ requests }),
      });
      const event = choice % 3 === 0 ? make.forgeEvent('comment', { noteId: step }) : posted;
      const ordered = decide(input({ state, events: [event], facts, policy: on({ max, maxRuns: 50 }) }));
      const began = ordered.state.outbox.some((command: Effect) => command.kind === 'announce_fix');
      if (began) fixes += 1;
      const pushes = began && choice % 2 === 0;
      if ((pushes || !began) && rounds < max) rounds += 1;
      state = {
        ...ordered.state,
        outbox: [],
        fixing: null,
        running: null,
        wanted: null,
        quiet: null,
        reviewsDone: rounds,
      };
    }
    return { fixes, rounds };
  };

  it('E6: after at most one less than there are rounds, whatever is asked and whenever', () => {
    const orders = fc.array(fc.nat({ max: 11 }), { minLength: 1, maxLength: 40 });
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 9 }), orders, (max, choices) => {
        expect(play(max, choices).fixes).toBeLessThanOrEqual(max - 1);
      }),
      { seed: 7, numRuns: DEEP ? 5_000 : 150 },
    );
  });

  it('E6: with exactly two of them when three rounds ask for all they can', () => {
    expect(play(3, [1, 2, 4, 2, 4, 2, 4, 2]).fixes).toBe(2);
  });
});

function theFix(patch: Partial<Fix> = {}): Fix {
  return {
    runId: make.runId('fix'),
    head,
    review: 1,
    number: 1,
    phase: 'announcing',
    planId: 'announce',
    deadlineMs: make.NOW + 30_000,
    requester: null,
    end: null,
    ...patch,
  };
}

function fixEvent(fix: Fix, patch: Partial<FixEvent> = {}): FixEvent {
  return { source: 'fix', kind: 'fixed', id: 'e', atMs: 0, runId: fix.runId, code: null, pushed: null, ...patch };
}
