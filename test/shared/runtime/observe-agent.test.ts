import { pino } from 'pino';
import { expect, test } from 'vitest';
import { createMetrics } from '../../../shared/metrics.ts';
import { observeAgent } from '../../../shared/runtime/observe-agent.ts';
import { usage } from '../agent/scripted-model.ts';

test('every line about a conversation names its run, and holds numbers and names only', async () => {
  const lines: unknown[] = [];
  const log = pino({ base: null, timestamp: false }, { write: (line: string) => void lines.push(JSON.parse(line)) });
  const metrics = createMetrics({ service: 'reviewer', processMetrics: false });
  const answered: string[] = [];
  const observe = observeAgent({ log, metrics, answered: (of, outcome) => void answered.push(`${of} ${outcome}`) });
  const of = (runId: string) => ({ runId, changeRequest: { forge: 'main', projectId: 1, number: 2 } });
  observe({ kind: 'replied', turn: 3, stopReason: 'tool_use', usage: usage() }, of('one'));
  observe({ kind: 'retrying', code: 'MODEL_OVERLOADED', delayMs: 100 }, of('two'));
  observe({ kind: 'tool_broke', tool: 'Grep', error: new Error('no grep') }, of('one'));
  expect(answered).toEqual(['model answered', 'model MODEL_OVERLOADED']);
  const bindings = { forge: 'main', project: 1, changeRequest: 2 };
  expect(lines).toEqual([
    { level: 30, ...bindings, runId: 'one', turn: 3, stopReason: 'tool_use', usage: usage(), msg: 'the model replied' },
    { level: 40, ...bindings, runId: 'two', code: 'MODEL_OVERLOADED', delayMs: 100, msg: 'retrying a model call' },
    {
      level: 40,
      ...bindings,
      runId: 'one',
      tool: 'Grep',
      err: expect.objectContaining({ message: 'no grep' }),
      msg: 'a tool failed',
    },
  ]);
  const text = (await metrics.registry.metrics()).split('\n');
  for (const line of [
    'fixpoint_model_calls_total{stop="tool_use",service="reviewer"} 1',
    'fixpoint_model_retries_total{code="MODEL_OVERLOADED",service="reviewer"} 1',
  ]) {
    expect(text).toContain(line);
  }
});
