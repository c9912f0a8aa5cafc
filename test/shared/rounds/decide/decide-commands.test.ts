import { describe, expect, it } from 'vitest';
import { buildAnswerPlan } from '../../../../shared/rounds/plan/answer-plan.ts';
import { decide } from '../decide-alone.ts';
import type { DecideInput } from '../../../../shared/rounds/decide/decision.ts';
import type { CommandRequest, CommandWords } from '../../../../shared/rounds/model/facts.ts';
import { gate } from '../../../../shared/rounds/gate/gate.ts';
import type { GatedDraft } from '../../../../shared/rounds/gate/gate-judge.ts';
import { rebuildHistory } from '../../../../shared/rounds/memory/rebuild-history.ts';
import { PostPlan } from '../../../../shared/rounds/model/posting/post-plan.ts';
import { reconcile } from '../../../../shared/rounds/memory/reconcile.ts';
import { isPaused } from '../../../../shared/rounds/model/command-reply.ts';
import type { GuardState } from '../../../../shared/rounds/model/state.ts';
import { signMarker } from '../../../../shared/rounds/memory/marker.ts';
import * as make from '../builders.ts';

const head = make.sha('head');
const entry = {
  head,
  base: make.sha('base'),
  fingerprint: make.print('patch'),
  target: 'main',
  targetHead: make.sha('target'),
  rules: make.print('rules'),
  review: 1,
  verdict: 'feedback',
  clear: true,
} as const;

const reviewed = (patch: Parameters<typeof make.history>[0] = {}) =>
  make.history({
    nextNumber: 2,
    reviewsDone: 1,
    runsUsed: 1,
    verdict: 'feedback',
    threads: [make.thread()],
    reviewed: [entry],
    ...patch,
  });

const given = (spoken: CommandWords, patch: Partial<CommandRequest> = {}): CommandRequest => ({
  noteId: 40,
  kind: 'conversation',
  authorId: make.AUTHOR_ID,
  allowed: true,
  spoken,
  ...patch,
});

const settled = (patch: Partial<GuardState> = {}): GuardState =>
  make.state({ reviewsDone: 1, runsUsed: 1, reviewed: [make.at(head)], ...patch });

const decided = (patch: Partial<DecideInput>): GuardState =>
  decide({
    state: settled(),
    events: [make.forgeEvent('comment', { noteId: 40 })],
    facts: make.facts({ history: reviewed() }),
    policy: make.policy(),
    nowMs: make.NOW,
    freshRunId: make.runId('fresh'),
    ...patch,
  }).state;

const ordered = (
  spoken: CommandWords,
  patch: Partial<DecideInput> = {},
  order: Partial<CommandRequest> = {},
): GuardState => decided({ facts: make.facts({ history: reviewed(), orders: [given(spoken, order)] }), ...patch });

const said = ({ outbox }: GuardState) => outbox.flatMap((command) => (command.kind === 'answer' ? [command.say] : []));

const DISMISS = { kind: 'dismiss', findingId: 'F-001', reason: 'it is meant so' } as const;

describe('a command', () => {
  it.each<[string, CommandWords, unknown]>([
    ['status', { kind: 'status' }, { kind: 'status', now: { kind: 'settled' } }],
    ['why', { kind: 'why' }, { kind: 'why', now: { kind: 'settled' } }],
    ['help', { kind: 'help' }, { kind: 'help' }],
    ['explain', { kind: 'explain', findingId: 'F-001' }, { kind: 'explain', findingId: 'F-001' }],
    ['explain of nothing', { kind: 'explain', findingId: 'F-009' }, { kind: 'unknown_finding', findingId: 'F-009' }],
    ['what cannot be read', { kind: 'misread', why: 'arguments' }, { kind: 'misread', why: 'arguments' }],
    ['dismiss', DISMISS, { kind: 'dismissed', findingId: 'F-001', by: make.AUTHOR_ID, reason: 'it is meant so' }],
    ['dismiss of nothing', { ...DISMISS, findingId: 'F-009' }, { kind: 'unknown_finding', findingId: 'F-009' }],
    ['pause', { kind: 'pause' }, { kind: 'paused', pauses: 1, pending: false }],
    ['resume without a pause', { kind: 'resume' }, { kind: 'resumed', pauses: 0 }],
  ])('is answered: %s', (_name, spoken, expected) => {
    const state = ordered(spoken, {}, { threadId: 't', kind: 'inline' });
    expect(said(state)).toEqual([expected]);
    expect(state.outbox).toMatchObject([{ note: '40', threadId: 't', head }]);
    expect(state.seenCommands?.keys).toEqual(['40']);
  });

  it.each<[string, Partial<DecideInput>, Partial<CommandRequest>]>([
    ['of somebody who may not command', {}, { allowed: false }],
    ['while calls are switched off', { policy: make.policy({ triggers: ['opened'] }) }, {}],
  ])('%s changes and says nothing', (_name, patch, order) => {
    for (const spoken of [DISMISS, { kind: 'pause' }, { kind: 'status' }] as const) {
      const state = ordered(spoken, patch, order);
      expect({ outbox: state.outbox, pauses: state.pauses }).toEqual({ outbox: [], pauses: 0 });
    }
  });
});

describe('a pause', () => {
  const newer = make.changeRequest({ head: make.sha('newer') });

  it('keeps new heads from their review, but no call of a commander', () => {
    const state = settled({ pauses: 1 });
    const facts = make.facts({ changeRequest: newer, history: reviewed() });
    for (const kind of ['pushed', 'ready', 'reopened'] as const)
      expect(decided({ state, facts, events: [make.forgeEvent(kind)] })).toMatchObject({ wanted: null, outbox: [] });
    const called = make.facts({ changeRequest: newer, history: reviewed(), requests: [make.request()] });
    expect(decided({ state, facts: called, events: [make.forgeEvent('comment', { noteId: 4 })] }).wanted).toEqual(
      make.at(newer.head),
    );
  });

  it('takes back what only waited, and its pending status', () => {
    const facts = make.facts({ changeRequest: newer, history: reviewed(), orders: [given({ kind: 'pause' })] });
    const state = decided({ facts, state: settled({ quiet: { head: newer.head, untilMs: make.NOW + 9 } }) });
    expect(state).toMatchObject({ quiet: null, wanted: null, pauses: 1 });
    expect(said(state)).toEqual([{ kind: 'paused', pauses: 1, pending: true }]);
  });

  it('ends with a review of the present head', () => {
    const facts = make.facts({ changeRequest: newer, history: reviewed(), orders: [given({ kind: 'resume' })] });
    const state = decided({ facts, state: settled({ pauses: 1 }) });
    expect(state).toMatchObject({ pauses: 2, wanted: make.at(newer.head) });
  });

  it('is brought back by no older edit, and lost by no wipe', () => {
    const history = make.history({ pauses: 1 });
    expect(isPaused(reconcile(null, history).pauses)).toBe(true);
    expect(isPaused(reconcile(settled({ pauses: 2 }), history).pauses)).toBe(false);
  });
});

describe('a call for a review', () => {
  const call = (patch: Partial<DecideInput> = {}, request: Parameters<typeof make.request>[0] = {}) =>
    decided({
      events: [make.forgeEvent('comment', { noteId: 4 })],
      facts: make.facts({ history: reviewed(), requests: [make.request(request)] }),
      ...patch,
    });

  it('at a reviewed head repeats the verdict', () => {
    const state = call();
    expect(said(state)).toEqual([{ kind: 'verdict' }]);
    expect(state).toMatchObject({ wanted: null, granted: 0, asked: null });
  });

  it.each([
    ['in full at a reviewed head', {}, { full: true }, 1],
    ['at a new head', { state: make.state() }, {}, 0],
    [
      'at a head beyond the rounds',
      { state: make.state({ reviewsDone: 3, roundsUsed: 3, closed: [make.at(head)] }) },
      {},
      1,
    ],
    ['at a head beyond the runs', { state: make.state({ runsUsed: 6, closed: [make.at(head)] }) }, {}, 1],
    ['at a head that was given up', { state: make.state({ closed: [make.at(head)] }) }, {}, 0],
  ] as const)('%s leads to one, with its words', (_name, patch, request, granted) => {
    const wish = { ...request, instructions: 'the locking' };
    const waiting = call(patch, wish);
    expect(waiting).toMatchObject({ granted, wanted: make.at(head) });
    const { running } = call(
      { ...patch, state: { ...((patch as Partial<DecideInput>).state ?? settled()), slotHeld: true } },
      wish,
    );
    expect(running).toMatchObject({ kind: 'review', instructions: 'the locking', head });
    expect(running?.kind === 'review' ? running.full : null).toBe('full' in request ? true : undefined);
  });

  it('keeps what was asked for when its run fails', () => {
    const running = make.run({ review: 2, full: true, instructions: 'the locking' });
    const failed = decided({
      state: settled({ running }),
      events: [make.runEvent(running, 'failed')],
    });
    expect(failed).toMatchObject({
      wanted: make.at(head),
      asked: { ...make.at(head), full: true, instructions: 'the locking' },
    });
    const again = decided({ events: [], state: { ...failed, outbox: [], slotHeld: true } });
    expect(again.running).toMatchObject({ full: true, instructions: 'the locking', attempt: 2 });
  });

  it('grants nothing for a head that is being reviewed', () => {
    expect(call({ state: settled({ running: make.run() }) }, { full: true })).toMatchObject({
      granted: 0,
      wanted: null,
    });
  });
});

describe('a dismissal', () => {
  it.each(['resolved', 'dismissed'] as const)('F-T23: of a finding that is %s changes nothing', (closed) => {
    const history = reviewed({ threads: [make.thread({ state: closed })] });
    const facts = make.facts({ history, orders: [given(DISMISS)] });
    expect(said(decided({ facts }))).toEqual([{ kind: 'closed_already', findingId: 'F-001' }]);
  });

  const INPUT = { key: make.KEY, botIds: new Set([make.BOT_ID]), secrets: [make.SECRET] };
  const context = { facts: make.changeRequest(), history: reviewed(), policy: make.policy() };
  const [command] = ordered(DISMISS).outbox;
  if (command?.kind !== 'answer') throw new Error('a dismissal is not answered');
  const plan = PostPlan.parse(buildAnswerPlan(context, command));

  it('is recorded in its answer, with whose it was', () => {
    expect(plan.notices[0]?.marker).toMatchObject({
      kind: 'answer',
      note: '40',
      dismisses: { id: 'F-001', fp: make.thread().fingerprint, by: make.AUTHOR_ID },
    });
    expect(plan).toMatchObject({ summary: null, status: null, closures: [{ state: 'dismissed' }] });
  });

  it('is known from that answer alone', () => {
    const [notice] = plan.notices;
    const { thread } = { thread: make.thread() };
    const found = make.comment(
      signMarker(
        {
          kind: 'finding',
          cr: make.KEY,
          review: 1,
          attempt: 1,
          run: make.runId('run'),
          id: thread.id,
          fp: thread.fingerprint,
          count: 0,
          stance: 'seeks_change',
          severity: 'P1',
          blocking: true,
          state: 'open',
          head,
          base: make.sha('base'),
          path: 'a.ts',
          side: 'new',
          startLine: 3,
          line: 3,
          title: thread.title,
          rule: null,
          patch: null,
        },
        make.SECRET,
      ),
    );
    if (notice === undefined) throw new Error('no answer is planned');
    const comments = [found, make.comment(`${notice.text}\n\n${signMarker(notice.marker, make.SECRET)}`)];
    expect(rebuildHistory({ comments, ...INPUT }).threads).toMatchObject([{ id: 'F-001', state: 'dismissed' }]);
  });

  const dismissed = reviewed({ threads: [make.thread({ state: 'dismissed' })] });

  it('leads to the verdict that is left, once, behind the CI of the head', () => {
    const state = decided({ events: [], facts: make.facts({ history: dismissed }) });
    expect(state.running).toMatchObject({ kind: 'reevaluate', phase: 'waiting_ci', head });
    expect(state).toMatchObject({ runsUsed: 1, outbox: [{ kind: 'schedule', delayMs: 0 }] });
    const next = decided({ events: [], facts: make.facts({ history: dismissed }), state: { ...state, outbox: [] } });
    expect(next.running?.phase).toBe('posting');
    expect(next.outbox.map(({ kind }) => kind)).toEqual(['post_replies', 'schedule']);
    const { running } = next;
    if (running === null) throw new Error('it has ended too early');
    const ended = decided({
      events: [make.postEvent(running, 'posted')],
      facts: make.facts({ history: dismissed }),
      state: { ...next, outbox: [] },
    });
    expect(ended).toMatchObject({ running: null, outbox: [], replyDebounce: null });
  });

  it.each([
    ['another finding blocks', { threads: [make.thread({ state: 'dismissed' }), make.thread({ id: 'F-002' })] }],
    ['CI alone kept it from a pass', { threads: dismissed.threads, reviewed: [{ ...entry, onlyCi: true as const }] }],
    ['it is the verdict already', { threads: dismissed.threads, reviewed: [{ ...entry, verdict: 'lgtm' as const }] }],
    ['another head was reviewed', { threads: dismissed.threads, reviewed: [{ ...entry, head: make.sha('old') }] }],
    ['nothing was dismissed', {}],
  ])('changes no verdict when %s', (_name, patch) => {
    const state = decided({ events: [], facts: make.facts({ history: reviewed(patch) }) });
    expect({ running: state.running, outbox: state.outbox }).toEqual({ running: null, outbox: [] });
  });

  const judged = (patch: Partial<GatedDraft>) =>
    gate({ review: 2, findings: [], answers: [], moved: [], exceeded: null, ...patch }, dismissed, make.policy());

  it('keeps its finding from being raised again, of whatever severity, while its code is the same', () => {
    const same = make.finding();
    const reworded = make.finding({ fingerprint: make.print('x'), onChangedHunk: false });
    for (const finding of [same, reworded]) {
      const { accepted, dropped, raisedAgain } = judged({ findings: [finding] });
      expect({ accepted, raisedAgain, why: dropped.map(({ reason }) => reason) }).toEqual({
        accepted: [],
        raisedAgain: [],
        why: ['repeats a dismissed finding'],
      });
    }
  });

  it('makes the answer void that a round was about to give in its thread', () => {
    const answer = { findingId: 'F-001', stance: 'seeks_change', action: 'reply', severity: null, body: 'x' } as const;
    const { handled, violations } = judged({ answers: [answer] });
    expect({ handled, violations }).toEqual({ handled: [], violations: [] });
  });

  it('does not hide the same claim about code that has changed', () => {
    const changed = make.finding({ fingerprint: make.print('x') }, { evidence: 'save(other);' });
    expect(judged({ findings: [changed] }).accepted).toMatchObject([
      { id: 'F-002', blocking: true, regressionOf: null },
    ]);
  });
});
