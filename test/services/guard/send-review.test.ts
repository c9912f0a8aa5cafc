/** The job and the brief with which a review begins. */
import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { NOTHING_SPENT } from '../../../shared/vocabulary/spent.ts';
import { useRedis } from '../../support/use-redis.ts';
import * as make from '../../shared/rounds/builders.ts';
import { createEffectsBench } from './effects-bench.ts';

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});

const RUN = make.run({ review: 2, attempt: 3, mustFinish: true, instructions: 'look at the locks' });

test('a review is ordered with its limits, and its brief is stored before', async () => {
  const bench = createEffectsBench(redis, { facts: { history: make.history({ threads: [make.thread()] }) } });
  const { jobs } = await bench.run({ kind: 'review', run: RUN });
  const { runId, head } = RUN;
  const budget = { maxTurns: 8, maxRuntimeS: 60 };
  const changeRequest = bench.context.of;
  expect(jobs).toEqual([
    { name: 'review', payload: { v: 1, changeRequest, runId, head, review: 2, attempt: 3, mustFinish: true, budget } },
  ]);
  expect(await bench.deps.briefs.load(bench.deps.keys.ofRun(runId, 'brief'))).toMatchObject({
    runId,
    instructions: 'look at the locks',
    openThreads: [{ id: 'F-001' }],
    git: { headRef: 'refs/pull/5/head' },
  });
});

test.each([
  ['what the forge says was spent', { ...NOTHING_SPENT, inputTokens: 5 }, [{ ...NOTHING_SPENT, inputTokens: 5 }]],
  ['nothing where the forge says nothing', null, []],
])('the budgets are told %s', async (_what, spent, told) => {
  const seeded: unknown[] = [];
  const bench = createEffectsBench(redis, {
    facts: { history: make.history({ spent }) },
    deps: () => ({ seedBudget: async (_of, _run, amount) => void seeded.push(amount) }),
  });
  await bench.run({ kind: 'review', run: RUN });
  expect(seeded).toEqual(told);
});

test('no review of a forge is ordered that is no longer configured', async () => {
  const bench = createEffectsBench(redis, { deps: () => ({ forges: new Map() }) });
  expect((await bench.run({ kind: 'review', run: RUN })).jobs).toEqual([]);
});

test('the project of a review gets the name that is in the address of its page', async () => {
  const named: unknown[] = [];
  const bench = createEffectsBench(redis, {
    deps: () => ({ nameProject: async ({ projectId }, webUrl) => void named.push([projectId, webUrl]) }),
  });
  await bench.run({ kind: 'review', run: RUN });
  const { changeRequest, webUrl } = bench.context.facts.changeRequest ?? {};
  expect(named).toEqual([[changeRequest?.projectId, webUrl]]);
});
