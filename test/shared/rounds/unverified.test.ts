/** Grave claims without evidence, threads of an attempt that broke off, and what comes back: over reviews of one change. */
import { describe, expect, it } from 'vitest';
import { buildReviewPlan } from '../../../shared/rounds/plan/review-plan.ts';
import { carriedVerdict } from '../../../shared/rounds/model/carried.ts';
import { difference } from '../../../shared/rounds/plan/difference.ts';
import type { ReviewDraft } from '../../../shared/rounds/model/draft.ts';
import { gate } from '../../../shared/rounds/gate/gate.ts';
import { rebuildHistory } from '../../../shared/rounds/memory/rebuild-history.ts';
import { type History, placeToday, type Thread } from '../../../shared/rounds/model/history.ts';
import { judgeThreads } from '../../../shared/rounds/gate/verdict.ts';
import { signMarker } from '../../../shared/rounds/memory/marker.ts';
import {
  BOT_ID,
  changeRequest,
  claim,
  comment,
  draft,
  finding,
  history,
  KEY,
  policy,
  run,
  SECRET,
  sha,
  thread,
} from './builders.ts';

const POLICY = policy({}, { max: 9 });
const DOUBT = { title: 'The key is written to the log', path: 'log.ts', evidence: 'log(key);' } as const;
const doubtful = finding({ evidenced: false }, DOUBT);

const planOf = (made: ReviewDraft, before: History, head = made.head) => {
  const gated = gate(made, before, POLICY);
  const facts = changeRequest({ head });
  const plan = buildReviewPlan({
    facts,
    history: before,
    policy: POLICY,
    run: run({ review: made.review, head: made.head }),
    draft: made,
    gated,
  });
  return { gated, plan, verdict: plan.summary.marker.verdict };
};

/** What the forge says after a review whose comments are all posted. */
const after = ({ plan }: ReturnType<typeof planOf>): History =>
  rebuildHistory({
    comments: [
      comment(`Text.\n\n${signMarker(plan.summary.marker, SECRET)}`),
      ...plan.inline.map(({ marker, text }) => comment(`${text}\n\n${signMarker(marker, SECRET)}`)),
    ],
    key: KEY,
    botIds: new Set([BOT_ID]),
    secrets: [SECRET],
  });

const REFUTED = { findingId: 'F-001', evidence: 'log(name);', shown: true };

describe('an unverified claim', () => {
  const first = planOf(draft({ findings: [doubtful] }), history());
  const known = after(first);

  it('gets a number and an entry in the ledger, no thread, and no pass', () => {
    expect(first.verdict).toBe('inconclusive');
    expect(first.plan.inline).toEqual([]);
    expect(first.plan.summary.marker.ledger).toMatchObject([{ id: 'F-001', state: 'unverified', severity: 'P1' }]);
    expect(first.plan.summary.text).toMatch(/- \*\*High: .*\(F-001\)/);
    expect(known.threads).toMatchObject([{ id: 'F-001', state: 'unverified' }]);
    expect(known.nextNumber).toBe(2);
  });

  it('makes its review incomplete, so that the next one sees its file as new, and is not carried', () => {
    const [entry] = known.reviewed;
    expect(entry).toMatchObject({ complete: false, left: [doubtful.claim.path] });
    expect(carriedVerdict({ verdict: 'lgtm' }, known.threads)).toBeNull();
  });

  it.each<[string, Partial<ReviewDraft>, ReviewDraft['review'], string]>([
    ['stays while a review says nothing about it', {}, 2, 'unverified'],
    ['stays when it is said once more without evidence', { findings: [doubtful] }, 2, 'unverified'],
    ['stays when what refutes it cannot be found', { refuted: [{ ...REFUTED, shown: false }] }, 2, 'unverified'],
    [
      'stays when it is refuted and raised in one breath',
      { refuted: [REFUTED], findings: [doubtful] },
      2,
      'unverified',
    ],
    ['is left when it is refuted with a quotation', { refuted: [REFUTED] }, 2, 'resolved'],
    ['is left when it is confirmed', { findings: [finding({}, DOUBT)] }, 2, 'open'],
  ])('%s', (_name, patch, review, state) => {
    const next = planOf(draft({ ...patch, review }), known);
    expect(next.gated.violations).toEqual([]);
    expect(after(next).threads.map((each) => [each.id, each.state])).toEqual([['F-001', state]]);
    expect(next.verdict).toBe({ unverified: 'inconclusive', resolved: 'lgtm', open: 'feedback' }[state]);
  });

  it('keeps its number and fingerprint as a thread', () => {
    const other = finding({}, { ...DOUBT, title: 'The key is written to the log file' });
    const next = planOf(draft({ findings: [other], review: 2 }), known);
    expect(next.plan.inline.map(({ marker }) => [marker.id, marker.fp])).toEqual([['F-001', doubtful.fingerprint]]);
  });

  it('no longer keeps its head from a pass once a commander dismissed it', () => {
    const [entry] = known.reviewed;
    const judged = (state: Thread['state']) =>
      judgeThreads(
        entry ?? { verdict: 'inconclusive' },
        known.threads.map((each) => ({ ...each, state })),
      ).verdict;
    expect([judged('unverified'), judged('dismissed')]).toEqual(['inconclusive', 'lgtm']);
  });
});

describe('a thread that a broken attempt of the same review posted', () => {
  const left = thread({ review: 2, severity: 'P1' });

  it('stays open and blocks when the review does not repeat it', () => {
    const { gated, verdict, plan } = planOf(draft({ review: 2 }), history({ threads: [left], nextNumber: 2 }));
    expect(gated.left).toEqual([{ thread: left, why: 'half_posted' }]);
    expect(verdict).toBe('feedback');
    expect(plan.summary.text).toMatch(/^\*\*1 problem to fix before merging\*\*[^]*\| F-001 \|/);
  });

  it('is the same finding when the review repeats it', () => {
    const { gated } = planOf(draft({ review: 2, findings: [finding()] }), history({ threads: [left], nextNumber: 2 }));
    expect([gated.left, gated.accepted.map(({ id, alreadySaid }) => [id, alreadySaid])]).toEqual([
      [],
      [['F-001', true]],
    ]);
  });
});

describe('an open thread that nothing happened to', () => {
  const answers: ReviewDraft['answers'] = [
    { findingId: 'F-001', stance: 'accepts', action: 'resolve', severity: null, body: 'Fine.' },
  ];
  const before = history({ threads: [thread()], nextNumber: 2 });

  it.each<[string, ReviewDraft['resolvable'], string]>([
    ['is not resolved by a word', [], 'feedback'],
    ['nor by a fix elsewhere that nobody verified', [{ findingId: 'F-001', why: 'elsewhere' }], 'feedback'],
    ['is resolved when its lines changed', [{ findingId: 'F-001', why: 'touched' }], 'lgtm'],
    ['is resolved when somebody answered', [{ findingId: 'F-001', why: 'answered' }], 'lgtm'],
  ])('%s', (_name, resolvable, verdict) => {
    const made = planOf({ ...draft({ review: 2, answers }), resolvable }, before);
    expect([made.verdict, made.gated.violations]).toEqual([verdict, []]);
    expect(made.plan.closures).toHaveLength(verdict === 'lgtm' ? 1 : 0);
  });

  it('of a P2 is resolved by what was quoted elsewhere', () => {
    const small = history({ threads: [thread({ severity: 'P2' })], nextNumber: 2 });
    const resolvable = [{ findingId: 'F-001', why: 'elsewhere' as const }];
    expect(planOf({ ...draft({ review: 2, answers }), resolvable }, small).verdict).toBe('lgtm');
  });
});

describe('F-R7: a nit that was resolved and comes back', () => {
  const nit = finding({}, { severity: 'P3' });
  const before = history({
    threads: [thread({ severity: 'P3', blocking: false, state: 'resolved' })],
    nextNumber: 2,
  });
  const again = planOf(draft({ review: 2, findings: [nit] }), before);

  it('opens no thread, and is open again in the table and among the deferred', () => {
    expect([again.plan.inline, again.verdict]).toEqual([[], 'lgtm']);
    expect(again.plan.summary.text).toMatch(/_\(open again\)_ \| .* \| F-001 \|/);
    expect(again.plan.summary.text).toMatch(/^\*\*Nothing blocks merging\*\*, 1 suggestion\n/);
  });

  it('stays open until its lines change', () => {
    const known = after(again);
    expect(known.threads).toMatchObject([{ state: 'resolved', again: true }]);
    const moved = [{ findingId: 'F-001', place: claim() }];
    const later = planOf(draft({ review: 3, moved }), known);
    expect(later.plan.summary.text).toContain('open again');
    const resolvable = [{ findingId: 'F-001', why: 'touched' as const }];
    const changed = planOf({ ...draft({ review: 3, moved }), resolvable }, known);
    expect(after(changed).threads[0]?.again).toBeUndefined();
  });
});

describe('F-C18: the summary', () => {
  it('shows where an open finding is today, and remembers it', () => {
    const before = history({ threads: [thread({ severity: 'P3', blocking: false })], nextNumber: 2 });
    const answers: ReviewDraft['answers'] = [
      { findingId: 'F-001', stance: 'seeks_change', action: 'reply', severity: null, body: 'Still.' },
    ];
    const moved = [{ findingId: 'F-001', place: claim({ startLine: 41, line: 42 }) }];
    const next = planOf(draft({ review: 2, answers, moved }), before);
    expect(next.plan.summary.text).toContain('| Low | [The result is never awaited](#F-001) | `a.ts:41-42` | F-001 |');
    expect(next.plan.summary.marker.placesAt).toBe(sha('head'));
    const [known] = after(next).threads;
    expect(known === undefined ? null : placeToday(known)).toMatchObject({ startLine: 41, line: 42 });
  });
});

describe('F-B8: a finding on lines that the bot suggested', () => {
  const own = { suggestedBy: 'F-001' as const };
  const said = { path: 'a.ts', title: 'Quite another claim', evidence: 'await save(order);', body: 'Other words.' };
  const resolves: ReviewDraft['answers'] = [
    { findingId: 'F-001', stance: 'accepts', action: 'resolve', severity: null, body: '' },
  ];
  const replies: ReviewDraft['answers'] = [
    { findingId: 'F-001', stance: 'seeks_change', action: 'reply', severity: null, body: 'Still.' },
  ];

  it.each<[string, Thread['state'], ReviewDraft['answers'], 'P1' | 'P2', readonly string[]]>([
    ['belongs to the open thread', 'open', replies, 'P2', []],
    ['is not said when the thread is resolved with it', 'open', resolves, 'P2', []],
    ['is not said when the thread was resolved', 'resolved', [], 'P2', []],
    ['names the thread when it is grave', 'resolved', [], 'P1', ['F-001']],
  ])('%s', (_name, state, answers, severity, regressions) => {
    const before = history({ threads: [thread({ state, severity: 'P2' })], nextNumber: 2 });
    const made = draft({ review: 2, answers, findings: [finding(own, { ...said, severity, blocking: true })] });
    const { gated } = planOf(made, before);
    expect(gated.violations).toEqual([]);
    expect(gated.accepted.map(({ regressionOf }) => regressionOf)).toEqual(regressions);
  });
});

describe('F-R5: calls of a human', () => {
  const at = (head: string) => ({ head: sha(head), target: 'main', targetHead: sha('target'), mergeBase: null });
  const call = (episode: number, head: string) => ({
    marker: {
      cr: KEY,
      review: 3,
      attempt: 1,
      run: run().runId,
      kind: 'handoff' as const,
      episode,
      ...at(head),
      reason: 'max_rounds_exceeded',
    },
    text: `About ${head}.`,
    mention: true,
  });
  const { plan } = planOf(draft(), history());
  const only = (notice: ReturnType<typeof call>) => ({ ...plan, summary: null, notices: [notice] });

  it('are one comment for each episode, edited for each head that comes', () => {
    const first = call(3, 'one');
    const own = [{ payload: first.marker, comment: comment('first') }];
    const rest = difference(only(call(3, 'two')), own, new Set());
    expect(rest.notices).toEqual([]);
    expect(rest.calls.map(({ notice }) => notice.marker)).toMatchObject([
      { head: sha('two'), closed: [{ head: sha('one'), reason: 'max_rounds_exceeded' }] },
    ]);
  });

  it('are not edited twice for one head', () => {
    const own = [
      { payload: { ...call(3, 'two').marker, closed: [{ ...at('one'), reason: 'x' }] }, comment: comment('') },
    ];
    for (const head of ['one', 'two']) expect(difference(only(call(3, head)), own, new Set()).calls).toEqual([]);
  });

  it('are a new comment once another review was completed', () => {
    const own = [{ payload: call(3, 'one').marker, comment: comment('') }];
    const rest = difference(only(call(4, 'two')), own, new Set());
    expect([rest.notices.length, rest.calls]).toEqual([1, []]);
  });

  it('remember every head that they are about', () => {
    const marker = { ...call(3, 'two').marker, closed: [{ ...at('one'), reason: 'runs' }] };
    const known = rebuildHistory({
      comments: [comment(`x\n\n${signMarker(marker, SECRET)}`)],
      key: KEY,
      botIds: new Set([BOT_ID]),
      secrets: [SECRET],
    });
    expect(known.closed.map(({ head }) => head)).toEqual([sha('one'), sha('two')]);
    expect(known.handoffs.map(({ head, reason }) => [head, reason])).toEqual([
      [sha('one'), 'runs'],
      [sha('two'), 'max_rounds_exceeded'],
    ]);
  });
});
