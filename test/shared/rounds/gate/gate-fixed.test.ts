/** The one word that is still heard about a settled thread: that it is shown fixed. */
import { describe, expect, it } from 'vitest';
import { ReviewDraft, type CheckedFix } from '../../../../shared/rounds/model/draft.ts';
import { gate, gateReplies } from '../../../../shared/rounds/gate/gate.ts';
import { rebuildHistory } from '../../../../shared/rounds/memory/rebuild-history.ts';
import type { Thread } from '../../../../shared/rounds/model/history.ts';
import { ledgerAfter } from '../../../../shared/rounds/memory/ledger.ts';
import { plannedClosures, plannedReplies } from '../../../../shared/rounds/plan/plan-threads.ts';
import { judgeReview } from '../../../../shared/rounds/gate/verdict.ts';
import type { FindingMarker, ReplyMarker } from '../../../../shared/rounds/model/marker-payload.ts';
import { signMarker } from '../../../../shared/rounds/memory/marker.ts';
import * as make from '../builders.ts';

const fix = (patch: Partial<CheckedFix> = {}): CheckedFix => ({
  findingId: 'F-001',
  evidence: 'await save(order);',
  rule: null,
  shown: true,
  ...patch,
});

const settled = (patch: Partial<Thread> = {}): Thread => make.thread({ state: 'vetoed', count: 2, ...patch });

const gated = (threads: readonly Thread[], patch: Partial<ReviewDraft> = {}) =>
  gate(make.draft({ review: 3, fixed: [fix()], ...patch }), make.history({ threads, nextNumber: 9 }), make.policy());

const verdictOf = (result: ReturnType<typeof gated>) =>
  judgeReview({
    coverage: make.draft().coverage,
    gated: result,
    currentHead: true,
    ledgerFull: false,
    exceeded: null,
  }).verdict;

describe('a settled thread that is called fixed', () => {
  it.each<[string, Partial<Thread>, Partial<ReviewDraft>, string]>([
    ['lifts its block when lines show it', {}, {}, 'lgtm'],
    ['lifts its block when it was escalated', { state: 'escalated', severity: 'P0' }, {}, 'lgtm'],
    ['blocks on without lines that show it', {}, { fixed: [fix({ shown: false })] }, 'feedback'],
    ['blocks on when nothing is said', {}, { fixed: [] }, 'feedback'],
    ['blocks on when another one is meant', {}, { fixed: [fix({ findingId: 'F-002' })] }, 'feedback'],
    ['blocks on when it is claimed again in the same breath', {}, { findings: [make.finding()] }, 'feedback'],
    [
      'blocks on when it is claimed again without evidence',
      {},
      { findings: [make.finding({ evidenced: false })] },
      'feedback',
    ],
    ['blocks on when a lesser claim repeats it', {}, { findings: [make.finding({}, { severity: 'P3' })] }, 'feedback'],
    [
      'lifts its block when one of two words shows it',
      {},
      { fixed: [fix({ shown: false }), fix(), fix({ evidence: 'again();' })] },
      'lgtm',
    ],
  ])('%s', (_name, thread, patch, verdict) => {
    const result = gated([settled(thread)], patch);
    expect(result.violations).toEqual([]);
    expect(verdictOf(result)).toBe(verdict);
  });

  it('is left alone in the round that raised it', () => {
    expect(gated([settled({ review: 3 })]).handled).toEqual([]);
  });

  it.each<Thread['state']>(['resolved', 'dismissed'])('is left alone once it is %s', (state) => {
    expect(gated([settled({ state })]).handled).toEqual([]);
  });

  it('is no answer to an open thread', () => {
    expect(gated([make.thread()])).toMatchObject({ handled: [], left: [{ why: 'waits' }] });
  });

  it('stays where two threads bear its number', () => {
    const twin = settled({ fingerprint: make.print('twin') });
    expect(gated([settled(), twin])).toMatchObject({ handled: [], standing: [{ id: 'F-001' }, { id: 'F-001' }] });
  });

  it('is not heard between two rounds', () => {
    const history = make.history({ threads: [settled()] });
    const talk = { threads: ['F-001' as const], note: 9 };
    const result = gateReplies(make.draft({ fixed: [fix()] }), history, { policy: make.policy(), scope: talk });
    expect(result).toMatchObject({ handled: [], violations: [] });
  });

  it('keeps its count and severity, and is closed by one word', () => {
    const result = gated([settled({ severity: 'P0' })]);
    const context = { facts: make.changeRequest(), history: make.history(), policy: make.policy() };
    const input = { ...context, run: make.run({ review: 3 }), draft: make.draft(), gated: result };
    expect(plannedReplies(input)).toEqual([]);
    expect(plannedClosures(input)).toMatchObject([
      {
        marker: { kind: 'reply', id: 'F-001', action: 'resolve', count: 2, severity: 'P0', review: 3 },
        text: expect.stringMatching(/^\*\*Shown fixed and resolved\*\* at `\w+` \(F-001\)\. .*`await save\(order\);`$/),
      },
    ]);
    expect(ledgerAfter(make.history({ threads: [settled()] }), { review: 3 }, result).entries).toMatchObject([
      { id: 'F-001', state: 'resolved', count: 2 },
    ]);
    expect(result.standing).toEqual([]);
  });

  it('quotes no rule, and of a long quotation the beginning', () => {
    const wordsOf = (each: CheckedFix) => gated([settled()], { fixed: [each] }).handled[0]?.answer.body ?? '';
    expect(wordsOf(fix({ rule: 'js-eval', evidence: '' }))).toBe('`js-eval` does not find the problem any more.');
    expect(wordsOf(fix({ evidence: 'x'.repeat(4000) })).length).toBeLessThan(400);
  });

  it('is a regression when it comes back later', () => {
    const resolved = settled({ state: 'resolved' });
    expect(gated([resolved], { review: 4, fixed: [], findings: [make.finding()] }).accepted).toMatchObject([
      { id: 'F-009', regressionOf: 'F-001' },
    ]);
  });
});

describe('what the forge remembers', () => {
  const common = { cr: make.KEY, attempt: 1, run: make.runId('run'), id: 'F-001' as const, fp: make.print('x') };
  const found: FindingMarker = {
    ...common,
    kind: 'finding',
    review: 1,
    head: make.sha('one'),
    base: make.sha('base'),
    count: 0,
    stance: 'seeks_change',
    severity: 'P1',
    blocking: true,
    state: 'open',
    path: 'a.ts',
    side: 'new',
    startLine: 1,
    line: 1,
    title: 'Lost',
    rule: null,
    patch: make.print('patch'),
  };
  const reply = (action: ReplyMarker['action'], review: number, count: number): ReplyMarker => ({
    ...common,
    kind: 'reply',
    review,
    action,
    count,
    stance: 'seeks_change',
    severity: 'P1',
    head: make.sha(`head ${review}`),
  });
  const rebuilt = (...markers: readonly (FindingMarker | ReplyMarker)[]) =>
    rebuildHistory({
      comments: markers.map((marker) => make.comment(signMarker(marker, make.SECRET))),
      key: make.KEY,
      botIds: new Set([make.BOT_ID]),
      secrets: [make.SECRET],
    }).threads;

  it('is the head at which a human was called', () => {
    expect(rebuilt(found, reply('reply', 2, 1), reply('veto', 3, 2))).toMatchObject([
      { state: 'vetoed', settledAt: make.sha('head 3') },
    ]);
    expect(rebuilt(found, reply('reply', 2, 1))[0]).not.toHaveProperty('settledAt');
  });

  it('is that a settled thread was shown fixed, with the count that it had', () => {
    expect(rebuilt(found, reply('veto', 2, 2), reply('resolve', 3, 2))).toMatchObject([
      { state: 'resolved', count: 2 },
    ]);
    expect(rebuilt({ ...found, state: 'resolved', count: 2 }, reply('veto', 2, 2))).toMatchObject([
      { state: 'resolved', count: 2 },
    ]);
  });

  it('is a draft of an earlier version as well', () => {
    const { fixed: _none, ...old } = make.draft();
    expect(ReviewDraft.parse(old)).toEqual(old);
  });
});
