/** Rows X13 and X14 without a forge: what waits for an answer, what the answer makes true, and what is known after it. */
import { describe, expect, it } from 'vitest';
import type { ForgeComment } from '../../../../shared/forge/port-facts.ts';
import { findUnansweredReplies, isInOpenThread } from '../../../../shared/rounds/commands/unanswered-replies.ts';
import type { PlanContext } from '../../../../shared/rounds/model/posting/plan-context.ts';
import { buildReviewPlan } from '../../../../shared/rounds/plan/review-plan.ts';
import { difference, isDone } from '../../../../shared/rounds/plan/difference.ts';
import type { CheckedFinding, ReviewDraft } from '../../../../shared/rounds/model/draft.ts';
import { gate, gateReplies } from '../../../../shared/rounds/gate/gate.ts';
import { readOwnMarkers } from '../../../../shared/rounds/memory/own-markers.ts';
import { rebuildHistory } from '../../../../shared/rounds/memory/rebuild-history.ts';
import type { History } from '../../../../shared/rounds/model/history.ts';
import { PostPlan } from '../../../../shared/rounds/model/posting/post-plan.ts';
import { reconcile } from '../../../../shared/rounds/memory/reconcile.ts';
import type { ReplyRun } from '../../../../shared/rounds/model/run.ts';
import {
  buildRepliesAnnouncePlan,
  buildRepliesGiveUpPlan,
  buildRepliesPlan,
} from '../../../../shared/rounds/plan/thread-replies-plan.ts';
import type { ThreadAnswer } from '../../../../shared/vocabulary/finding.ts';
import type { MarkerPayload } from '../../../../shared/rounds/model/marker-payload.ts';
import { signMarker } from '../../../../shared/rounds/memory/marker.ts';
import * as make from '../builders.ts';

const INPUT = { key: make.KEY, botIds: new Set([make.BOT_ID]), secrets: [make.SECRET] };
const read = (comments: readonly ForgeComment[]): History => rebuildHistory({ comments, ...INPUT });
const own = (comments: readonly ForgeComment[]) => readOwnMarkers({ comments, ...INPUT }).own;

const body = (text: string, marker: MarkerPayload): string => `${text}\n\n${signMarker(marker, make.SECRET)}`;

/** What the forge shows once a plan is true: summary and findings are edited in place. */
const posted = (plan: PostPlan, before: readonly ForgeComment[] = []): readonly ForgeComment[] => {
  const { summary } = plan;
  const rest = difference(plan, own(before), new Set());
  const closed = new Map(rest.closings.map(({ comment, closure, marker }) => [comment, body(closure.text, marker)]));
  const edited = rest.summary?.kind === 'edit' ? rest.summary.comment : null;
  return [
    ...before.map((comment) => {
      if (summary !== null && comment === edited) return { ...comment, body: body(summary.text, summary.marker) };
      return { ...comment, body: closed.get(comment) ?? comment.body };
    }),
    ...rest.inline.map(({ text, marker }) =>
      make.comment(body(text, marker), { kind: 'inline', threadId: `t-${marker.id}` }),
    ),
    ...rest.replies.map(({ reply: { text, marker } }) =>
      make.comment(body(text, marker), { kind: 'inline', threadId: `t-${marker.id}` }),
    ),
    ...(rest.summary?.kind === 'create' && summary !== null ? [make.comment(body(summary.text, summary.marker))] : []),
    ...rest.notices.map(({ text, marker }) => make.comment(body(text, marker))),
  ];
};

const context = (history: History): PlanContext => ({ facts: make.changeRequest(), history, policy: make.policy() });

const P3 = make.finding({}, { title: 'A name misleads', path: 'b.ts', evidence: 'x', severity: 'P3' });

const reviewed = (findings: readonly CheckedFinding[] = [make.finding()], patch: Partial<ReviewDraft> = {}) => {
  const history = make.history();
  const draft = make.draft({ findings: [...findings], ...patch });
  const gated = gate(draft, history, make.policy());
  return posted(buildReviewPlan({ ...context(history), run: make.run(), draft, gated, ci: null }));
};

const said = (text: string, patch: Partial<ForgeComment> = {}): ForgeComment =>
  make.comment(text, { kind: 'inline', threadId: 't-F-001', author: { id: 7, login: 'author' }, ...patch });

const waits = (comments: readonly ForgeComment[], mention = 'bot') =>
  findUnansweredReplies({
    comments,
    threads: read(comments).threads,
    own: own(comments),
    botIds: INPUT.botIds,
    mention,
  }).map(({ thread, comments: words }) => [thread.id, words.map((each) => each.body)]);

const talkRun = (comments: readonly ForgeComment[], name = 'talk'): ReplyRun => {
  const found = findUnansweredReplies({
    comments,
    threads: read(comments).threads,
    own: own(comments),
    botIds: INPUT.botIds,
    mention: 'bot',
  });
  const notes = found.flatMap((each) => each.comments.map(({ id }) => Number(id)));
  const scope = { threads: found.map(({ thread }) => thread.id), note: Math.max(...notes) };
  return make.replyRun({ runId: make.runId(name), scope });
};

const answer = (patch: Partial<ThreadAnswer> = {}): ThreadAnswer => ({
  findingId: 'F-001',
  stance: 'seeks_change',
  action: 'reply',
  severity: null,
  body: 'It still stands there.',
  ...patch,
});

const RESOLVED = answer({ stance: 'accepts', action: 'resolve', body: 'Agreed.' });

const planned = (comments: readonly ForgeComment[], run: ReplyRun, answers: readonly ThreadAnswer[]): PostPlan => {
  const history = read(comments);
  const draft = make.draft({ runId: run.runId, answers: [...answers], findings: [P3] });
  const gated = gateReplies(draft, history, { policy: make.policy(), scope: run.scope });
  expect(gated.violations).toEqual([]);
  expect(gated.dropped).toEqual([{ title: P3.claim.title, reason: 'said between two rounds' }]);
  return PostPlan.parse(
    buildRepliesPlan({ ...context(history), run, handled: gated.handled, spent: draft.spent, ci: null }),
  );
};

const talked = (comments: readonly ForgeComment[], answers: readonly ThreadAnswer[], name = 'talk') =>
  posted(planned(comments, talkRun(comments, name), answers), comments);

const summaryOf = (comments: readonly ForgeComment[]): string => read(comments).summary?.comment.body ?? '';

describe('what waits for an answer', () => {
  const review = reviewed([make.finding(), P3]);

  it.each<[string, readonly ForgeComment[], readonly unknown[]]>([
    ['nothing after a round', review, []],
    ['what is said in a thread', [...review, said('No.')], [['F-001', ['No.']]]],
    ['all of it, in its order', [...review, said('No.'), said('Never.')], [['F-001', ['No.', 'Never.']]]],
    [
      'what is said in several threads',
      [...review, said('No.', { threadId: 't-F-002' }), said('Never.')],
      [
        ['F-001', ['Never.']],
        ['F-002', ['No.']],
      ],
    ],
    ['a mention with words', [...review, said('@bot this is wrong')], [['F-001', ['@bot this is wrong']]]],
    ['no command', [...review, said('@bot explain F-001'), said('@bot review')], []],
    [
      'nothing outside of the threads',
      [...review, said('No.', { threadId: null }), said('No.', { threadId: 'x' })],
      [],
    ],
    [
      'nothing of the bot or of nobody',
      [...review, said('No.', { author: null }), said('No.', { author: { id: make.BOT_ID, login: 'bot' } })],
      [],
    ],
  ])('is %s', (_name, comments, expected) => {
    expect(waits(comments)).toEqual(expected);
  });

  it('is nothing that a round has answered', () => {
    const comments = [...reviewed(), said('No.')];
    const history = read(comments);
    const draft = make.draft({ review: 2, answers: [answer()] });
    const gated = gate(draft, history, make.policy());
    const run = make.run({ review: 2, runId: make.runId('second') });
    expect(waits(posted(buildReviewPlan({ ...context(history), run, draft, gated, ci: null }), comments))).toEqual([]);
  });

  it('is what was said while the answer was being made', () => {
    const before = [...reviewed(), said('No.')];
    const run = talkRun(before);
    const meanwhile = [...before, said('Wait, I see another reason.')];
    const after = posted(planned(meanwhile, run, [answer()]), meanwhile);
    expect(waits(after)).toEqual([['F-001', ['Wait, I see another reason.']]]);
  });

  it.each(['resolve', 'veto'] as const)(
    'X13: is nothing in a thread that ended with a %s, however often it is reopened',
    (action) => {
      const ended = talked([...reviewed(), said('No.')], [action === 'resolve' ? RESOLVED : answer({ action })]);
      const reopened = Array.from({ length: 10 }).reduce<readonly ForgeComment[]>(
        (comments) => [...comments.map((each) => ({ ...each, resolved: false })), said('Open it again.')],
        ended,
      );
      expect(waits(reopened)).toEqual([]);
      expect(isInOpenThread(said('x'), read(reopened).threads)).toBe(false);
    },
  );
});

describe('an answer between two rounds', () => {
  const asked = [...reviewed([make.finding(), P3]), said('This is by design.')];

  it('X14: is one cycle of that thread, and all else stays', () => {
    const after = read(talked(asked, [answer()]));
    const before = read(asked);
    expect(after.threads.map(({ id, count, state }) => [id, count, state])).toEqual([
      ['F-001', 1, 'open'],
      ['F-002', 0, 'open'],
    ]);
    expect(after).toMatchObject({ reviewsDone: 1, verdict: 'feedback', nextNumber: before.nextNumber, attempts: 0 });
    expect(after.reviewed).toEqual(before.reviewed);
  });

  it('is posted once, and a second one in the same round is another one', () => {
    const once = planned(asked, talkRun(asked), [answer()]);
    const after = posted(once, asked);
    expect(isDone(difference(once, own(after), new Set()))).toBe(true);
    const again = [...after, said('I insist.')];
    const twice = planned(again, talkRun(again, 'second'), [answer({ action: 'veto' })]);
    expect(difference(twice, own(again), new Set()).replies).toHaveLength(1);
    const ended = read(posted(twice, again));
    expect(ended.threads[0]).toMatchObject({ count: 2, state: 'vetoed' });
    expect(ended.verdict).toBe('feedback');
  });

  it('may be a reply no more at the last count', () => {
    const again = [...talked(asked, [answer()]), said('I insist.')];
    const run = talkRun(again);
    const draft = make.draft({ answers: [answer()] });
    const { violations } = gateReplies(draft, read(again), { policy: make.policy(), scope: run.scope });
    expect(violations).toEqual(['F-001: reply is not allowed here; allowed: resolve, veto, escalate']);
  });

  it('passes the change when nothing blocks any more, and says so', () => {
    const after = talked(asked, [RESOLVED]);
    expect(read(after)).toMatchObject({ verdict: 'lgtm', reviewed: [{ verdict: 'lgtm', clear: true, review: 1 }] });
    const plan = planned(asked, talkRun(asked), [RESOLVED]);
    expect(plan.status).toEqual({ state: 'success', description: 'Nothing blocks merging' });
    expect(plan.notices.map(({ text }) => text)).toEqual([
      'Nothing blocks merging any more, after the answers in the threads. The summary is up to date.',
    ]);
  });

  it.each<[string, Partial<ReviewDraft>, readonly CheckedFinding[]]>([
    [
      'left files out',
      { coverage: { files: 2, reviewed: 1, omitted: [{ path: 'c', reason: 'x' }], complete: false } },
      [],
    ],
    [
      'made grave claims that nobody could verify',
      {},
      [make.finding({ evidenced: false }, { path: 'c.ts', severity: 'P0', evidence: 'z' })],
    ],
  ])('never passes what a round %s', (_name, patch, more) => {
    const comments = [...reviewed([make.finding(), ...more], patch), said('Fixed.')];
    expect(read(talked(comments, [RESOLVED]))).toMatchObject({ verdict: 'inconclusive' });
  });

  it('never passes what was reviewed at a head that had moved on, or before this was remembered', () => {
    const forgetful = (comments: readonly ForgeComment[]): History => {
      const history = read(comments);
      return { ...history, reviewed: history.reviewed.map((each) => ({ ...each, clear: undefined })) };
    };
    const history = forgetful(asked);
    const run = talkRun(asked);
    const draft = make.draft({ answers: [RESOLVED] });
    const gated = gateReplies(draft, history, { policy: make.policy(), scope: run.scope });
    const plan = buildRepliesPlan({ ...context(history), run, handled: gated.handled, spent: draft.spent, ci: null });
    expect(plan.summary?.marker.verdict).toBe('inconclusive');
  });

  it('takes a pass back when a small thing turns out to be grave', () => {
    const passed = [...reviewed([P3]), said('Is it?')];
    expect(read(passed).verdict).toBe('lgtm');
    const after = read(talked(passed, [answer({ action: 'escalate', severity: 'P1' })]));
    expect(after).toMatchObject({ verdict: 'feedback', threads: [{ state: 'escalated', severity: 'P1' }] });
  });

  it('leaves in the summary what the round said', () => {
    const text = summaryOf(talked(asked, [RESOLVED]));
    expect(text).toMatch(
      /^\*\*Nothing blocks merging\*\*, 1 suggestion\n\nCommit `[0-9a-f]+`, after answers in F-001\.\n/,
    );
    expect(text).toContain('| Low | [A name misleads](#F-002) | `b.ts:3` | F-002 |');
    expect(text).toContain('Looked at everything.');
    expect(text).not.toContain('to fix before merging');
    expect(text.match(/\| Finding \|/g)).toHaveLength(1);
    const { summary } = planned(asked, talkRun(asked), [RESOLVED]);
    expect(summary?.folds?.map(({ title }) => title)).toEqual([
      'Resolved (1)',
      'Prompt for a coding agent',
      'Commands',
    ]);
    expect(summary?.folds?.[0]?.text).toContain('| High | [The result is never awaited](#F-001) | `a.ts:3` | F-001 |');
  });

  it('says what is lost where the summary is another one', () => {
    const other = asked.map((each) => ({
      ...each,
      body: each.body.replace('**1 problem to fix before merging**', 'Mine.'),
    }));
    expect(summaryOf(talked(other, [RESOLVED]))).toContain('edit history of this comment shows what else');
  });

  it('is not needed any more in a thread that somebody has closed meanwhile', () => {
    const run = talkRun(asked);
    const history = read(talked(asked, [RESOLVED]));
    const { handled, violations } = gateReplies(make.draft({ answers: [answer()] }), history, {
      policy: make.policy(),
      scope: run.scope,
    });
    expect({ handled, violations }).toEqual({ handled: [], violations: [] });
  });

  it('to a thread that was not asked for, or to none, is a breach', () => {
    const { scope } = talkRun(asked);
    const violations = (answers: readonly ThreadAnswer[]) =>
      gateReplies(make.draft({ answers: [...answers] }), read(asked), { policy: make.policy(), scope }).violations;
    expect(violations([answer(), answer({ findingId: 'F-002' })])).toEqual(['F-002 is not an open thread']);
    expect(violations([])).toEqual(['F-001 has 0 actions instead of exactly one']);
  });
});

describe('its announcement', () => {
  const asked = [...reviewed(), said('No.')];
  const run = { ...talkRun(asked), phase: 'announcing' as const, attempt: 2 };
  const announced = posted(PostPlan.parse(buildRepliesAnnouncePlan(context(read(asked)), { run, runsUsed: 2 })), asked);

  it('changes nothing that a reader sees', () => {
    const text = (comments: readonly ForgeComment[]) => summaryOf(comments).split('<!--')[0]?.trim();
    expect(text(announced)).toBe(text(asked));
    expect(buildRepliesAnnouncePlan(context(read(asked)), { run, runsUsed: 2 })).toMatchObject({
      status: null,
      notices: [],
    });
  });

  it('is all that is needed to go on when Redis was lost', () => {
    const state = reconcile(null, read(announced));
    expect(state).toMatchObject({
      reviewsDone: 1,
      runsUsed: 2,
      failedAttempts: 0,
      failedReplies: 1,
      running: { runId: run.runId, review: 1, attempt: 2, phase: 'reviewing', kind: 'reply', scope: run.scope },
    });
  });
});

describe('answers that no run could give', () => {
  const asked = [...reviewed(), said('No.')];
  const run = talkRun(asked);
  const waiting = [{ findingId: 'F-001' as const, noteId: 1 }];
  const given = (comments: readonly ForgeComment[], still: typeof waiting) =>
    PostPlan.parse(buildRepliesGiveUpPlan(context(read(comments)), run, { code: 'MAX_RUNS_EXCEEDED', waiting: still }));

  it('go to a human, thread by thread, once, and the verdict stays', () => {
    const plan = given(asked, waiting);
    const after = posted(plan, asked);
    expect(read(after)).toMatchObject({
      verdict: 'feedback',
      threads: [{ state: 'escalated', severity: 'P1', count: 1 }],
    });
    expect(plan.replies[0]?.text).toContain('this change request has no runs left');
    expect(plan.replies[0]?.text).toContain('**A person has to decide.**');
    expect(plan.notices.map(({ marker }) => marker.kind)).toEqual(['handoff']);
    expect(waits(after)).toEqual([]);
    expect(isDone(difference(plan, own(after), new Set()))).toBe(true);
  });

  it('are no pass when half of them stood there already', () => {
    const half = talked(asked, [RESOLVED]).map((each) =>
      each.body.includes('\n\nCommit `') ? (asked.find(({ id }) => id === each.id) ?? each) : each,
    );
    const plan = given(half, []);
    expect(plan).toMatchObject({ replies: [], summary: { marker: { verdict: 'inconclusive', phase: 'posted' } } });
    expect(plan.notices).toEqual([]);
  });
});
