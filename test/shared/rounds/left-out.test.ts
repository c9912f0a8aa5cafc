/** What a review left out: kept in the summary's marker, shown with a command for each path, and asked for by that command. */
import { describe, expect, it } from 'vitest';
import { buildBrief } from '../../../services/guard/build-brief.ts';
import { decide } from '../../../shared/rounds/decide/decide.ts';
import { gate } from '../../../shared/rounds/gate/gate.ts';
import type { ReviewDraft } from '../../../shared/rounds/model/draft.ts';
import type { History, ReviewedInput } from '../../../shared/rounds/model/history.ts';
import type { ReviewCommand } from '../../../shared/rounds/model/facts.ts';
import { SummaryMarker } from '../../../shared/rounds/model/marker-payload.ts';
import { ReviewRun } from '../../../shared/rounds/model/run.ts';
import { buildReviewPlan } from '../../../shared/rounds/plan/review-plan.ts';
import * as make from './builders.ts';

const HEAD = make.sha('head');

const coverage = (left: readonly string[], askFor = left): ReviewDraft['coverage'] => ({
  files: 9,
  reviewed: 7,
  omitted: [
    { path: 'src/a/x.ts', reason: 'left out' },
    { path: 'b.ts', reason: 'left out' },
  ],
  complete: false,
  left,
  ...(askFor.length === 0 ? {} : { askFor }),
});

const planOf = (patch: Partial<ReviewDraft>, history: History = make.history()) => {
  const draft = make.draft(patch);
  return buildReviewPlan({
    facts: make.changeRequest(),
    history,
    policy: make.policy(),
    mention: 'fixpoint',
    run: make.run({ review: draft.review }),
    draft,
    gated: gate(draft, history, make.policy()),
    ci: null,
  });
};

const markerOf = (plan: ReturnType<typeof planOf>): SummaryMarker => {
  const { marker } = plan.summary ?? {};
  return SummaryMarker.parse(marker);
};

describe('a review that left files out', () => {
  it('stores them in the marker, and forgets what earlier reviews left out', () => {
    const before = make.reviewedAt(make.sha('before'), { review: 1, complete: false, left: ['src/'] });
    const history = make.history({ reviewed: [before], reviewsDone: 1 });
    const { reviewed } = markerOf(planOf({ review: 2, coverage: coverage(['b.ts', 'src/a/']) }, history));
    expect(reviewed.map(({ complete, left }) => ({ complete, left }))).toEqual([
      { complete: false, left: undefined },
      { complete: false, left: ['b.ts', 'src/a/'] },
    ]);
  });

  it('keeps what an earlier review left out while it cannot be compared itself', () => {
    const before = make.reviewedAt(make.sha('before'), { review: 1, complete: false, left: ['src/'] });
    const history = make.history({ reviewed: [before], reviewsDone: 1 });
    const { left: _left, ...unknown } = coverage([]);
    const { reviewed } = markerOf(planOf({ review: 2, coverage: unknown }, history));
    expect(reviewed.map(({ left }) => left)).toEqual([['src/'], undefined]);
  });

  it('shows a command for each path that another review can look at', () => {
    const { summary, status } = planOf({ coverage: coverage(['b.ts', 'src/a/']) });
    expect(summary?.text.split('\n').filter((line) => line.includes('@fixpoint'))).toEqual([
      '- `@fixpoint review b.ts`',
      '- `@fixpoint review src/a/`',
    ]);
    expect(status?.state).toBe('error');
  });

  it('shows none where another review would leave out the same', () => {
    expect(planOf({ coverage: coverage(['b.ts'], []) }).summary?.text).not.toContain('@fixpoint review');
  });
});

const leftAt = (review: number, left: readonly string[] | undefined): ReviewedInput =>
  make.reviewedAt(make.sha(`head ${review}`), {
    review,
    verdict: 'inconclusive',
    complete: false,
    ...(left === undefined ? {} : { left }),
  });

const previousOf = (reviewed: readonly ReviewedInput[], patch: Partial<ReviewRun> = {}) =>
  buildBrief({
    run: make.run({ review: 9, ...patch }),
    facts: make.changeRequest(),
    history: make.history({ reviewed }),
    policy: make.policy(),
    git: { url: 'http://forge.example/shop.git', headRef: 'refs/pull/5/head' },
    comments: [],
    botIds: new Set(),
  });

describe('the next review', () => {
  it('is compared with one that names what it left out, and not with one that does not', () => {
    expect(previousOf([leftAt(1, ['src/']), leftAt(2, undefined)]).previous).toMatchObject({
      head: make.sha('head 1'),
      left: ['src/'],
    });
    expect(previousOf([leftAt(1, undefined)]).previous).toBeNull();
  });

  it('is about one path if that was asked for', () => {
    expect(previousOf([leftAt(1, ['src/'])], { only: 'src/a/' }).only).toBe('src/a/');
    expect(previousOf([leftAt(1, ['src/'])]).only).toBeNull();
  });
});

const settled = { left: ['src/a/', 'b.ts'] } as const;

const call = (request: Partial<ReviewCommand>, left: readonly string[] | null = settled.left, reviewedHead = HEAD) => {
  const present = make.reviewedAt(reviewedHead, {
    verdict: 'inconclusive',
    complete: false,
    ...(left === null ? {} : { left }),
  });
  return decide({
    state: make.state({ reviewed: [make.at(reviewedHead)], reviewsDone: 1, runsUsed: 1, slotHeld: true }),
    events: [make.forgeEvent('comment', { noteId: 4 })],
    facts: make.facts({
      changeRequest: make.changeRequest({ head: HEAD }),
      history: make.history({ reviewed: [present], reviewsDone: 1 }),
      requests: [make.request({ noteId: 4, ...request })],
    }),
    policy: make.policy(),
    nowMs: make.NOW,
    freshRunId: make.runId('fresh'),
  });
};

describe('a command that names a path', () => {
  it.each([
    ['src/a/', 'src/a/'],
    ['src/a', 'src/a'],
    ['src/a/x.ts', 'src/a/x.ts'],
    ['src/', 'src/'],
    ['b.ts', 'b.ts'],
  ])('%s begins a review of it at a reviewed head, without a further round', (only, reviewed) => {
    const { state } = call({ only, instructions: 'the locking' });
    expect(state.running).toMatchObject({ kind: 'review', only: reviewed, instructions: 'the locking', head: HEAD });
    expect(state.granted).toBe(0);
  });

  it.each([
    ['lib/', settled.left],
    ['src/ab', settled.left],
    ['src/a/', null],
  ])('%s is answered if nothing there was left out', (only, left) => {
    const { state } = call({ only }, left);
    expect(state.running).toBeNull();
    expect(state.outbox.flatMap((effect) => (effect.kind === 'answer' ? [effect.say] : []))).toEqual([
      { kind: 'nothing_left', left: left ?? [] },
    ]);
  });

  it.each(['TCP/IP', 'v1.2'])(
    '%s is an instruction where nothing is called so and the head is not reviewed',
    (only) => {
      const { state } = call({ only, instructions: 'the locking' }, settled.left, make.sha('before'));
      expect(state.running).toMatchObject({ kind: 'review', instructions: `${only}\nthe locking`, head: HEAD });
      expect(state.running).not.toHaveProperty('only');
      expect(state.outbox.some(({ kind }) => kind === 'answer')).toBe(false);
    },
  );

  it('may have the greatest length that a command can have', () => {
    const only = `src/a/${'x'.repeat(994)}`;
    expect(ReviewRun.parse(call({ only }, [`${only}/a.ts`]).state.running).only).toBe(only);
  });
});
