/** What the poster is told about fixes, and what of it is known again when only the forge is left. */
import { describe, expect, it } from 'vitest';
import { buildFixBrief } from '../../../../shared/rounds/plan/build-fix-brief.ts';
import type { PlanContext } from '../../../../shared/rounds/model/posting/plan-context.ts';
import { buildAnnouncePlan } from '../../../../shared/rounds/plan/announce-plan.ts';
import { buildReviewPlan } from '../../../../shared/rounds/plan/review-plan.ts';
import { difference, isDone } from '../../../../shared/rounds/plan/difference.ts';
import { buildFixAnnouncePlan, buildFixEndPlan, buildFixRefusalPlan } from '../../../../shared/rounds/plan/fix-plan.ts';
import { FixReport } from '../../../../shared/rounds/model/fix-brief.ts';
import { gate } from '../../../../shared/rounds/gate/gate.ts';
import { readOwnMarkers } from '../../../../shared/rounds/memory/own-markers.ts';
import { rebuildHistory } from '../../../../shared/rounds/memory/rebuild-history.ts';
import type { History } from '../../../../shared/rounds/model/history.ts';
import { PostPlan } from '../../../../shared/rounds/model/posting/post-plan.ts';
import { reconcile } from '../../../../shared/rounds/memory/reconcile.ts';
import { addSpent, NOTHING_SPENT, type Spent } from '../../../../shared/vocabulary/spent.ts';
import type { Fix, FixEnd } from '../../../../shared/rounds/model/fixes.ts';
import type { ForgeComment } from '../../../../shared/forge/port-facts.ts';
import { signMarker } from '../../../../shared/rounds/memory/marker.ts';
import * as make from '../builders.ts';

const INPUT = { key: make.KEY, botIds: new Set([make.BOT_ID]), secrets: [make.SECRET] };
const read = (comments: readonly ForgeComment[]): History => rebuildHistory({ comments, ...INPUT });
const own = (comments: readonly ForgeComment[]) => readOwnMarkers({ comments, ...INPUT }).own;

/** What the forge shows once a plan is true. */
const posted = (plan: PostPlan): readonly ForgeComment[] =>
  [...plan.inline, ...plan.replies, ...plan.notices, ...(plan.summary === null ? [] : [plan.summary])].map(
    ({ text, marker }) => make.comment(`${text}\n\n${signMarker(marker, make.SECRET)}`),
  );

const context = (history: History): PlanContext => ({ facts: make.changeRequest(), history, policy: make.policy() });

const reviewed = (review = 1): readonly ForgeComment[] => {
  const history = make.history({ reviewsDone: review - 1 });
  const draft = make.draft({ review, findings: [make.finding()] });
  const run = make.run({ review });
  return posted(buildReviewPlan({ ...context(history), run, draft, gated: gate(draft, history, make.policy()) }));
};

const fix = (end: FixEnd | null = null): Fix => ({
  runId: make.runId('fix'),
  head: make.sha('head'),
  review: 1,
  number: 1,
  phase: end === null ? 'announcing' : 'telling',
  planId: null,
  deadlineMs: make.NOW,
  requester: null,
  end,
});

const report = (patch: Partial<FixReport> = {}): FixReport => ({
  v: 1,
  runId: make.runId('fix'),
  head: make.sha('head'),
  review: 1,
  commit: { sha: make.sha('fixed'), tree: make.sha('tree') },
  summary: '',
  touchedFiles: ['a.ts'],
  addressedFindingIds: ['F-001'],
  declines: [],
  spent: NOTHING_SPENT,
  failedValidations: [],
  ...patch,
});

const PUSHED: FixEnd = { kind: 'fixed', code: null, pushed: make.sha('fixed') };

describe('an announced fix', () => {
  const before = reviewed();
  const plan = buildFixAnnouncePlan(context(read(before)), fix());

  it('changes nothing but the count in the marker of the summary', () => {
    const summary = read(before).summary;
    expect(plan.summary?.marker).toEqual({ ...summary?.marker, fixes: 1, fixReview: 1 });
    expect(summary?.comment.body).toContain(plan.summary?.text);
    expect([plan.status, plan.notices, plan.replies]).toEqual([null, [], []]);
    expect(PostPlan.parse(JSON.parse(JSON.stringify(plan)))).toEqual(plan);
  });

  it('is counted again after everything but the forge is lost, and by every later plan', () => {
    const after = [...before.slice(0, -1), ...posted(plan)];
    const state = reconcile(null, read(after));
    expect([state.fixesUsed, state.fixedReview]).toEqual([1, 1]);
    const announced = buildAnnouncePlan(context(read(after)), {
      run: make.run({ review: 2 }),
      runsUsed: 2,
      supersededInRow: 0,
    });
    expect(announced.summary.marker).toMatchObject({ fixes: 1, fixReview: 1 });
  });

  it('never lowers what is known already', () => {
    const state = reconcile(make.state({ fixesUsed: 2, fixedReview: 2 }), read(before));
    expect([state.fixesUsed, state.fixedReview]).toEqual([2, 2]);
  });

  it('goes without a summary when somebody has deleted it', () => {
    expect(buildFixAnnouncePlan(context(make.history()), fix()).summary).toBeNull();
  });
});

describe('the end of a fix', () => {
  const history = read(reviewed());
  const endOf = (end: FixEnd, of: FixReport | null = report()) => buildFixEndPlan(context(history), fix(end), of);

  it('names what was pushed, and counts also when the summary is gone', () => {
    const plan = endOf(PUSHED);
    expect(plan.notices.map(({ text, mention }) => [text, mention])).toEqual([
      [
        expect.stringMatching(
          /^\*\*Fix 1\*\*: pushed `[0-9a-f]{10}` for review 1\. The fix addresses F-001 and touches one file\./,
        ),
        false,
      ],
    ]);
    expect(read(posted(plan)).fixes).toEqual({ used: 1, review: 1, trees: [make.sha('tree')] });
    expect([plan.allowStale, plan.status, plan.summary]).toEqual([true, null, null]);
  });

  it('with a moved head is a note and no hand-off', () => {
    const plan = endOf({ kind: 'stopped', code: 'HEAD_MOVED', pushed: null }, null);
    expect(plan.notices.map(({ marker, mention }) => [marker.kind, mention])).toEqual([['fix', false]]);
  });

  it.each<[string, FixEnd, FixReport | null, string]>([
    ['a stop', { kind: 'stopped', code: 'TREE_SEEN', pushed: null }, null, 'fix_tree_seen'],
    ['a failure', { kind: 'failed', code: 'GIT_FAILED', pushed: null }, null, 'fix_git_failed'],
    ['nothing but declines', { ...PUSHED, pushed: null }, report({ commit: null }), 'fix_all_declined'],
    ['a lost report', { ...PUSHED, pushed: null }, null, 'fix_report_missing'],
  ])('with %s calls a human', (_name, end, of, reason) => {
    const plan = endOf(end, of);
    expect(plan.notices).toMatchObject([
      { marker: { kind: 'handoff', reason, head: make.sha('head') }, mention: true },
    ]);
  });

  it('answers declined findings in their threads, which stay as they are', () => {
    const declines = [
      { findingId: 'F-001', reason: 'by design' },
      { findingId: 'F-009', reason: 'unknown' },
    ];
    const plan = endOf(PUSHED, report({ declines }));
    expect(plan.replies.map(({ marker, text }) => [marker.kind, marker.id, text])).toEqual([
      ['decline', 'F-001', 'The author of the fix declined F-001: by design'],
    ]);
    const after = read([...reviewed(), ...posted(plan)]);
    expect(after.threads.map(({ id, state, count }) => [id, state, count])).toEqual([['F-001', 'open', 0]]);
  });

  it('is said once, whatever is repeated', () => {
    const declines = [{ findingId: 'F-001', reason: 'by design' }];
    const plan = endOf(PUSHED, report({ declines }));
    const again = endOf(PUSHED, report({ declines }));
    expect(isDone(difference(again, own([...reviewed(), ...posted(plan)]), new Set()))).toBe(true);
  });
});

describe('what a fix has spent', () => {
  const before = reviewed();
  const cost: Spent = { ...NOTHING_SPENT, turns: 3, modelCalls: 4, inputTokens: 500, costUsd: 0.25 };
  const costly = (number = 1): PostPlan => endAt(before, number);
  const endAt = (comments: readonly ForgeComment[], number: number, end: FixEnd = PUSHED): PostPlan =>
    buildFixEndPlan(context(read(comments)), { ...fix(end), number }, report({ spent: cost }));
  /** The summary is the last comment of a round, and is edited in place. */
  const after = (plan: PostPlan, comments = before): readonly ForgeComment[] => [
    ...comments.slice(0, -1),
    ...posted(plan),
  ];

  it.each<[string, FixEnd]>([
    ['a push', PUSHED],
    ['a stop', { kind: 'stopped', code: 'TREE_SEEN', pushed: null }],
    ['a moved head', { kind: 'stopped', code: 'HEAD_MOVED', pushed: null }],
    ['a failure', { kind: 'failed', code: 'AUTHOR_BUDGET_EXCEEDED', pushed: null }],
  ])('is added to what the summary remembers after %s, and to nothing else of it', (_name, end) => {
    const { summary } = read(before);
    const plan = endAt(before, 1, end);
    expect(plan.summary?.marker).toEqual({
      ...summary?.marker,
      spent: addSpent(summary?.marker.spent ?? null, cost),
      fixSpent: 1,
    });
    expect(summary?.comment.body).toContain(plan.summary?.text);
    expect(PostPlan.parse(JSON.parse(JSON.stringify(plan)))).toEqual(plan);
  });

  it('is known again after everything but the forge is lost, and by every later plan', () => {
    const { spent } = read(before);
    const history = read(after(costly()));
    expect(history.spent).toEqual(addSpent(spent, cost));
    const draft = make.draft({ review: 2, spent: cost });
    const run = make.run({ review: 2 });
    const next = buildReviewPlan({ ...context(history), run, draft, gated: gate(draft, history, make.policy()) });
    expect(next.summary.marker).toMatchObject({ spent: addSpent(addSpent(spent, cost), cost), fixSpent: 1 });
  });

  it('is added once for each fix, however often its end is told', () => {
    const once = after(costly());
    const again = endAt(once, 1);
    expect(again.summary).toBeNull();
    expect(read(after(endAt(once, 2), once)).spent).toEqual(addSpent(read(once).spent, cost));
  });

  it('stays when somebody restores an older edit of the summary', () => {
    const summary = read(after(costly())).summary;
    if (summary === null) throw new Error('there is a summary');
    const remembered = { marker: summary.marker, body: summary.comment.body, authorId: make.BOT_ID };
    const restored = before.map((each) => ({ ...each, updatedAtMs: make.NOW }));
    expect(rebuildHistory({ comments: restored, ...INPUT, remembered }).spent).toEqual(summary.marker.spent);
  });

  it('costs no edit of the summary when it is nothing', () => {
    expect(buildFixEndPlan(context(read(before)), fix(PUSHED), report()).summary).toBeNull();
  });

  it('is not written anew where nobody has a summary', () => {
    expect(buildFixEndPlan(context(make.history()), fix(PUSHED), report({ spent: cost })).summary).toBeNull();
  });
});

describe('the report of a fix that was not made', () => {
  const history = read(reviewed());
  const stopped = (code: string): FixEnd => ({ kind: 'stopped', code, pushed: null });
  const told = (end: FixEnd, of: Partial<FixReport>) => buildFixEndPlan(context(history), fix(end), report(of));

  it('names the commands that it would have broken', () => {
    const { notices } = told(stopped('VALIDATION_FAILED'), { failedValidations: ['unit tests', 'types'] });
    expect(notices).toMatchObject([{ marker: { kind: 'handoff', reason: 'fix_validation_failed' }, mention: true }]);
    expect(notices[0]?.text).toContain(
      'ended without a push: the change fails a validation command that the head passes: `unit tests`, `types` ' +
        '(`VALIDATION_FAILED`). The findings of review 1 remain open.',
    );
  });

  it('names none for another end', () => {
    const { notices } = told(stopped('TREE_SEEN'), { failedValidations: ['types'] });
    expect(notices[0]?.text).not.toContain('types');
  });

  it('answers no finding', () => {
    const declines = [{ findingId: 'F-001', reason: 'by design' }];
    expect(told(stopped('PUSH_REFUSED'), { declines }).replies).toEqual([]);
  });

  it('of an earlier version is read as one that cost nothing', () => {
    const { spent: _spent, failedValidations: _failed, ...old } = report();
    expect(FixReport.parse(old)).toEqual(report());
  });
});

describe('a refused request', () => {
  const refused = (noteId: number, refusal: 'not_allowed' | 'cap') =>
    buildFixRefusalPlan(context(make.history()), {
      kind: 'refuse_fix',
      head: make.sha('head'),
      noteId,
      refusal,
      noticeId: make.runId('notice'),
    });

  it.each<['not_allowed' | 'cap', boolean]>([
    ['not_allowed', true],
    ['cap', false],
  ])('with the answer %s is said once for all requests: %s', (refusal, once) => {
    const said = own(posted(refused(4, refusal)));
    expect(isDone(difference(refused(4, refusal), said, new Set()))).toBe(true);
    expect(isDone(difference(refused(5, refusal), said, new Set()))).toBe(once);
  });
});

describe('a brief', () => {
  it('has what the author cannot read anywhere else, without markers', () => {
    const history = read(reviewed());
    const git = { url: 'https://forge.example/a/b.git', headRef: 'refs/pull/5/head' };
    const brief = buildFixBrief({ facts: make.changeRequest(), history, fix: fix(), git, nowMs: 7 });
    expect(brief.findings).toMatchObject([{ id: 'F-001', place: { path: 'a.ts', line: 3 } }]);
    expect(brief.findings[0]?.text).toContain('The promise is dropped');
    expect(JSON.stringify(brief)).not.toContain('fixpoint:1');
    expect([brief.base, brief.reviewedHeads]).toEqual([make.sha('base'), [make.sha('head')]]);
  });
});
