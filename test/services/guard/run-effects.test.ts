/** What becomes of each effect that a decision returns. */
import type { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import { planContext, requireChangeRequest } from '../../../services/guard/effect-context.ts';
import { sendPlan } from '../../../services/guard/send-plan.ts';
import { PostJob } from '../../../shared/queue/contracts.ts';
import { decide } from '../../../shared/rounds/decide/decide.ts';
import { gate } from '../../../shared/rounds/gate/gate.ts';
import type { Effect } from '../../../shared/rounds/model/effect.ts';
import type { Fix } from '../../../shared/rounds/model/fixes.ts';
import type { ReviewRun } from '../../../shared/rounds/model/run.ts';
import type { CommitSha } from '../../../shared/vocabulary/ids.ts';
import { NOTHING_SPENT } from '../../../shared/vocabulary/spent.ts';
import { useRedis } from '../../support/use-redis.ts';
import * as make from '../../shared/rounds/builders.ts';
import { createEffectsBench } from './effects-bench.ts';

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});

const HEAD = make.sha('head');
const OLDER = make.sha('older');
const INPUT = make.at(HEAD);
const NOTICE = make.runId('notice');
const RUN = make.run();
const FIX: Fix = {
  runId: make.runId('fix'),
  head: HEAD,
  review: 1,
  number: 1,
  phase: 'announcing',
  planId: null,
  deadlineMs: make.NOW,
  requester: null,
  end: null,
};
const HISTORY = make.history({ reviewed: [make.reviewedAt(HEAD)], reviewsDone: 1, threads: [make.thread()] });
const GATED = gate(make.draft(), make.history(), make.policy());

type Row = readonly [kind: Effect['kind'], effect: Effect, planned: readonly string[], jobs: readonly string[]];

const ROWS: readonly Row[] = [
  ['acknowledge', { kind: 'acknowledge', input: INPUT, noteId: 7, noticeId: NOTICE }, ['acknowledge'], ['post']],
  ['announce', { kind: 'announce', run: RUN, runsUsed: 1, supersededInRow: 0 }, ['announce'], ['post']],
  [
    'announce',
    { kind: 'announce', run: make.replyRun(), runsUsed: 1, supersededInRow: 0 },
    ['replies_announce'],
    ['post'],
  ],
  ['announce_fix', { kind: 'announce_fix', fix: FIX }, ['fix_announce'], ['post']],
  ['fix', { kind: 'fix', fix: FIX }, [], ['fix']],
  [
    'tell_fix',
    { kind: 'tell_fix', fix: { ...FIX, end: { kind: 'failed', code: 'X', pushed: null } } },
    ['fix_end'],
    ['post'],
  ],
  [
    'refuse_fix',
    { kind: 'refuse_fix', head: HEAD, noteId: 7, refusal: 'off', noticeId: NOTICE },
    ['fix_refusal'],
    ['post'],
  ],
  [
    'answer',
    { kind: 'answer', head: HEAD, note: '7', threadId: null, say: { kind: 'help' }, noticeId: NOTICE },
    ['answer'],
    ['post'],
  ],
  ['post_cap', { kind: 'post_cap', input: INPUT, cap: 'runs', noticeId: NOTICE }, ['cap'], ['post']],
  [
    'post_replies',
    { kind: 'post_replies', run: make.replyRun(), handled: [], spent: NOTHING_SPENT, ci: null },
    ['replies'],
    ['post'],
  ],
  [
    'tell_outage',
    { kind: 'tell_outage', run: RUN, what: 'model', code: 'MODEL_OVERLOADED', noticeId: NOTICE },
    ['outage'],
    ['post'],
  ],
  [
    'withdraw_approval',
    { kind: 'withdraw_approval', input: INPUT, pending: true, noticeId: NOTICE },
    ['withdraw'],
    ['post'],
  ],
  [
    'write_status',
    { kind: 'write_status', head: HEAD, noticeId: NOTICE, isDue: true, left: false, waits: null },
    ['status'],
    ['post'],
  ],
  [
    'post_closed',
    { kind: 'post_closed', heads: [HEAD, make.sha('older')], noticeId: NOTICE },
    ['closed', 'closed'],
    ['post', 'post'],
  ],
  ['give_up', { kind: 'give_up', run: RUN, code: 'BROKEN' }, ['give_up'], ['post']],
  ['review', { kind: 'review', run: RUN }, [], ['review']],
  ['schedule', { kind: 'schedule', event: { source: 'wake', id: 'w', atMs: 1 }, delayMs: 5 }, [], ['guard']],
  ['resume_review', { kind: 'resume_review', runId: RUN.runId }, [], []],
  ['release_slot', { kind: 'release_slot' }, [], []],
];

/** More steps at which a crash test kills guard. */
const WITHIN: ReadonlyMap<string, readonly string[]> = new Map([
  ['review', ['after-reports']],
  ['release_slot', ['after-release']],
]);

describe('an effect', () => {
  test.each(ROWS)('%s is carried out once: %#', async (kind, effect, planned, names) => {
    const bench = createEffectsBench(redis, { facts: { history: HISTORY } });
    const { jobs, plans, slot } = await bench.run(effect);
    expect({ planned: plans.map((plan) => plan.kind), jobs: jobs.map(({ name }) => name), slot }).toEqual({
      planned,
      jobs: names,
      slot: null,
    });
    // A crash test kills guard before each kind of effect.
    expect(bench.steps).toEqual([`before-${kind}`, ...(WITHIN.get(kind) ?? [])]);
    expect((await bench.run(effect)).jobs).toEqual([]);
  });

  test.each<[string, { readonly head: CommitSha; readonly left: boolean; readonly isShared: boolean }, number]>([
    ['is not for a commit that the change request has left', { head: OLDER, left: false, isShared: false }, 0],
    ['is for one that others may have', { head: OLDER, left: false, isShared: true }, 1],
    ['is for one that may still be pending', { head: OLDER, left: true, isShared: false }, 1],
    ['is for the head', { head: HEAD, left: false, isShared: false }, 1],
  ])('a status %s', async (_what, { head, left, isShared }, count) => {
    const shared = { has: async () => isShared };
    const bench = createEffectsBench(redis, { facts: { history: HISTORY }, deps: () => ({ shared }) });
    const order = { kind: 'write_status', head, noticeId: NOTICE, isDue: false, left, waits: null } as const;
    expect((await bench.run(order)).plans).toHaveLength(count);
  });

  test('announces a reply run with its own scope, and ends a fix with what the author reported', async () => {
    const bench = createEffectsBench(redis, { facts: { history: HISTORY } });
    const { plans } = await bench.run(
      { kind: 'announce', run: make.replyRun(), runsUsed: 3, supersededInRow: 0 },
      { kind: 'announce_fix', fix: FIX },
    );
    expect(plans[0]?.announcement).toMatchObject({ runs: 3, replies: make.replyRun().scope });
    expect(plans[1]?.runId).toBe(FIX.runId);
  });

  test('sends the job of a fix with the head that it may change', async () => {
    const bench = createEffectsBench(redis, { facts: { history: HISTORY } });
    const { jobs } = await bench.run({ kind: 'fix', fix: FIX });
    expect(jobs).toMatchObject([{ name: 'fix', payload: { head: HEAD, runId: FIX.runId, review: 1 } }]);
    expect(await bench.deps.fixBriefs.load(bench.deps.keys.ofRun(FIX.runId, 'fix-brief'))).toMatchObject({
      head: HEAD,
    });
  });

  test('resumes the review that it names', async () => {
    const resumed: string[] = [];
    const deps = () => ({ resumeReview: async (runId: string) => void resumed.push(runId) });
    await createEffectsBench(redis, { deps }).run({ kind: 'resume_review', runId: RUN.runId });
    expect(resumed).toEqual([RUN.runId]);
  });

  test('tells each author of the project the verdict', async () => {
    const sent: unknown[] = [];
    const bench = createEffectsBench(redis, {
      facts: { history: HISTORY },
      deps: ({ authorsOutside }) => ({
        authorsOutside: {
          ...authorsOutside,
          namesOf: () => ['ann'],
          messageStore: {
            list: async () => [],
            send: async (_of, { message }) => {
              sent.push([message.to, message.type]);
              return { kind: 'accepted' };
            },
          },
        },
      }),
    });
    const verdict = { verdict: 'feedback', failed: false, exceeded: false } as const;
    await bench.run({ kind: 'tell_author', head: HEAD, review: 1, ...verdict, atMs: 1 });
    expect(sent).toEqual([['ann', 'review_feedback']]);
  });
});

describe('the slot of a run', () => {
  const acknowledge = (noteId: number | null): Effect => ({
    kind: 'acknowledge',
    input: INPUT,
    noteId,
    noticeId: NOTICE,
  });
  const full: Effect = { kind: 'acquire_slot' };

  test('is asked for first, and a pending status that the announcement replaces is left out', async () => {
    const bench = createEffectsBench(redis);
    const { slot, plans } = await bench.run(acknowledge(null), acknowledge(7), full);
    expect(slot).toBe(true);
    expect(plans.map(({ reactions }) => reactions)).toEqual([['7']]);
    expect(bench.steps[0]).toBe('before-acquire_slot');
  });

  test('that is not free leaves the pending status to be written', async () => {
    const bench = createEffectsBench(redis, { deps: () => ({ runningPerProject: 0 }) });
    const { slot, plans } = await bench.run(acknowledge(null), full);
    expect([slot, plans.length]).toEqual([false, 1]);
  });

  test('wakes the change request that has waited longest when it is released', async () => {
    const bench = createEffectsBench(redis);
    await bench.run(full);
    const next = { ...bench.context.of, number: 6 };
    await bench.deps.slots.acquire(next, 1, 5);
    const { jobs } = await bench.run({ kind: 'release_slot' });
    expect(jobs).toMatchObject([{ name: 'guard', payload: { kind: 'wake', changeRequest: { number: 6 } } }]);
    const atMs = bench.deps.nowMs();
    expect((await bench.deps.inbox.read(next)).events).toEqual([{ source: 'wake', id: `slot-${atMs}`, atMs }]);
  });

  test.each(['after-release', 'wake'])(
    'that is released is not lost if guard ends (%s) before it has woken the next one',
    async (end) => {
      let ends = true;
      const fail = (): void => {
        if (ends) throw new Error('killed');
      };
      const bench = createEffectsBench(redis, {
        deps: (deps) =>
          end === 'wake'
            ? { inbox: { ...deps.inbox, notify: async (...asked) => (fail(), deps.inbox.notify(...asked)) } }
            : { checkpoint: (at) => (at === 'after-release' ? fail() : undefined) },
      });
      await bench.run(full);
      const next = { ...bench.context.of, number: 6 };
      await bench.deps.slots.acquire(next, 1, 5);
      await expect(bench.run({ kind: 'release_slot' })).rejects.toThrow('killed');
      ends = false;
      await bench.run({ kind: 'release_slot' });
      expect((await bench.deps.inbox.read(next)).events).toMatchObject([{ source: 'wake' }]);
      expect(await bench.deps.slots.acquire(next, 1, 10)).toBe(true);
    },
  );
});

describe('a run that ends while the next one begins', () => {
  test('keeps its slot, and nobody else is woken for it', async () => {
    const bench = createEffectsBench(redis, { deps: () => ({ runningPerProject: 1 }) });
    const { slots } = bench.deps;
    const { of } = bench.context;
    await slots.acquire(of, 1, 1);
    await slots.acquire({ ...of, number: 6 }, 1, 5);
    const { slot, jobs } = await bench.run({ kind: 'release_slot' }, { kind: 'acquire_slot' });
    expect([slot, jobs, await slots.running(of.forge, of.projectId)]).toEqual([true, [], [of.number]]);
    const { jobs: woken } = await bench.run({ kind: 'release_slot' });
    expect(woken).toMatchObject([{ payload: { changeRequest: { number: 6 } } }]);
  });
});

describe('the answer to an event', () => {
  test('has a plan that the poster accepts, however long the id of the event and the numbers are', async () => {
    const facts = make.facts({
      changeRequest: make.changeRequest({
        changeRequest: { ...make.changeRequest().changeRequest, projectId: 1_234_567_890, number: 1_234_567 },
      }),
      mayRequest: new Set([make.AUTHOR_ID]),
    });
    const event = make.forgeEvent('review_requested', { id: 'a'.repeat(64), requestedReviewerId: make.BOT_ID });
    const decision = decide({
      state: make.state({ reviewed: [INPUT] }),
      events: [event],
      facts,
      policy: make.policy(),
      nowMs: make.NOW,
      freshRunId: NOTICE,
    });
    const answers = decision.state.outbox.filter(({ kind }) => kind === 'answer');
    expect(answers).toHaveLength(1);
    const { jobs } = await createEffectsBench(redis, { facts }).run(...answers);
    expect(jobs.map(({ payload }) => PostJob.safeParse(payload).success)).toEqual([true]);
  });
});

describe('the result of a run', () => {
  const review = (run: ReviewRun): Effect => ({ kind: 'post_review', run, gated: GATED, ci: null });

  test('is posted with its draft, and its ignored findings are counted', async () => {
    const counted: unknown[] = [];
    const bench = createEffectsBench(redis, {
      facts: { draft: null },
      deps: () => ({ ignoredCounts: { add: async (_of, { runId }) => void counted.push(runId) } }),
    });
    await bench.deps.drafts.save(bench.deps.keys.ofRun(RUN.runId, 'draft'), make.draft());
    const { plans } = await bench.run(review(RUN));
    expect(plans.map(({ kind, runId }) => [kind, runId])).toEqual([['review', RUN.runId]]);
    expect(counted).toEqual([RUN.runId]);
  });

  test('is posted without reading the draft again if the decision has seen it', async () => {
    const bench = createEffectsBench(redis, { facts: { draft: make.draft() } });
    const { plans } = await bench.run(review(RUN));
    expect(plans.map(({ kind, runId }) => [kind, runId])).toEqual([['review', RUN.runId]]);
  });

  test('is not posted with the draft of another run', async () => {
    const draft = make.draft({ runId: make.runId('other') });
    await expect(createEffectsBench(redis, { facts: { draft } }).run(review(RUN))).rejects.toMatchObject({
      code: 'DRAFT_MISSING',
    });
  });

  const carried = make.carried(HEAD);

  test('that was carried is posted while the review is known', async () => {
    const entry = make.reviewedAt(HEAD, { verdict: 'lgtm' });
    const bench = createEffectsBench(redis, {
      facts: { history: make.history({ reviewed: [entry], reviewsDone: 1 }) },
    });
    const { plans } = await bench.run({ kind: 'post_carried', run: make.run({ carried }), ci: null });
    expect(plans.map(({ kind, status }) => [kind, status?.state])).toEqual([['carried', 'success']]);
  });

  test.each<readonly [string, Effect, string]>([
    ['a draft that is gone', review(RUN), 'DRAFT_MISSING'],
    ['nothing that could be carried', { kind: 'post_carried', run: RUN, ci: null }, 'NOTHING_TO_CARRY'],
    [
      'a review that is no longer known',
      { kind: 'post_carried', run: make.run({ carried }), ci: null },
      'NOTHING_TO_CARRY',
    ],
  ])('with %s is tried again', async (_what, effect, code) => {
    const bench = createEffectsBench(redis, { facts: { draft: null } });
    await expect(bench.run(effect)).rejects.toMatchObject({ code, disposition: { kind: 'retry' } });
  });
});

test.each([
  ['nothing but its summary and status', {}, 10],
  ['a comment of each kind', { inline: 2, replies: 3, closures: 4, notices: 5 }, 5 * (2 + 3 + 4 + 5 + 2)],
])(
  'a plan with %s may need so many writes: %#',
  async (_what, counts: Partial<Record<'inline' | 'replies' | 'closures' | 'notices', number>>, maxWrites) => {
    const bench = createEffectsBench(redis);
    const { plans } = await bench.run({ kind: 'post_cap', input: INPUT, cap: 'runs', noticeId: NOTICE });
    const [cap] = plans;
    if (cap === undefined) throw new Error('a cap is posted');
    // Only the number of parts counts.
    const parts = (count = 0) => Array.from({ length: count }, () => ({ text: '' }) as never);
    const plan = {
      ...cap,
      planId: 'counted-plan',
      inline: parts(counts.inline),
      replies: parts(counts.replies),
      closures: parts(counts.closures),
      notices: parts(counts.notices),
    };
    await sendPlan(
      { ...bench.deps, plans: { load: async () => plan, save: async () => {}, saveOnce: async () => false } },
      plan,
    );
    const { jobs } = await bench.run();
    expect(jobs).toMatchObject([{ name: 'post', payload: { budget: { maxWrites, maxRuntimeS: 600 } } }]);
  },
);

test('a change request that the forge no longer shows gets nothing more', async () => {
  const { context } = createEffectsBench(redis, { facts: { changeRequest: null } });
  const gone = {
    code: 'CHANGE_REQUEST_GONE',
    disposition: { kind: 'drop' },
    fields: { forge: 'main', project: 1, changeRequest: 5 },
  };
  expect(() => requireChangeRequest(context)).toThrow(expect.objectContaining(gone));
  expect(() => planContext(context)).toThrow(expect.objectContaining(gone));
});
