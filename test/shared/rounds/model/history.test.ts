import { describe, expect, it } from 'vitest';
import type { ForgeComment } from '../../../../shared/forge/port-facts.ts';
import { buildAnnouncePlan } from '../../../../shared/rounds/plan/announce-plan.ts';
import { buildCapPlan } from '../../../../shared/rounds/plan/cap-plan.ts';
import { buildReviewPlan } from '../../../../shared/rounds/plan/review-plan.ts';
import { buildGiveUpPlan } from '../../../../shared/rounds/plan/give-up-plan.ts';
import { difference, duplicatesOf, isDone } from '../../../../shared/rounds/plan/difference.ts';
import { gate } from '../../../../shared/rounds/gate/gate.ts';
import { readOwnMarkers } from '../../../../shared/rounds/memory/own-markers.ts';
import { rebuildHistory } from '../../../../shared/rounds/memory/rebuild-history.ts';
import type { History } from '../../../../shared/rounds/model/history.ts';
import { type FullPlan, PostPlan } from '../../../../shared/rounds/model/posting/post-plan.ts';
import { reconcile } from '../../../../shared/rounds/memory/reconcile.ts';
import type { MarkerPayload } from '../../../../shared/rounds/model/marker-payload.ts';
import { signMarker } from '../../../../shared/rounds/memory/marker.ts';
import * as make from '../builders.ts';

const body = (payload: MarkerPayload, secret = make.SECRET): string => `Text.\n\n${signMarker(payload, secret)}`;
const read = (comments: readonly ForgeComment[]): History =>
  rebuildHistory({ comments, key: make.KEY, botIds: new Set([make.BOT_ID]), secrets: [make.SECRET] });
const own = (comments: readonly ForgeComment[]) =>
  readOwnMarkers({ comments, key: make.KEY, botIds: new Set([make.BOT_ID]), secrets: [make.SECRET] }).own;

const context = (history: History = make.history()) => ({
  facts: make.changeRequest(),
  history,
  policy: make.policy(),
});

/** What the forge shows after a plan was carried out, in the simplest possible way. */
const carriedOut = (plan: FullPlan, before: readonly ForgeComment[] = []): readonly ForgeComment[] => {
  const closed = new Map(plan.closures.map(({ marker }) => [marker.id, marker]));
  const kept = before
    .filter((each) => !own([each]).some(({ payload }) => payload.kind === 'summary'))
    .map((each) => {
      const [marker] = own([each]);
      const closure = marker?.payload.kind === 'finding' ? closed.get(marker.payload.id) : undefined;
      if (marker?.payload.kind !== 'finding' || closure === undefined) return each;
      return {
        ...each,
        body: body({ ...marker.payload, state: 'resolved', count: closure.count, stance: closure.stance }),
      };
    });
  return [
    ...kept,
    make.comment(body(plan.summary.marker)),
    ...plan.inline.map(({ marker }) => make.comment(body(marker), { kind: 'inline', threadId: `t-${marker.id}` })),
    ...plan.replies.map(({ marker }) => make.comment(body(marker), { kind: 'inline' })),
    ...plan.notices.map(({ marker }) => make.comment(body(marker))),
  ];
};

const firstReview = (): FullPlan => {
  const draft = make.draft({
    findings: [
      make.finding(),
      make.finding({ position: null, unplaced: 'elsewhere' }, { title: 'Other', path: 'b.ts', evidence: 'y' }),
    ],
  });
  const gated = gate(draft, make.history(), make.policy());
  return buildReviewPlan({ ...context(), run: make.run({ phase: 'posting' }), draft, gated });
};

describe('history', () => {
  it('is empty for a change request that the bot never saw', () => {
    expect(read([make.comment('Hello', { author: { id: 1, login: 'x' } })])).toEqual(make.history());
  });

  it('Q6: rebuilds rounds, threads, numbers and verdict from the comments of round 1', () => {
    const history = read(carriedOut(firstReview()));
    expect(history).toMatchObject({ reviewsDone: 1, verdict: 'feedback', nextNumber: 3, runsUsed: 0, running: null });
    expect(history.threads.map(({ id, state, review, count }) => ({ id, state, review, count }))).toEqual([
      { id: 'F-001', state: 'open', review: 1, count: 0 },
      { id: 'F-002', state: 'open', review: 1, count: 0 },
    ]);
    expect(history.reviewed).toMatchObject([{ head: make.sha('head'), review: 1, verdict: 'feedback' }]);
  });

  it('F-T21: gives no number twice, whether the summary or a comment knows the largest one', () => {
    const comments = carriedOut(firstReview());
    const isSummary = (each: ForgeComment): boolean => own([each]).some(({ payload }) => payload.kind === 'summary');
    const without = (keep: (each: ForgeComment) => boolean) => read(comments.filter(keep)).nextNumber;
    expect(read(comments).nextNumber).toBe(3);
    // Of its two findings one has no comment: the summary's ledger and its counter are what is left of F-002.
    expect(without((each) => each.kind !== 'inline')).toBe(3);
    expect(without((each) => !isSummary(each))).toBe(2);
    const counted = comments.map((each) => {
      const [marker] = own([each]);
      return marker?.payload.kind === 'summary' ? { ...each, body: body({ ...marker.payload, nextId: 9 }) } : each;
    });
    expect(read(counted).nextNumber).toBe(10);
  });

  it('knows the round from the findings when somebody deleted the summary', () => {
    const comments = carriedOut(firstReview()).filter((each) => each.kind === 'inline');
    const next = { ...own(comments)[0]?.payload, review: 2, attempt: 1 } as MarkerPayload;
    expect(read([...comments, make.comment(body(next), { kind: 'inline' })]).reviewsDone).toBe(1);
  });

  it('keeps a finding whose comment somebody deleted, from the ledger', () => {
    const comments = carriedOut(firstReview()).filter((each) => each.kind !== 'inline');
    expect(read(comments).threads).toMatchObject([
      { id: 'F-001', comment: null },
      { id: 'F-002', comment: null },
    ]);
  });

  it('announces the run that is at work, with its deadline', () => {
    const run = make.run({ phase: 'announcing', attempt: 2, review: 1 });
    const plan = buildAnnouncePlan(context(), { run, runsUsed: 4, supersededInRow: 1 });
    const history = read(carriedOut(plan));
    expect(history).toMatchObject({ reviewsDone: 0, attempts: 2, runsUsed: 4, supersededInRow: 1 });
    expect(history.running).toMatchObject({ runId: run.runId, head: run.head, attempt: 2 });
  });

  it('merges upwards only: an older edit of a comment gains nothing', () => {
    const before = carriedOut(firstReview());
    const draft = make.draft({
      review: 2,
      head: make.sha('two'),
      answers: [
        { findingId: 'F-001', stance: 'accepts', action: 'resolve', severity: null, body: '' },
        { findingId: 'F-002', stance: 'seeks_change', action: 'veto', severity: null, body: '' },
      ],
    });
    const history = read(before);
    const run = make.run({ review: 2, head: make.sha('two'), phase: 'posting' });
    const plan = buildReviewPlan({ ...context(history), run, draft, gated: gate(draft, history, make.policy()) });
    const after = carriedOut(plan, before);
    const restored = [
      ...after.filter((each) => each.kind !== 'inline'),
      ...before.filter((each) => each.kind === 'inline'),
    ];
    for (const comments of [after, restored]) {
      expect(read(comments).threads.map(({ id, state }) => [id, state])).toEqual([
        ['F-001', 'resolved'],
        ['F-002', 'vetoed'],
      ]);
    }
  });

  it.each([
    ['a copy by somebody else', (text: string) => make.comment(text, { author: { id: 1, login: 'x' } }), true],
    ['another change request', (text: string) => make.comment(text.replaceAll('\r', '')), false],
  ])('P9: does not believe the marker of %s', (_name, forge, foreign) => {
    const marker = firstReview().summary.marker;
    const text = body(foreign ? marker : { ...marker, cr: 'main.1.6' });
    expect(read([forge(text)])).toMatchObject({ reviewsDone: 0, threads: [], disowned: foreign });
  });

  it('hears a marker that was written where the forge has another id in the configuration', () => {
    const marker = firstReview().summary.marker;
    const own = make.comment(body({ ...marker, cr: marker.cr.replace(/^[^.]+/, 'another-id') }));
    expect(read([own])).toMatchObject({ reviewsDone: 1, disowned: false });
  });

  it('P9: does not believe a wrong signature', () => {
    expect(read([make.comment(body(firstReview().summary.marker, 'y'.repeat(40)))]).reviewsDone).toBe(0);
  });
});

describe('reconciling', () => {
  it('rebuilds a lost state, the run at work included', () => {
    const run = make.run({ phase: 'announcing', attempt: 2 });
    const history = read(carriedOut(buildAnnouncePlan(context(), { run, runsUsed: 4, supersededInRow: 1 })));
    const rebuilt = reconcile(null, history);
    expect(rebuilt).toMatchObject({ runsUsed: 4, supersededInRow: 1, failedAttempts: 1, reviewsDone: 0 });
    expect(rebuilt.running).toMatchObject({ runId: run.runId, phase: 'reviewing', attempt: 2 });
  });

  it('ends a rebuilt run whose round turns out to be on the forge', () => {
    const posted = read(carriedOut(firstReview()));
    const rebuilt = make.run({ phase: 'reviewing' });
    expect(reconcile(make.state({ running: rebuilt }), posted).running).toBeNull();
    const waiting = make.run({ phase: 'posting', planId: 'x' });
    expect(reconcile(make.state({ running: waiting }), posted).running).toEqual(waiting);
    const other = make.run({ runId: make.runId('other') });
    expect(reconcile(make.state({ running: other }), posted).running).toEqual(other);
  });

  it('takes the larger count of state and forge', () => {
    const history = read(carriedOut(firstReview()));
    expect(reconcile(make.state({ reviewsDone: 2, runsUsed: 5 }), history)).toMatchObject({
      reviewsDone: 2,
      runsUsed: 5,
    });
    expect(reconcile(make.state({ reviewsDone: 0 }), history)).toMatchObject({
      reviewsDone: 1,
      reviewed: [make.at(make.sha('head'))],
    });
  });

  it('F-T21: keeps what commanders granted, whichever of both knows of more', () => {
    const granted = (state: number, forge: number): number =>
      reconcile(make.state({ granted: state }), make.history({ grants: forge })).granted;
    expect([granted(2, 1), granted(1, 2), granted(0, 0)]).toEqual([2, 2, 0]);
    expect(reconcile(null, make.history({ grants: 3 })).granted).toBe(3);
  });

  it('keeps heads closed that were handed off', () => {
    const plan = buildGiveUpPlan(context(), make.run(), { code: 'RUN_OVERDUE', lastWords: null });
    const comments = carriedOut(plan);
    expect(reconcile(null, read(comments)).closed).toEqual([make.at(make.sha('head'))]);
    const saidAt = (createdAtMs: number) => comments.map((comment) => ({ ...comment, createdAtMs }));
    expect(read([...saidAt(2_000), ...saidAt(1_000)]).handoffs).toEqual([
      { head: make.sha('head'), review: 1, reason: 'run_overdue', atMs: 1_000 },
    ]);
  });
});

describe('plans', () => {
  const plans: readonly FullPlan[] = [
    firstReview(),
    buildAnnouncePlan(context(), { run: make.run({ phase: 'announcing' }), runsUsed: 1, supersededInRow: 0 }),
    buildGiveUpPlan(context(), make.run(), { code: 'RUN_OVERDUE', lastWords: null }),
    buildCapPlan(context(), { input: make.at(make.sha('head')), cap: 'runs', noticeId: make.runId('notice') }),
  ];

  it.each(plans.map((plan) => [plan.kind, plan] as const))('of kind %s survive the store unchanged', (_kind, plan) => {
    expect(PostPlan.parse(JSON.parse(JSON.stringify(plan)))).toEqual(plan);
  });

  it.each(plans.map((plan) => [plan.kind, plan] as const))(
    'of kind %s leave nothing to do once they are true',
    (_kind, plan) => {
      expect(isDone(difference(plan, own(carriedOut(plan)), new Set()))).toBe(true);
      expect(isDone(difference(plan, [], new Set()))).toBe(false);
    },
  );

  it('never pass anything but lgtm', () => {
    expect(plans.map(({ kind, status }) => [kind, status.state])).toEqual([
      ['review', 'failure'],
      ['announce', 'pending'],
      ['give_up', 'error'],
      ['cap', 'error'],
    ]);
  });

  it('P8: put a finding without a line into the summary, in full', () => {
    const plan = firstReview();
    expect(plan.inline.map(({ marker }) => marker.id)).toEqual(['F-001']);
    expect(plan.summary.text).toContain('Additional notes (not in diff)');
    expect(plan.summary.text).toContain('The promise is dropped, so its failure is lost. (elsewhere)');
  });

  it('say in a new comment that a later round changed the verdict', () => {
    const history = read(carriedOut(firstReview()));
    const draft = make.draft({
      review: 2,
      answers: ['F-001', 'F-002'].map((findingId) => ({
        findingId,
        stance: 'accepts' as const,
        action: 'resolve' as const,
        severity: null,
        body: '',
      })),
    });
    const plan = buildReviewPlan({
      ...context(history),
      run: make.run({ review: 2 }),
      draft,
      gated: gate(draft, history, make.policy()),
    });
    expect(plan.notices.map(({ text }) => text)).toEqual([
      'Nothing blocks merging any more. The summary is up to date.',
    ]);
    expect(plan.status.state).toBe('success');
  });

  it('say it once: a review with suggestions begins with the verdict, and asks for nothing', () => {
    const history = read(carriedOut(firstReview()));
    const answers = ['F-001', 'F-002'].map((findingId) => ({
      findingId,
      stance: 'accepts' as const,
      action: 'resolve' as const,
      severity: null,
      body: '',
    }));
    const draft = make.draft({
      review: 2,
      answers,
      findings: [
        make.finding({}, { severity: 'P2', title: 'A name says little', evidence: 'let x;', line: 9, startLine: 9 }),
      ],
    });
    const plan = buildReviewPlan({
      ...context(history),
      run: make.run({ review: 2 }),
      draft,
      gated: gate(draft, history, make.policy()),
    });
    expect([plan.summary.marker.verdict, plan.inline.length, plan.notices]).toEqual(['lgtm', 1, []]);
    expect(plan.reviewText).toMatch(
      /^\*\*Nothing blocks merging\*\*, 1 suggestion\n\nThe summary lists all findings\.$/,
    );
  });

  it('give no passing status to a head that is not the newest', () => {
    const draft = make.draft({ head: make.sha('older') });
    const plan = buildReviewPlan({
      ...context(),
      run: make.run({ head: make.sha('older'), mustFinish: true }),
      draft,
      gated: gate(draft, make.history(), make.policy()),
    });
    expect([plan.allowStale, plan.status.state, plan.summary.marker.verdict]).toEqual([true, 'error', 'inconclusive']);
  });
});

describe('the difference', () => {
  it('leaves deleted what somebody deleted after it was seen', () => {
    const plan = firstReview();
    const [first] = plan.inline;
    const seen = new Set([`finding.${first?.marker.fp}.1`]);
    const comments = carriedOut(plan).filter((each) => each.kind !== 'inline');
    expect(isDone(difference(plan, own(comments), seen))).toBe(true);
    expect(difference(plan, own(comments), new Set()).inline).toEqual(plan.inline);
  });

  it('names all but the oldest of what two writers left double', () => {
    const plan = firstReview();
    const twice = [...carriedOut(plan), ...carriedOut(plan)];
    const doubles = duplicatesOf(own(twice));
    expect(doubles).toEqual(twice.slice(twice.length / 2));
  });
});

describe('a summary that guard remembers', () => {
  const posted = firstReview();
  const [summary, ...rest] = carriedOut(posted);
  const remembered = { marker: posted.summary.marker, body: 'As it stood.', authorId: make.BOT_ID };
  const recall = (comments: readonly ForgeComment[], other: Partial<Parameters<typeof rebuildHistory>[0]> = {}) =>
    rebuildHistory({
      comments,
      key: make.KEY,
      botIds: new Set([make.BOT_ID]),
      secrets: [make.SECRET],
      remembered,
      ...other,
    });

  it('stands for the one that somebody has deleted', () => {
    expect(recall(rest)).toEqual({
      ...recall(carriedOut(posted)),
      summary: { comment: expect.objectContaining({ id: '', body: 'As it stood.' }), marker: posted.summary.marker },
      threads: recall(rest).threads,
    });
    expect(read(rest).reviewed).toEqual([]);
    expect(recall(rest).reviewed).toEqual(posted.summary.marker.reviewed);
  });

  it('stands for the newer one where somebody has restored an older edit', () => {
    const older = make.comment(
      body({ ...posted.summary.marker, phase: 'reviewing', reviewed: [], ledger: [], verdict: null }),
    );
    expect(recall([older, ...rest])).toMatchObject({
      summary: { comment: { id: older.id, body: 'As it stood.' }, marker: posted.summary.marker },
      verdict: posted.summary.marker.verdict,
      running: null,
    });
  });

  it('gives way to what stands on the forge and goes further', () => {
    const further = { ...posted.summary.marker, runs: posted.summary.marker.runs + 1, verdict: 'lgtm' as const };
    expect(recall([make.comment(body(further)), ...rest])).toMatchObject({ verdict: 'lgtm', runsUsed: further.runs });
    expect(recall(carriedOut(posted)).summary?.comment.body).toContain('Text.');
  });

  it('gives way to a carried verdict, which keeps the number of the review before its announcement', () => {
    const before = posted.summary.marker;
    const announced = { ...before, phase: 'reviewing' as const, review: before.review + 1, runs: before.runs + 1 };
    const reviewed = [...before.reviewed, { ...make.reviewedAt(make.sha('rebased')), review: before.review }];
    const carried = { ...announced, phase: 'posted' as const, review: before.review, reviewed };
    const seen = { ...remembered, marker: announced };
    const shown = make.comment(body(carried));
    expect(recall([shown, ...rest], { remembered: seen })).toMatchObject({
      summary: { comment: { id: shown.id, body: shown.body }, marker: { phase: 'posted', review: before.review } },
      running: null,
      reviewsDone: before.review,
    });
    // And when the announcement is restored, the carried verdict is what guard has seen last.
    const restored = make.comment(body(announced));
    const after = recall([restored, ...rest], { remembered: { ...remembered, marker: carried } });
    expect(after).toMatchObject({ summary: { marker: { phase: 'posted' } }, running: null });
  });

  it('is of no use for another change request, nor where only strangers sign as this bot', () => {
    const other = { ...remembered, marker: { ...remembered.marker, cr: 'main.1.999' } };
    expect(recall(rest, { remembered: other }).summary).toBeNull();
    const strange = recall(carriedOut(posted), { botIds: new Set([12]) });
    expect({ summary: strange.summary, disowned: strange.disowned }).toEqual({ summary: null, disowned: true });
    expect(summary).toBeDefined();
  });
});
