/** What only this adapter does; `conformance.test.ts` has what all do. */
import { expect, it, onTestFinished } from 'vitest';
import type { ModelReply, ModelRequest } from '../../../../../shared/agent/model/model.ts';
import { createAnthropicModel } from '../../../../../shared/agent/models/anthropic/model.ts';
import { refuse, reply, type Step, text } from '../../../../sim/messages/reply.ts';
import { type MessagesSim, startMessagesSim } from '../../../../sim/messages/start.ts';
import { never } from '../../agent-run.ts';

const ask = async (
  step: Step,
  patch: Partial<ModelRequest> = {},
  longCache = true,
): Promise<{ readonly got: ModelReply; readonly sim: MessagesSim }> => {
  const sim = await startMessagesSim();
  onTestFinished(() => sim.close());
  sim.script([step]);
  const limits = { idleTimeoutMs: 5_000, callTimeoutMs: 20_000, nowMs: () => Date.now() };
  const model = createAnthropicModel({ apiKey: sim.apiKey, baseUrl: sim.url, stream: true, longCache, ...limits });
  const request: ModelRequest = {
    model: 'claude-sonnet-5-5',
    maxOutputTokens: 1_000,
    system: [{ kind: 'text', text: 'You review.' }],
    tools: [],
    messages: [{ role: 'user', blocks: [{ kind: 'text', text: 'Hello.' }] }],
    ...patch,
  };
  return { got: await model.respond(request, never), sim };
};

it('sends no sampling parameter, no forced tool and never more than four breakpoints', async () => {
  const cached = { kind: 'text', text: 'x', cache: true } as const;
  const { sim } = await ask(reply('ok'), {
    system: [cached, cached, cached],
    messages: [{ role: 'user', blocks: [cached, cached, cached] }],
  });
  const body = sim.requests[0]?.body ?? '';
  expect(body.match(/cache_control/g)).toHaveLength(4);
  expect(Object.keys(JSON.parse(body)).toSorted()).toEqual(['max_tokens', 'messages', 'model', 'stream', 'system']);
});

it.each([true, false])('asks for the long cache only where there is one: %s', async (longCache) => {
  const long = { kind: 'text', text: 'Review. '.repeat(1_000), cache: 'long' } as const;
  const short = { kind: 'text', text: 'The diff.', cache: true } as const;
  const messages = [{ role: 'user', blocks: [short] }] as const;
  const { got, sim } = await ask(reply('ok'), { system: [long], messages }, longCache);
  const body = sim.requests[0]?.body ?? '';
  expect(body.split('"ttl":"1h"')).toHaveLength(longCache ? 2 : 1);
  expect(body.split('"cache_control"')).toHaveLength(3);
  expect(got.usage.cacheWriteLong > 2_000).toBe(longCache);
  expect(got.usage.cacheWrite).toBeGreaterThan(got.usage.cacheWriteLong);
});

it.each([
  ['a pause', reply([text('wait')], { stopReason: 'pause_turn' }), { stopReason: 'pause_turn' }],
  ['the category of a refusal', refuse('cyber'), { stopReason: 'refusal', refusalCategory: 'cyber' }],
] as const)('gives %s as a value', async (_name, step, expected) => {
  expect((await ask(step)).got).toMatchObject(expected);
});
