/** What is done for every provider, whatever its adapter does. */
import { expect, it, onTestFinished } from 'vitest';
import { PROVIDERS } from '../../../../shared/agent/models/providers.ts';
import { ModelProvider } from '../../../../shared/vocabulary/model-provider.ts';
import { startChatSim } from '../../../sim/chat/start.ts';
import { reply } from '../../../sim/messages/reply.ts';
import { startMessagesSim } from '../../../sim/messages/start.ts';
import { never } from '../agent-run.ts';
import { call } from '../scripted-model.ts';

const START: Readonly<Record<ModelProvider, typeof startMessagesSim | typeof startChatSim>> = {
  anthropic: startMessagesSim,
  openai: startChatSim,
};

it.each(ModelProvider.options)('%s gets no half of a surrogate pair, which it would refuse', async (provider) => {
  const sim = await START[provider]({});
  onTestFinished(() => sim.close());
  sim.script([reply('ok')]);
  const limits = { idleTimeoutMs: 5_000, callTimeoutMs: 20_000, nowMs: () => Date.now() };
  const model = PROVIDERS[provider].create({
    apiKey: sim.apiKey,
    baseUrl: sim.url,
    stream: true,
    longCache: false,
    ...limits,
  });
  const half = '\ud83d';
  await model.respond(
    {
      model: 'claude-sonnet-5-5',
      maxOutputTokens: 1_000,
      system: [{ kind: 'text', text: `You review.${half}` }],
      tools: [{ name: 'Read', description: 'Reads.', inputSchema: { type: 'object', properties: {} } }],
      messages: [
        { role: 'user', blocks: [{ kind: 'text', text: `😀${half}` }] },
        { role: 'assistant', blocks: [call('Read', { [half]: [half] }, 'one')] },
        { role: 'user', blocks: [{ kind: 'tool_result', callId: 'one', text: half, isError: false }] },
      ],
    },
    never,
  );
  const body = sim.requests[0]?.body ?? '';
  expect(body).toContain('😀\ufffd');
  expect(body).not.toMatch(/\\ud[89a-f]/i);
});
