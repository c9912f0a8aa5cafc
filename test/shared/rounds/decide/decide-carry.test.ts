import { describe, expect, it } from 'vitest';
import { buildAnnouncePlan } from '../../../../shared/rounds/plan/announce-plan.ts';
import { decide } from '../decide-alone.ts';
import type { DecideInput, Decision } from '../../../../shared/rounds/decide/decision.ts';
import type { InboxEvent } from '../../../../shared/rounds/model/events.ts';
import { rebuildHistory } from '../../../../shared/rounds/memory/rebuild-history.ts';
import type { ReviewedInput } from '../../../../shared/rounds/model/history.ts';
import { reconcile } from '../../../../shared/rounds/memory/reconcile.ts';
import type { CarryRun } from '../../../../shared/rounds/model/run.ts';
import { signMarker } from '../../../../shared/rounds/memory/marker.ts';
import * as make from '../builders.ts';

const HEAD = make.sha('head');

const reviewed = (patch: Partial<ReviewedInput> = {}): ReviewedInput => ({
  head: make.sha('old'),
  base: make.sha('base'),
  fingerprint: make.print('patch'),
  target: 'main',
  targetHead: make.sha('target'),
  rules: make.print('rules'),
  round: 3,
  verdict: 'lgtm',
  clear: true,
  ...patch,
});

const CARRIED = {
  base: make.sha('base'),
  targetHead: make.sha('target'),
  patchFingerprint: make.print('patch'),
  reviewedHead: make.sha('old'),
  reviewedBase: make.sha('base'),
  reviewedTarget: 'main',
  rules: make.print('rules'),
  baseMoved: true,
};

/** After the last of three rounds, with runs left. */
const capped = { roundsDone: 3, runsUsed: 3, reviewed: [make.at(make.sha('old'))], slotHeld: true };

const decideOn = (patch: Partial<DecideInput>): Decision =>
  decide({
    state: make.state({ ...capped, wanted: make.at(HEAD) }),
    events: [],
    facts: make.facts({ history: make.history({ reviewed: [reviewed()], roundsDone: 3 }) }),
    policy: make.policy({}, { max: 3, maxRuns: 6, attempts: 2 }),
    nowMs: make.NOW,
    freshRunId: make.runId('fresh'),
    ...patch,
  });

const kindsOf = ({ state }: Decision): readonly string[] =>
  state.outbox.map(({ kind }) => kind).filter((kind) => kind !== 'schedule' && kind !== 'release_slot');

const comparing = (patch: Partial<CarryRun> = {}): CarryRun =>
  make.carryRun({ round: 3, phase: 'reviewing', ...patch });

/** A report about the comparison at work. */
const report = (kind: 'same_input' | 'drafted' | 'superseded' | 'failed', code: string | null = null): InboxEvent => ({
  source: 'run',
  id: kind,
  atMs: 0,
  kind,
  runId: comparing().runId,
  code,
  ...(kind === 'same_input' ? { carried: CARRIED } : {}),
});

const whileComparing = (event: InboxEvent, state: Parameters<typeof make.state>[0] = {}, run: Partial<CarryRun> = {}) =>
  decideOn({ state: make.state({ ...capped, runsUsed: 4, running: comparing(run), ...state }), events: [event] });

describe('a head beyond the last round', () => {
  it('is compared with what was reviewed by a run that counts, belongs to no new round and never has to finish', () => {
    const { state } = decideOn({ state: make.state({ ...capped, wanted: make.at(HEAD), supersededInRow: 2 }) });
    expect(state.running).toMatchObject({ kind: 'carry', head: HEAD, round: 3, attempt: 1 });
    expect([state.runsUsed, state.roundsDone, state.closed]).toEqual([4, 3, []]);
  });

  const blocks = make.thread();
  const noVerdict = make.history({ reviewed: [reviewed({ verdict: 'inconclusive' })] });
  it.each<[string, Partial<DecideInput>]>([
    ['nothing was reviewed', { facts: make.facts() }],
    ['the last review left no verdict', { facts: make.facts({ history: noVerdict }) }],
    [
      'the last review was incomplete',
      { facts: make.facts({ history: make.history({ reviewed: [reviewed({ complete: false })] }) }) },
    ],
    [
      'a pass is contradicted by what blocks since',
      { facts: make.facts({ history: make.history({ reviewed: [reviewed()], threads: [blocks] }) }) },
    ],
    ['the runs are used up as well', { state: make.state({ ...capped, runsUsed: 6, wanted: make.at(HEAD) }) }],
  ])('has its last word at once where %s', (_name, patch) => {
    const decision = decideOn(patch);
    expect(kindsOf(decision)).toEqual(['post_cap']);
    expect(decision.state).toMatchObject({ running: null, closed: [make.at(HEAD)] });
  });

  it('whose change blocks is compared too: its threads say so still', () => {
    const history = make.history({ reviewed: [reviewed({ verdict: 'feedback' })], threads: [blocks] });
    expect(decideOn({ facts: make.facts({ history }) }).state.running?.kind).toBe('carry');
  });

  it('that a commander asks about is reviewed: that grants a round', () => {
    const facts = make.facts({
      history: make.history({ reviewed: [reviewed()], roundsDone: 3 }),
      requests: [make.request({ noteId: 4 })],
    });
    const { state } = decideOn({
      state: make.state(capped),
      facts,
      events: [make.forgeEvent('comment', { noteId: 4 })],
    });
    expect(state.running).toMatchObject({ kind: 'review', round: 4 });
  });
});

describe('a comparison', () => {
  it('that finds the same input posts its verdict, and the head is settled without a round', () => {
    const posting = whileComparing(report('same_input'));
    expect(posting.state.running).toMatchObject({ phase: 'posting', carried: CARRIED });
    const { running } = posting.state;
    if (running === null) throw new Error('nothing runs');
    const after = decideOn({
      state: { ...posting.state, outbox: [] },
      events: [make.postEvent(running, 'posted')],
    }).state;
    expect(after).toMatchObject({ running: null, roundsDone: 3, runsUsed: 4, wanted: null });
    expect(after.reviewed.map(({ head }) => head)).toContain(HEAD);
  });

  it('that finds another input calls a human once, without another attempt', () => {
    const decision = whileComparing(report('failed', 'DIFFERENT_INPUT'));
    expect(kindsOf(decision)).toEqual(['post_cap']);
    expect(decision.state).toMatchObject({ running: null, wanted: null, closed: [make.at(HEAD)], slotHeld: false });
    const again = decideOn({
      state: { ...decision.state, outbox: [] },
      events: [make.forgeEvent('pushed', { head: HEAD })],
    });
    expect(kindsOf(again)).toEqual([]);
  });

  it.each([
    ['fails', report('failed', 'BROKEN')],
    ['hands in a draft that nobody asked for', report('drafted')],
  ])('that %s is tried again while attempts are left, and calls a human then as any capped head', (_name, event) => {
    const first = whileComparing(event);
    expect(first.state).toMatchObject({ running: null, wanted: make.at(HEAD), failedAttempts: 1, closed: [] });
    const last = whileComparing(event, { failedAttempts: 1 }, { attempt: 2 });
    expect(kindsOf(last)).toEqual(['post_cap']);
    expect(last.state).toMatchObject({ failedAttempts: 0, closed: [make.at(HEAD)] });
  });

  it('gives way to a newer head, and is not counted among those that were superseded in a row', () => {
    for (const event of [report('superseded'), report('failed', 'DIFFERENT_INPUT')]) {
      const changeRequest = make.changeRequest({ head: make.sha('newer') });
      const history = make.history({ reviewed: [reviewed()], roundsDone: 3 });
      const state = make.state({
        ...capped,
        running: comparing(),
        wanted: make.at(make.sha('newer')),
        supersededInRow: 1,
      });
      const decision = decideOn({ state, events: [event], facts: make.facts({ history, changeRequest }) });
      expect(decision.state).toMatchObject({ closed: [], wanted: make.at(make.sha('newer')), supersededInRow: 1 });
    }
  });

  describe('during which a commander asks for a review', () => {
    const asks = (full: boolean) =>
      decideOn({
        state: make.state({ ...capped, running: comparing() }),
        facts: make.facts({
          history: make.history({ reviewed: [reviewed()], roundsDone: 3 }),
          requests: [make.request({ noteId: 4, full })],
        }),
        events: [make.forgeEvent('comment', { noteId: 4 })],
      }).state;

    it('is followed by that review where it finds another input', () => {
      const { state } = decideOn({
        state: { ...asks(false), outbox: [], slotHeld: true },
        events: [report('failed', 'DIFFERENT_INPUT')],
      });
      expect(state).toMatchObject({ granted: 1, wanted: make.at(HEAD), closed: [] });
      const { running } = decideOn({ state: { ...state, outbox: [], slotHeld: true } }).state;
      expect(running).toMatchObject({ kind: 'review', head: HEAD, round: 4 });
    });

    it.each([
      [false, null],
      [true, make.at(HEAD)],
    ])(
      'answers a plain call with the carried verdict, and leaves one for everything to be heard: %s',
      (full, wanted) => {
        const running = comparing({ phase: 'posting', planId: 'plan', carried: CARRIED });
        const { state } = decideOn({
          state: { ...asks(full), outbox: [], running },
          events: [make.postEvent(running, 'posted')],
        });
        expect([state.wanted, state.asked?.full ?? null]).toEqual([wanted, full ? true : null]);
      },
    );
  });

  it('says so on the forge, and is known from there after a wipe', () => {
    const history = make.history({ reviewed: [reviewed()], roundsDone: 3, verdict: 'lgtm' });
    const context = { facts: make.changeRequest(), history, policy: make.policy({}, { max: 3 }) };
    const run = comparing({ phase: 'announcing', planId: 'x' });
    const plan = buildAnnouncePlan(context, { run, runsUsed: 4, supersededInRow: 0 });
    expect(plan.status).toEqual({
      state: 'pending',
      description: 'No round is left: comparing with what was reviewed',
    });
    expect(plan.summary.text).toMatch(/^### Comparison in progress\n\nThe 3 rounds are used up\./);
    const comments = [make.comment(`Text.\n\n${signMarker(plan.summary.marker, make.SECRET)}`)];
    const known = { key: make.KEY, botIds: new Set([make.BOT_ID]), secrets: [make.SECRET] };
    const rebuilt = reconcile(null, rebuildHistory({ comments, ...known }));
    expect(rebuilt).toMatchObject({ roundsDone: 3, runsUsed: 4, failedAttempts: 0 });
    expect(rebuilt.running).toMatchObject({ kind: 'carry', runId: run.runId, round: 3 });
  });
});
