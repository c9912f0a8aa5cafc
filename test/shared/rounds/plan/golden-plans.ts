/** One plan for each text that authors read. */
import { buildAnnouncePlan } from '../../../../shared/rounds/plan/announce-plan.ts';
import { buildAnswerPlan } from '../../../../shared/rounds/plan/answer-plan.ts';
import { buildCapPlan } from '../../../../shared/rounds/plan/cap-plan.ts';
import { buildClosedPlans } from '../../../../shared/rounds/plan/closed-plan.ts';
import { buildFixEndPlan } from '../../../../shared/rounds/plan/fix-plan.ts';
import { buildGiveUpPlan } from '../../../../shared/rounds/plan/give-up-plan.ts';
import { buildOutagePlan, buildParkedPlan } from '../../../../shared/rounds/plan/outage-plan.ts';
import { buildRepliesGiveUpPlan, buildRepliesPlan } from '../../../../shared/rounds/plan/thread-replies-plan.ts';
import { buildReviewPlan } from '../../../../shared/rounds/plan/review-plan.ts';
import { carriedStatus, statusOf } from '../../../../shared/rounds/plan/wording/review-status.ts';
import { lastWord } from '../../../../shared/rounds/plan/place-status.ts';
import { gate } from '../../../../shared/rounds/gate/gate.ts';
import { renderFinding } from '../../../../shared/rounds/memory/finding-comment.ts';
import type { CheckedFinding, ReviewDraft } from '../../../../shared/rounds/model/draft.ts';
import type { History, Thread } from '../../../../shared/rounds/model/history.ts';
import type { PlanContext } from '../../../../shared/rounds/model/posting/plan-context.ts';
import type { PlannedStatus, PostPlan } from '../../../../shared/rounds/model/posting/post-plan.ts';
import { NOTHING_SPENT, type Spent } from '../../../../shared/vocabulary/spent.ts';
import { createComposer } from '../../../../services/poster/compose.ts';
import { BASE_URL, createFakeForge } from '../../../services/poster/fake-forge.ts';
import * as make from '../builders.ts';

export type Shown = 'summary' | 'notice' | 'finding' | 'finding with a button' | 'replies';

export const PAGE = `${BASE_URL}/shop/web/pulls/5`;
export const URLS = new Map(
  ['F-001', 'F-002', 'F-003', 'F-004'].map((id, at) => [id, `${PAGE}#issuecomment-${at + 11}`]),
);

const policy = make.policy({ costs: { shown: true, limitUsd: 25 } }, { maxRuns: 12 });
const context = (history: History = make.history()): PlanContext => ({
  facts: make.changeRequest(),
  history,
  policy,
  mention: 'fixpoint',
});

const spent: Spent = { ...NOTHING_SPENT, modelCalls: 12, costUsd: 0.31 };

const lineAt = (line: number) =>
  ({ kind: 'added', oldLine: null, newLine: line, lineCodeOld: 0, lineCodeNew: line }) as const;

const EVAL = make.finding(
  { position: { oldPath: 'src/price.js', newPath: 'src/price.js', side: 'new', start: lineAt(14), end: lineAt(15) } },
  {
    path: 'src/price.js',
    startLine: 14,
    line: 15,
    severity: 'P0',
    title: '`eval` runs text from the request as code',
    body: 'When `formula` comes from a request, anyone who can send one can run code in this process.\n\nParse the formula, and allow only numbers and operators.',
    suggestion: '  const total = parseFormula(formula);\n  return round(total);',
    evidence: 'return eval(formula);',
  },
);
const NAME = make.finding(
  {},
  {
    path: 'src/cart.js',
    startLine: 3,
    line: 3,
    severity: 'P3',
    title: 'The name `data` says nothing | about the cart',
    body: 'A reader has to look at the caller to know what it is. Call it `cart`.',
    evidence: 'const data = load();',
  },
);
const ELSEWHERE = make.finding(
  { position: null, unplaced: 'the line is not part of the diff' },
  {
    path: 'src/tax.js',
    startLine: 40,
    line: 40,
    severity: 'P1',
    relation: 'required_by_current_diff',
    title: 'This caller still passes two arguments',
    body: 'The change adds a third one, so the tax is `NaN`.',
    evidence: 'tax(a, b);',
  },
);

const coverage: ReviewDraft['coverage'] = {
  files: 12,
  reviewed: 11,
  omitted: [{ path: 'logo.svg', reason: 'excluded by `review.exclude_paths`' }],
  complete: true,
  receipts: [
    { seenBy: 'model', language: 'JavaScript', files: 9, lines: 198 },
    { seenBy: 'scan', language: 'Perl', files: 1, lines: 12, analyzers: ['perlcritic'] },
    { seenBy: 'scan', language: 'JSON', files: 1, lines: 4 },
  ],
};

const drafted = (findings: readonly CheckedFinding[], patch: Partial<ReviewDraft> = {}): ReviewDraft =>
  make.draft({
    findings: [...findings],
    runner: 'agent',
    summary: 'The change lets customers write their own price formulas.',
    walkthrough: [
      { path: 'src/price.js', text: 'Evaluates the formula of the customer.' },
      { path: 'src/cart.js', text: 'Shows the price that the formula gives.' },
    ],
    coverage,
    spent,
    ...patch,
  });

const review = (draft: ReviewDraft, history: History = make.history(), patch = {}): PostPlan => {
  const counts = {
    runsUsed: history.runsUsed + 1,
    roundsUsed: history.roundsUsed + 1,
    silentReviews: 0,
    carriedHeads: 0,
  };
  const run = make.run({ review: draft.review, countsAfter: counts, ...patch });
  const gated = gate(draft, history, policy);
  // Guard stores what the gate decided without the comments.
  const left = gated.left.map((each) => ({ ...each, thread: { ...each.thread, comment: null } }));
  return buildReviewPlan({ ...context(history), run, draft, gated: { ...gated, left } });
};

const inlineComment = (finding: CheckedFinding, id: string) =>
  make.comment(renderFinding({ ...finding.claim, regressionOf: null }), {
    kind: 'inline',
    threadId: `t-${id}`,
    webUrl: URLS.get(id) ?? '',
  });

const threadOf = (finding: CheckedFinding, patch: Partial<Thread>): Thread => {
  const { severity, title, rule } = finding.claim;
  const id = patch.id ?? 'F-001';
  return make.thread({
    fingerprint: finding.fingerprint,
    severity,
    title,
    rule,
    blocking: severity === 'P0' || severity === 'P1',
    place: finding.claim,
    comment: inlineComment(finding, id),
    ...patch,
  });
};

const later = (threads: readonly Thread[], patch: Partial<History> = {}): History =>
  make.history({
    threads,
    reviewsDone: 1,
    roundsUsed: 1,
    runsUsed: 1,
    nextNumber: threads.length + 1,
    verdict: 'feedback',
    reviewed: [make.reviewedAt(make.sha('head'), { clear: true })],
    spent,
    ...patch,
  });

const OPEN = threadOf(EVAL, {});
const SUGGESTED = threadOf(NAME, { id: 'F-002' });
const RESOLVED = threadOf(ELSEWHERE, { id: 'F-003', state: 'resolved' });
const VETOED = threadOf(EVAL, { state: 'vetoed' });

const answered = (action: 'veto' | 'escalate' | 'reply' | 'resolve', body: string, severity: 'P0' | null = null) => ({
  findingId: 'F-001',
  stance: action === 'resolve' ? ('accepts' as const) : ('seeks_change' as const),
  action,
  severity,
  body,
});

const handled = (thread: Thread, action: 'veto' | 'escalate' | 'reply', body: string) => ({
  thread,
  answer: { ...answered(action, body), findingId: thread.id },
  next: { ...thread, state: action === 'veto' ? ('vetoed' as const) : ('open' as const), count: 1 },
});

/** To a severity that blocks more than before. */
const escalated = (thread: Thread, body: string) => ({
  thread,
  answer: { ...answered('escalate', body, 'P0'), findingId: thread.id },
  next: { ...thread, state: 'escalated' as const, severity: 'P0' as const, count: 1 },
});

const asked = (
  say: Parameters<typeof buildAnswerPlan>[1]['say'],
  history = later([OPEN, SUGGESTED, RESOLVED]),
): PostPlan =>
  buildAnswerPlan(context(history), {
    kind: 'answer',
    head: make.sha('head'),
    note: '7',
    threadId: null,
    say,
    noticeId: make.runId('notice'),
  });

const fix = {
  runId: make.runId('fix'),
  head: make.sha('head'),
  review: 1,
  number: 1,
  phase: 'telling' as const,
  planId: null,
  deadlineMs: make.NOW,
  requester: null,
};

/** With the summary of the review before, as it was posted. */
const withSummary = (history: History): History => {
  const { summary } = review(drafted([EVAL, NAME]));
  if (summary === null) throw new Error('the plan has no summary');
  const { marker, ...body } = summary;
  const { forge } = createFakeForge();
  const roomy = { ...forge, sanitizing: { ...forge.sanitizing, maxLength: 200_000 } };
  const posted = createComposer(roomy, { markerSecrets: [make.SECRET] }).summary(body, marker);
  return { ...history, summary: { comment: make.comment(posted), marker } };
};

const talk = (patch: Partial<Parameters<typeof buildRepliesPlan>[0]> = {}): PostPlan =>
  buildRepliesPlan({
    ...context(withSummary(later([OPEN, SUGGESTED, RESOLVED]))),
    run: make.replyRun(),
    handled: [handled(OPEN, 'veto', 'The text still comes from the request, so the check does not help.')],
    spent,
    ...patch,
  });

export const PLANS: readonly { readonly name: string; readonly shown: Shown; readonly plan: () => PostPlan }[] = [
  { name: 'summary-problems', shown: 'summary', plan: () => review(drafted([EVAL, NAME, ELSEWHERE])) },
  {
    name: 'summary-no-problems',
    shown: 'summary',
    plan: () => review(drafted([], { coverage: { ...coverage, omitted: [], reviewed: 12 } })),
  },
  {
    name: 'summary-no-problems-by-rules',
    shown: 'summary',
    plan: () =>
      review(
        drafted([], {
          runner: 'rules',
          walkthrough: [],
          spent: NOTHING_SPENT,
          coverage: { files: 2, reviewed: 2, omitted: [], complete: true },
        }),
      ),
  },
  {
    name: 'summary-later-review',
    shown: 'summary',
    plan: () => review(drafted([], { review: 2 }), later([OPEN, SUGGESTED, RESOLVED])),
  },
  {
    name: 'summary-incomplete',
    shown: 'summary',
    plan: () => review(drafted([NAME], { coverage: { ...coverage, complete: false } })),
  },
  { name: 'summary-after-answers', shown: 'summary', plan: talk },
  {
    name: 'summary-in-progress',
    shown: 'summary',
    plan: () =>
      buildAnnouncePlan(context(later([OPEN, SUGGESTED, RESOLVED])), {
        run: make.run({ review: 2 }),
        runsUsed: 2,
        supersededInRow: 0,
      }),
  },
  {
    name: 'summary-runs-used-up',
    shown: 'summary',
    plan: () =>
      buildCapPlan(context(later([OPEN])), {
        input: make.at(make.sha('head')),
        cap: 'runs',
        noticeId: make.runId('n'),
      }),
  },
  {
    name: 'summary-failed',
    shown: 'summary',
    plan: () => buildGiveUpPlan(context(), make.run(), { code: 'MODEL_UNAUTHORISED', lastWords: null }),
  },
  {
    name: 'summary-outage',
    shown: 'summary',
    plan: () =>
      buildParkedPlan(context(), {
        run: make.run(),
        code: 'MODEL_OVERLOADED',
        outage: { what: 'model', retry: 1, untilMs: 1_000_000_000_000 },
      }),
  },
  {
    name: 'summary-merged-too-early',
    shown: 'summary',
    plan: () => {
      const before = buildAnnouncePlan(context(later([OPEN])), { run: make.run(), runsUsed: 1, supersededInRow: 0 });
      const summary = { comment: make.comment(''), marker: before.summary.marker };
      const merged = { ...context(later([OPEN], { summary })), facts: make.changeRequest({ state: 'merged' }) };
      const [plan] = buildClosedPlans(merged, { heads: [make.sha('head')], noticeId: make.runId('n') });
      if (plan === undefined) throw new Error('no plan');
      return plan;
    },
  },
  { name: 'finding', shown: 'finding', plan: () => review(drafted([EVAL])) },
  { name: 'finding-with-a-button', shown: 'finding with a button', plan: () => review(drafted([EVAL])) },
  {
    name: 'finding-by-a-rule',
    shown: 'finding',
    plan: () => review(drafted([make.finding({}, { ...EVAL.claim, rule: 'js-eval', suggestion: null })])),
  },
  { name: 'reply-veto', shown: 'replies', plan: talk },
  {
    name: 'reply',
    shown: 'replies',
    plan: () =>
      talk({
        handled: [
          handled(
            OPEN,
            'reply',
            'The check in `parse` sees only the first line of the text. Does `formula` never have more?',
          ),
        ],
      }),
  },
  {
    name: 'reply-escalate',
    shown: 'replies',
    plan: () =>
      talk({
        handled: [
          escalated(
            { ...OPEN, severity: 'P1' },
            'The page also shows this result to visitors who are not signed in, so anyone can reach it.',
          ),
        ],
      }),
  },
  {
    name: 'reply-repeated',
    shown: 'replies',
    plan: () => talk({ handled: [handled(OPEN, 'reply', EVAL.claim.body)] }),
  },
  {
    name: 'replies-together',
    shown: 'replies',
    plan: () =>
      talk({
        handled: [
          handled(OPEN, 'veto', 'The text still comes from the request.'),
          handled({ ...SUGGESTED, comment: null }, 'reply', 'The new name is no clearer.'),
        ],
      }),
  },
  {
    name: 'notice-pass',
    shown: 'notice',
    plan: () => review(drafted([], { review: 2 }), later([RESOLVED])),
  },
  {
    name: 'handoff-last-round',
    shown: 'notice',
    plan: () =>
      review(drafted([EVAL, ELSEWHERE], { review: 3 }), make.history({ reviewsDone: 2, roundsUsed: 2, runsUsed: 2 })),
  },
  {
    name: 'handoff-unanswered',
    shown: 'notice',
    plan: () =>
      buildRepliesGiveUpPlan(context(later([OPEN])), make.replyRun(), {
        code: 'MAX_RUNS_EXCEEDED',
        waiting: [{ findingId: 'F-001', kind: 'inline', noteId: 50 }] as never,
      }),
  },
  {
    name: 'handoff-failed-review',
    shown: 'notice',
    plan: () => buildGiveUpPlan(context(later([VETOED])), make.run(), { code: 'MODEL_UNAUTHORISED', lastWords: null }),
  },
  {
    name: 'handoff-fix',
    shown: 'notice',
    plan: () =>
      buildFixEndPlan(
        context(later([OPEN])),
        { ...fix, end: { kind: 'stopped', code: 'CHANGE_TOO_LARGE', pushed: null } },
        null,
      ),
  },
  {
    name: 'fix-pushed',
    shown: 'notice',
    plan: () =>
      buildFixEndPlan(
        context(later([OPEN])),
        { ...fix, end: { kind: 'fixed', code: null, pushed: make.sha('fixed') } },
        {
          v: 1,
          runId: make.runId('fix'),
          head: make.sha('head'),
          review: 1,
          commit: { sha: make.sha('fixed'), tree: make.sha('tree') },
          summary: '',
          touchedFiles: ['src/price.js'],
          addressedFindingIds: ['F-001'],
          declines: [],
          spent: NOTHING_SPENT,
          failedValidations: [],
        },
      ),
  },
  { name: 'answer-help', shown: 'notice', plan: () => asked({ kind: 'help' }) },
  { name: 'answer-status', shown: 'notice', plan: () => asked({ kind: 'status', now: { kind: 'settled' } }) },
  { name: 'answer-why', shown: 'notice', plan: () => asked({ kind: 'why', now: { kind: 'skipped', rule: 'draft' } }) },
  { name: 'answer-verdict', shown: 'notice', plan: () => asked({ kind: 'verdict' }) },
  { name: 'answer-explain', shown: 'notice', plan: () => asked({ kind: 'explain', findingId: 'F-001' }) },
  {
    name: 'answer-dismissed',
    shown: 'notice',
    plan: () => asked({ kind: 'dismissed', findingId: 'F-001', reason: 'the formula is ours', by: 7 } as never),
  },
];

const outage = buildOutagePlan(context(), {
  run: make.run(),
  what: 'git',
  code: 'GIT_FAILED',
  noticeId: make.runId('n'),
}).status;

const present = (plan: PostPlan): PlannedStatus => {
  if (plan.status === null) throw new Error('the plan has no status');
  return plan.status;
};

export const STATUSES: readonly PlannedStatus[] = [
  ...PLANS.flatMap(({ plan }) => {
    const { status } = plan();
    return status === null ? [] : [status];
  }).filter((one, at, all) => all.findIndex(({ description }) => description === one.description) === at),
  ...(outage === null ? [] : [outage]),
  statusOf('feedback', ['CI has failed: `build`, `unit tests on every supported platform`']),
  statusOf('inconclusive', ['CI has not ended in time: `build`']),
  statusOf('inconclusive', [
    'reviewer_budget_exceeded: the budget of one run ($5) is used up',
    'F-001 is new and blocks',
  ]),
  statusOf('inconclusive', [
    'no rule knows Perl (2 files), and neither an analyzer nor a model looked (`review.unknown_languages`)',
  ]),
  statusOf('inconclusive', ['nobody could verify F-003']),
  carriedStatus('lgtm', 'as before, newer base'),
  present(buildCapPlan(context(), { input: make.at(make.sha('head')), cap: 'silent', noticeId: make.runId('n') })),
  present(buildCapPlan(context(), { input: make.at(make.sha('head')), cap: 'identity', noticeId: make.runId('n') })),
  lastWord(make.history(), {
    input: make.at(make.sha('head')),
    isHead: false,
    otherwise: { state: 'error', description: 'Not reviewed: replaced by commit 0123456789' },
  }),
];
