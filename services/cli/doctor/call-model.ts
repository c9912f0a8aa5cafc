/** Two short calls that show what a model and its server can do, whatever the settings say. */
import type { Model, ModelReply, ModelRequest, TextBlock, ToolSchema } from '../../../shared/agent/model/model.ts';
import { inputTokens } from '../../../shared/agent/model/model.ts';
import { ModelError } from '../../../shared/agent/model/model-errors.ts';
import { fail, ok, type Seen, warn } from './check.ts';

const TOOL: ToolSchema = {
  name: 'Weather',
  description: 'Returns the weather in one city.',
  inputSchema: {
    type: 'object',
    properties: { city: { type: 'string' } },
    required: ['city'],
    additionalProperties: false,
  },
};

/** Long enough for every known minimum of a cached prefix. */
const LINE = 'This line only makes the beginning of the request long enough to be cached by the provider; ignore it.\n';
const SYSTEM: readonly TextBlock[] = [
  {
    kind: 'text',
    text: `You answer questions about the weather with the tool Weather.\n${LINE.repeat(250)}`,
    cache: true,
  },
];

const QUESTION = 'What is the weather in Oslo and in Lima? Call Weather for both cities in one answer.';

const MAX_OUTPUT_TOKENS = 1_024;

const firstRequest = (model: string): ModelRequest => ({
  model,
  maxOutputTokens: MAX_OUTPUT_TOKENS,
  system: SYSTEM,
  tools: [TOOL],
  messages: [{ role: 'user', blocks: [{ kind: 'text', text: QUESTION }] }],
});

const callsIn = ({ blocks }: ModelReply) => blocks.flatMap((block) => (block.kind === 'tool_call' ? [block] : []));

/** Returns the results of the tool calls to the model, or asks again if the model called no tool. */
const secondRequest = (first: ModelRequest, reply: ModelReply): ModelRequest => {
  const calls = callsIn(reply);
  if (calls.length === 0) return first;
  const results = calls.map(({ id }) => ({ kind: 'tool_result' as const, callId: id, text: 'Sunny.', isError: false }));
  return {
    ...first,
    messages: [...first.messages, { role: 'assistant', blocks: reply.blocks }, { role: 'user', blocks: results }],
  };
};

const yes = (can: boolean): string => (can ? 'yes' : 'no');

const describe = (name: string, first: ModelReply, second: ModelReply): readonly Seen[] => {
  const calls = callsIn(first).filter((call) => call.name === TOOL.name).length;
  const tokens = `${inputTokens(first.usage) + inputTokens(second.usage)} tokens in, ${first.usage.output + second.usage.output} out`;
  const counted = first.isUsageEstimated !== true;
  const cached = second.usage.cacheRead > 0;
  const facts =
    `tools: ${yes(calls > 0)}, parallel calls: ${yes(calls > 1)}, ` +
    `usage reported: ${yes(counted)}, cached tokens reported: ${yes(cached)}`;
  return [
    ok(`${name} answers (${tokens}); ${facts}`),
    ...(calls > 0
      ? []
      : [
          fail(
            `${name} called no tool, so it cannot review`,
            'use a model that supports tools, and enable tools on its server',
          ),
        ]),
    ...(counted
      ? []
      : [
          warn(
            `the server of ${name} reports no usage, so its tokens are estimated from the bytes`,
            'make the server report usage in streams, or set agent.stream = false',
          ),
        ]),
  ];
};

/** Contract: throws only the signal's reason. */
export const callModel = async (model: Model, name: string, signal: AbortSignal): Promise<readonly Seen[]> => {
  try {
    const request = firstRequest(name);
    const first = await model.respond(request, signal);
    return describe(name, first, await model.respond(secondRequest(request, first), signal));
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof ModelError)) throw error;
    return [fail(`${name}: ${error.message} (${error.code})`, 'check your account and its limits at the provider')];
  }
};
