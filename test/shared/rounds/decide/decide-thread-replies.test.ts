import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decide } from '../decide-alone.ts';
import type { DecideInput } from '../../../../shared/rounds/decide/decision.ts';
import type { PendingAnswer } from '../../../../shared/rounds/model/facts.ts';
import type { ReplyRun, Run } from '../../../../shared/rounds/model/run.ts';
import type { GuardState } from '../../../../shared/rounds/model/state.ts';
import { propertyRuns } from '../../../support/deep.ts';
import * as make from '../builders.ts';

const head = make.sha('head');
const FOREVER = Number.MAX_SAFE_INTEGER;

const reviewed = (of = head, verdict: 'lgtm' | 'feedback' = 'feedback') =>
  make.history({
    reviewsDone: 1,
    verdict,
    threads: [make.thread()],
    reviewed: [
      {
        head: of,
        base: make.sha('base'),
        fingerprint: make.print('patch'),
        target: 'main',
        targetHead: make.sha('target'),
        rules: make.print('rules'),
        review: 1,
        verdict,
        clear: true,
      },
    ],
  });

const waiting = (...noteIds: readonly number[]): readonly PendingAnswer[] =>
  noteIds.map((noteId, index) => ({ findingId: `F-00${index + 1}`, noteId }));

const settled = (patch: Partial<GuardState> = {}): GuardState =>
  make.state({ reviewsDone: 1, runsUsed: 1, reviewed: [make.at(head)], ...patch });

const input = (patch: Partial<DecideInput> = {}): DecideInput => ({
  state: settled(),
  events: [make.forgeEvent('comment', { noteId: 40 })],
  facts: make.facts({ history: reviewed(), answers: waiting(40) }),
  policy: make.policy(),
  nowMs: make.NOW,
  freshRunId: make.runId('fresh'),
  ...patch,
});

const kinds = (state: GuardState) => state.outbox.map(({ kind }) => kind);

const talkRun = (patch: Partial<ReplyRun> = {}): ReplyRun =>
  make.replyRun({ scope: { threads: ['F-001'], note: 40 }, review: 1, ...patch });

describe('answers in threads', () => {
  it('are answered by a run of their own at the same head, announced and counted', () => {
    const { state } = decide(input({ state: settled({ slotHeld: true }) }));
    const running = talkRun({
      runId: make.runId('fresh'),
      phase: 'announcing',
      planId: `${make.runId('fresh')}-announce`,
      deadlineMs: make.NOW + 30_000,
    });
    expect(state).toMatchObject({ running, runsUsed: 2, reviewsDone: 1, replyDebounce: { noteId: 40 } });
    expect(kinds(state)).toEqual(['acknowledge', 'announce', 'schedule']);
    expect(state.outbox[1]).toEqual({ kind: 'announce', run: running, runsUsed: 2, supersededInRow: 0 });
  });

  it('are several threads, but one run', () => {
    const facts = make.facts({ history: reviewed(), answers: waiting(40, 38) });
    const { running } = decide(input({ facts, state: settled({ slotHeld: true }) })).state;
    expect(running).toMatchObject({ kind: 'reply', scope: { threads: ['F-001', 'F-002'], note: 40 } });
  });

  it('wait in the project for a slot', () => {
    const { state } = decide(input());
    expect(state.running).toBeNull();
    expect(kinds(state)).toEqual(['acknowledge', 'acquire_slot']);
  });

  it('wait for more of them, and the time starts again with each', () => {
    const policy = make.policy({ quietMs: 30_000 });
    const first = decide(input({ policy, state: settled() })).state;
    expect(first.replyDebounce).toEqual({ noteId: 40, untilMs: make.NOW + 30_000 });
    expect(first.outbox).toMatchObject([
      { kind: 'acknowledge', noteId: 40 },
      { kind: 'schedule', delayMs: 30_050 },
    ]);
    const later = { policy, nowMs: make.NOW + 20_000, state: { ...first, outbox: [] } };
    const same = decide(input(later)).state;
    expect(same).toEqual({ ...first, outbox: [] });
    const more = make.facts({ history: reviewed(), answers: waiting(41) });
    const second = decide(input({ ...later, facts: more })).state;
    expect(second).toMatchObject({ running: null, replyDebounce: { noteId: 41, untilMs: make.NOW + 50_000 } });
    const over = decide(
      input({
        policy,
        nowMs: make.NOW + 50_000,
        facts: more,
        state: { ...second, outbox: [], slotHeld: true },
        events: [],
      }),
    ).state;
    expect(over.running).toMatchObject({ kind: 'reply', scope: { threads: ['F-001'], note: 41 } });
  });

  it.each<[string, Partial<DecideInput>]>([
    ['nobody has given any', { facts: make.facts({ history: reviewed() }) }],
    ['a run is at work', { state: settled({ running: make.run({ head: make.sha('other') }) }) }],
    ['a newer head waits for quiet', { state: settled({ quiet: { head: make.sha('newer'), untilMs: FOREVER } }) }],
    ['calls are switched off', { policy: make.policy({ triggers: ['opened'] }) }],
    [
      'the head was not the last one that was reviewed',
      { facts: make.facts({ history: reviewed(make.sha('other')), answers: waiting(40) }) },
    ],
    [
      'they were answered and the forge does not show it yet',
      { state: settled({ replyDebounce: { noteId: 40, untilMs: FOREVER } }) },
    ],
    [
      'the change request is closed',
      { facts: make.facts({ changeRequest: make.changeRequest({ state: 'closed' }), answers: waiting(40) }) },
    ],
  ])('start nothing when %s', (_name, patch) => {
    const given = input({ events: [], ...patch });
    const { state } = decide(given);
    expect({ running: state.running, outbox: state.outbox }).toEqual({ running: given.state.running, outbox: [] });
  });

  it('wait for the review that a commander asked for', () => {
    const asked = { ...make.at(head), full: false, instructions: '' };
    const { state } = decide(input({ state: settled({ wanted: make.at(head), asked }), events: [] }));
    expect([kinds(state), state.replyDebounce]).toEqual([['acquire_slot'], null]);
  });

  it('go to a human without a run when the runs are used up', () => {
    const { state } = decide(input({ state: settled({ runsUsed: 6 }) }));
    expect(state).toMatchObject({
      runsUsed: 6,
      running: { kind: 'reply', phase: 'giving_up', scope: { threads: ['F-001'] } },
    });
    expect(state.outbox).toMatchObject([
      { kind: 'acknowledge' },
      { kind: 'give_up', code: 'MAX_RUNS_EXCEEDED' },
      { kind: 'schedule' },
    ]);
  });
});

describe('a run that answers', () => {
  const posting = talkRun({ phase: 'posting', planId: `${make.runId('run')}-review` });

  it('is no round, and nothing of it is answered twice', () => {
    const state = settled({ running: posting, slotHeld: true, failedReplies: 1, runsUsed: 2 });
    const ended = decide(input({ state, events: [make.postEvent(posting, 'posted')] })).state;
    expect(ended).toMatchObject({
      running: null,
      reviewsDone: 1,
      runsUsed: 2,
      reviewed: [make.at(head)],
      failedReplies: 0,
      replyDebounce: { noteId: 40, untilMs: FOREVER },
    });
    expect(kinds(ended)).toEqual(['release_slot']);
  });

  it('is followed by another for what was said meanwhile', () => {
    const state = settled({ running: posting, slotHeld: true, runsUsed: 2 });
    const facts = make.facts({ history: reviewed(), answers: waiting(41) });
    const next = decide(input({ state, facts, events: [make.postEvent(posting, 'posted')] })).state;
    expect(next).toMatchObject({ running: null, replyDebounce: { noteId: 41 } });
    expect(kinds(next)).toEqual(['release_slot', 'acknowledge', 'acquire_slot']);
  });

  it('gives way to a newer head and costs no supersession', () => {
    const newer = make.sha('newer');
    const facts = make.facts({ history: reviewed(), changeRequest: make.changeRequest({ head: newer }) });
    const state = settled({ running: talkRun(), wanted: make.at(newer), slotHeld: true });
    const ended = decide(input({ state, facts, events: [make.runEvent(talkRun(), 'superseded')] })).state;
    expect(ended).toMatchObject({ running: null, wanted: make.at(newer), supersededInRow: 0 });
  });

  it('that failed is tried again at once while attempts are left', () => {
    const state = settled({ running: talkRun(), slotHeld: false, replyDebounce: { noteId: 40, untilMs: make.NOW } });
    const failed = decide(input({ state, events: [make.runEvent(talkRun(), 'failed')] })).state;
    expect(failed).toMatchObject({ running: null, failedReplies: 1, failedAttempts: 0 });
    expect(kinds(failed)).toEqual(['acquire_slot']);
    const again = decide(input({ events: [], state: { ...failed, slotHeld: true, outbox: [] } })).state;
    expect(again.running).toMatchObject({ attempt: 2, review: 1, phase: 'announcing' });
  });

  it.each([
    ['no attempt is left', 2, waiting(40), 'BROKEN'],
    ['half of it stands on the forge and nothing waits any more', 1, [], 'BROKEN'],
    ['it took down its processes (Q2)', 1, waiting(40), 'WORKER_DIED'],
  ] as const)('that failed is given up when %s', (_name, attempt, answers, code) => {
    const running = talkRun({ attempt });
    const facts = make.facts({ history: reviewed(), answers });
    const state = settled({ running, failedReplies: attempt - 1 });
    const failed = decide(input({ state, facts, events: [make.runEvent(running, 'failed', code)] })).state;
    expect(failed.running).toMatchObject({ phase: 'giving_up' });
    expect(kinds(failed)).toEqual(['give_up', 'schedule']);
    const givingUp = failed.running;
    if (givingUp === null) throw new Error('the run has ended too early');
    for (const outcome of ['posted', 'failed', 'head_moved'] as const) {
      const given = { ...failed, outbox: [] };
      const ended = decide(input({ state: given, facts, events: [make.postEvent(givingUp, outcome)] })).state;
      expect(ended).toMatchObject({ running: null, closed: [], replyDebounce: { noteId: 40, untilMs: FOREVER } });
      expect(ended.outbox).toEqual([]);
    }
  });
});

/** What a forge would show: each run of a talk ends in one of these ways, and people may say more at any time. */
type Turn = 'answered' | 'failed' | 'lost' | 'post_failed' | 'head_moved';

const TURNS: readonly Turn[] = ['answered', 'failed', 'lost', 'post_failed', 'head_moved'];

describe('however answers and failures are mixed', () => {
  it('the runs stay below their cap, and all is quiet after the last answer', () => {
    fc.assert(
      fc.property(
        fc.array(fc.record({ says: fc.boolean(), turn: fc.constantFrom(...TURNS) }), { maxLength: 40 }),
        (play) => {
          const end = play.reduce(turn, { state: settled({ slotHeld: true }), note: 40, open: true, nowMs: make.NOW });
          expect(end.state.runsUsed).toBeLessThanOrEqual(6);
          const quiet = Array.from({ length: 12 }).reduce<Stage>(
            (stage) => turn(stage, { says: false, turn: 'answered' }),
            end,
          );
          expect(quiet.state.running).toBeNull();
          const again = look(quiet, []);
          expect(again.outbox.filter(({ kind }) => kind !== 'acquire_slot' && kind !== 'release_slot')).toEqual([]);
        },
      ),
      propertyRuns(200, 20_000),
    );
  });
});

type Stage = { readonly state: GuardState; readonly note: number; readonly open: boolean; readonly nowMs: number };

const look = ({ state, note, open, nowMs }: Stage, events: DecideInput['events']): GuardState =>
  decide(
    input({
      state: { ...state, outbox: [], slotHeld: true },
      events,
      nowMs,
      facts: make.facts({ history: reviewed(), answers: open ? waiting(note) : [] }),
    }),
  ).state;

const turn = (stage: Stage, { says, turn: how }: { says: boolean; turn: Turn }): Stage => {
  const said = says ? { ...stage, note: stage.note + 1, open: true } : stage;
  const state = look(said, []);
  const { running } = state;
  if (running === null) return { ...said, state };
  const event = eventOf(running, how);
  const next = { ...said, state, nowMs: how === 'lost' ? running.deadlineMs : said.nowMs };
  const done =
    running.phase === 'posting' &&
    how === 'answered' &&
    (running.kind === 'reply' ? running.scope.note : 0) >= said.note;
  const isOpen = said.open && !done && !(running.phase === 'giving_up' && how === 'answered');
  return { ...next, open: isOpen, state: look({ ...next, open: isOpen }, event === null ? [] : [event]) };
};

const eventOf = (running: Run, how: Turn) => {
  if (how === 'lost') return null;
  if (running.phase === 'reviewing') return make.runEvent(running, how === 'answered' ? 'drafted' : 'failed');
  return make.postEvent(running, how === 'answered' ? 'posted' : how === 'head_moved' ? how : 'failed');
};
