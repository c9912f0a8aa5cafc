/** What guard leaves for the operator's page. */
import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { createGuardBoard } from '../../../../services/guard/board/board.ts';
import { viewOf } from '../../../../services/guard/board/view-of.ts';
import type { GuardState } from '../../../../shared/rounds/model/state.ts';
import { createActivity } from '../../../../shared/store/board/activity.ts';
import { createRunLog, MAX_LOGGED_RUNS } from '../../../../shared/store/board/run-log.ts';
import { ChangeRequestView, createChangeRequestViews, MAX_VIEW_THREADS } from '../../../../shared/store/board/views.ts';
import { createKeys } from '../../../../shared/store/keys.ts';
import * as make from '../../../shared/rounds/builders.ts';
import { useRedis } from '../../../support/use-redis.ts';
import { createEffectsBench } from '../effects-bench.ts';

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});

const keys = createKeys('fixpoint');
const OF = make.changeRequest().changeRequest;
const HEAD = make.sha('head');
const clean = (text: string): string => text.replaceAll('secret', '[redacted]');

const stage = () => {
  const [activity, views, runs] = [
    createActivity(redis, keys),
    createChangeRequestViews(redis, keys),
    createRunLog(redis, keys),
  ];
  const board = createGuardBoard({ activity, views, runs, policy: make.policy(), clean, nowMs: () => 5_000 });
  return { activity, views, runs, board };
};

test('a view holds what the forge and the history say, in short texts and without secrets', () => {
  const history = make.history({
    threads: [make.thread({ title: `secret ${'x'.repeat(400)}` })],
    reviewed: [make.reviewedAt(HEAD, { complete: false })],
    handoffs: [{ head: HEAD, review: 1, reason: 'a secret reason', atMs: 9 }],
  });
  const facts = make.facts({ history, changeRequest: make.changeRequest({ title: 'A secret' }) });
  const view = viewOf({ of: OF, facts, state: make.state({}), atMs: 7, clean });
  expect(ChangeRequestView.parse(view)).toEqual(view);
  expect(view).toMatchObject({
    title: 'A [redacted]',
    webUrl: 'http://forge.example/5',
    reviews: [{ review: 1, head: HEAD, verdict: 'feedback', complete: false, seenBy: null }],
    handoffs: [{ review: 1, reason: 'a [redacted] reason', atMs: 9 }],
  });
  expect(view?.threads[0]?.title).toHaveLength(301);
  expect(view?.threads[0]?.title).toMatch(/^\[redacted\] x+…$/);
});

test('a view is bounded, and there is none of a change request that is gone', () => {
  const threads = Array.from({ length: MAX_VIEW_THREADS + 3 }, (_, index) =>
    make.thread({ id: `F-${String(index + 1).padStart(3, '0')}` }),
  );
  const facts = make.facts({ history: make.history({ threads }) });
  const view = viewOf({ of: OF, facts, state: make.state({}), atMs: 7, clean });
  expect([view?.threads.length, view?.threads[0]?.id, view?.moreThreads]).toEqual([MAX_VIEW_THREADS, 'F-004', 3]);
  expect(
    viewOf({ of: OF, facts: make.facts({ changeRequest: null }), state: make.state({}), atMs: 7, clean }),
  ).toBeNull();
});

test.each<[string, Partial<GuardState>, boolean]>([
  ['nothing', {}, false],
  ['a run', { running: make.run() }, true],
  ['a head that waits', { wanted: make.at(HEAD) }, true],
  ['a verdict that CI holds', { heldByCi: HEAD }, true],
])('with %s in its state a change request is among those in progress: %#', async (_what, state, isWorking) => {
  const { board, activity, views } = stage();
  await board.note(OF, { facts: make.facts(), state: make.state(state) });
  expect((await activity.working(10)).total).toBe(isWorking ? 1 : 0);
  expect((await activity.recent({ offset: 0, limit: 10 })).page).toEqual([OF]);
  expect(await views.load(OF)).toMatchObject({ title: 'Change', atMs: 5_000 });
});

test('a run is logged once, when its review is ordered, also if a crash orders it again', async () => {
  const { board, runs } = stage();
  const bench = createEffectsBench(redis, { deps: () => ({ board }) });
  await bench.run({ kind: 'review', run: make.run() });
  await bench.run({ kind: 'review', run: make.run() });
  const { runId, review, attempt, head } = make.run();
  expect(await runs.list(bench.context.of)).toEqual([
    { runId, kind: 'review', review, attempt, head, atMs: expect.any(Number) },
  ]);
});

test('the log of runs keeps the newest, and skips what it cannot read', async () => {
  const { runs } = stage();
  await redis.zadd(keys.ofChangeRequest(OF, 'runs'), 1e12, 'of another version');
  for (let index = 0; index < MAX_LOGGED_RUNS + 5; index += 1) {
    const run = { runId: make.runId(`${index}`), kind: 'reply', review: 1, attempt: 1, head: HEAD } as const;
    await runs.add(OF, run, index);
  }
  const logged = await runs.list(OF);
  expect([logged.length, logged[0]?.runId]).toEqual([MAX_LOGGED_RUNS - 1, make.runId(`${MAX_LOGGED_RUNS + 4}`)]);
});
