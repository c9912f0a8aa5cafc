import { expect, test } from 'vitest';
import { createMemoryLedger } from '../../../shared/agent/model/memory-ledger.ts';
import type { Model } from '../../../shared/agent/model/model.ts';
import { ModelCallStoppedError, ModelOverloadedError } from '../../../shared/agent/model/model-errors.ts';
import { createMetrics } from '../../../shared/metrics.ts';
import { countingLedger } from '../../../shared/runtime/counting-ledger.ts';
import { timedModel } from '../../../shared/runtime/timed-model.ts';
import { countOf, parseMetrics } from '../../support/read-metrics.ts';
import { usage } from '../agent/scripted-model.ts';

const changeRequest = { forge: 'main', projectId: 42, number: 7 };
const account = { runId: 'run000000001', changeRequest, day: '2026-01-31' };
const WIDE = { tokens: 1_000, microUsd: 1_000_000 };
const limits = { run: WIDE, change_request: WIDE, project: WIDE, day: { tokens: 1_500, microUsd: 1_000_000 } };
// No provider of its own is configured, so every model belongs to the default one.
const agent = { provider: [] };

const stage = (projectLabel = false) => {
  const metrics = createMetrics({ service: 'reviewer', processMetrics: false, projectLabel });
  const ledger = countingLedger(createMemoryLedger(limits), { metrics, agent });
  const read = async (name: string) => countOf(parseMetrics(await metrics.registry.metrics()), name);
  return { metrics, ledger, read };
};

const facts = { status: null, type: null, requestId: null };
const purpose = { role: 'reviewer', model: 'large' } as const;
const MODEL = 'model=large provider=anthropic role=reviewer';

test('counts what a call used when it is settled, once, and not what was reserved', async () => {
  const { ledger, read } = stage();
  await ledger.reserve({ callId: 'one', account, purpose, worst: { tokens: 900, microUsd: 900_000 } });
  expect(await read('fixpoint_model_spent_usd_total')).toEqual({});
  const used = { tokens: 100, outputTokens: 20, cachedTokens: 30, microUsd: 250_000 };
  await ledger.settle('one', account, used);
  await ledger.settle('one', account, used);
  expect(await read('fixpoint_model_spent_usd_total')).toEqual({ [MODEL]: 0.25 });
  expect(await read('fixpoint_model_tokens_total')).toEqual({
    [`kind=input ${MODEL}`]: 50,
    [`kind=cached ${MODEL}`]: 30,
    [`kind=output ${MODEL}`]: 20,
  });
});

test('counts the parts of other models under their own names', async () => {
  const { ledger, read } = stage();
  await ledger.reserve({ callId: 'one', account, purpose, worst: { tokens: 10, microUsd: 10 } });
  const otherModels = [{ model: 'small', tokens: 40, outputTokens: 10, microUsd: 100_000 }];
  await ledger.settle('one', account, { tokens: 100, outputTokens: 20, microUsd: 250_000, otherModels });
  expect(await read('fixpoint_model_spent_usd_total')).toEqual({
    [MODEL]: 0.15,
    [MODEL.replace('large', 'small')]: 0.1,
  });
});

test('counts a refusal by the budget that refused, and names a project only when asked to', async () => {
  const { ledger, read } = stage(true);
  const refused = await ledger.reserve({ callId: 'one', account, purpose, worst: { tokens: 2_000, microUsd: 1 } });
  expect([refused.kind, await read('fixpoint_budget_refusals_total')]).toEqual([
    'refused',
    { 'budget=tokens scope=run': 1 },
  ]);
  await ledger.reserve({ callId: 'two', account, purpose, worst: { tokens: 1, microUsd: 1 } });
  await ledger.settle('two', account, { tokens: 1, microUsd: 500_000 });
  expect(await read('fixpoint_model_spent_usd_total')).toEqual({
    [MODEL.replace('provider', 'project=main/42 provider')]: 0.5,
  });
});

test('times answers and failures of a model, but no call that its caller stopped', async () => {
  const { metrics, read } = stage();
  const overloaded = new ModelOverloadedError({ facts, cause: null, retryAfterMs: null, cost: { kind: 'nothing' } });
  const endings: (Error | null)[] = [null, overloaded, new ModelCallStoppedError({ kind: 'nothing' }, new Error('x'))];
  const bare: Model = {
    respond: async () => {
      const ending = endings.shift();
      if (ending !== null && ending !== undefined) throw ending;
      return { stopReason: 'end_turn', refusalCategory: null, blocks: [], usage: usage() };
    },
  };
  const model = timedModel(bare, { metrics, agent, role: 'reviewer' });
  const request = { model: 'large', maxOutputTokens: 1, system: [], tools: [], messages: [] };
  for (let call = 0; call < 3; call += 1)
    await model.respond(request, new AbortController().signal).catch(() => undefined);
  expect(await read('fixpoint_model_call_seconds_count')).toEqual({ [MODEL]: 2 });
  expect(await read('fixpoint_model_errors_total')).toEqual({ [`code=MODEL_OVERLOADED ${MODEL}`]: 1 });
});
