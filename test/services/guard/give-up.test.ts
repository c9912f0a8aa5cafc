/** What is posted about a run that ends without a review. */
import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import type { GuardDeps } from '../../../services/guard/deps.ts';
import type { Effect, EffectOf } from '../../../shared/rounds/model/effect.ts';
import { useRedis } from '../../support/use-redis.ts';
import * as make from '../../shared/rounds/builders.ts';
import { createEffectsBench } from './effects-bench.ts';

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});

const RUN = make.run();
const SECRET_FOUND = {
  rule: 'secret-token',
  severity: 'P0',
  path: 'b.ts',
  line: 9,
  title: 'A token in the code',
} as const;
const OUTAGE: EffectOf<'give_up'>['outage'] = { what: 'model', retry: 1, untilMs: 5_000_000 };

const giveUp = async (
  effect: Partial<EffectOf<'give_up'>>,
  before: (deps: GuardDeps) => Promise<void> = async () => {},
) => {
  const bench = createEffectsBench(redis, {
    facts: { answers: [{ findingId: 'F-001', noteId: 50 }], history: make.history({ threads: [make.thread()] }) },
  });
  await before(bench.deps);
  const { plans } = await bench.run({ kind: 'give_up', run: RUN, code: 'BROKEN', ...effect } satisfies Effect);
  const [plan] = plans;
  const texts = [plan?.summary?.text ?? '', ...(plan?.notices ?? []).map(({ text }) => text)].join('\n\n');
  return { planId: plan?.planId, kind: plan?.kind, status: plan?.status?.state ?? null, texts };
};

const keep =
  (what: 'raw' | 'rules' | 'draft') =>
  async (deps: GuardDeps): Promise<void> => {
    const key = deps.keys.ofRun(RUN.runId, what);
    if (what === 'raw') await deps.raws.save(key, { v: 1, text: 'I think that' });
    if (what === 'rules') await deps.rulesFound.save(key, { v: 1, findings: [SECRET_FOUND] });
    if (what === 'draft')
      await deps.drafts.save(key, make.draft({ findings: [make.finding({}, { ...SECRET_FOUND })] }));
  };

test('a review that failed ends the status and calls a person', async () => {
  const { kind, status, texts } = await giveUp({});
  expect([kind, status]).toEqual(['give_up', 'error']);
  expect(texts).not.toContain('A token in the code');
});

test.each(['rules', 'draft'] as const)('it shows what the built-in rules found, from the stored %s', async (what) => {
  expect((await giveUp({}, keep(what))).texts).toContain('| A token in the code | `b.ts:9` |');
});

test('it shows the last words of the model, which were no review', async () => {
  expect((await giveUp({}, keep('raw'))).texts).toContain('I think that');
});

test('after an outage it says when the review is tried again, and shows no last words', async () => {
  const { kind, texts } = await giveUp({ code: 'MODEL_OVERLOADED', outage: OUTAGE }, keep('raw'));
  expect(kind).toBe('give_up');
  expect(texts).toContain('The review will be retried automatically at');
  expect(texts).not.toContain('I think that');
});

test('after an outage it shows what the built-in rules found', async () => {
  const { texts } = await giveUp({ code: 'MODEL_OVERLOADED', outage: OUTAGE }, keep('rules'));
  expect(texts).toContain('| A token in the code | `b.ts:9` |');
});

test.each([
  ['answers in threads', make.replyRun()],
  ['a verdict that was to be judged again', make.reevaluateRun()],
] as const)('%s: a person has to answer the threads that wait', async (_what, run) => {
  const { kind, texts } = await giveUp({ run });
  expect(kind).toBe('replies');
  expect(texts).toContain('**A person has to answer.** F-001 got no answer. The bot could not answer:');
});

test('answers in threads that an outage prevented are an outage like any other', async () => {
  const { texts, status } = await giveUp({ run: make.replyRun(), code: 'MODEL_OVERLOADED', outage: OUTAGE });
  expect(texts).toContain('The review will be retried automatically at');
  expect(status).toBe('error');
});
