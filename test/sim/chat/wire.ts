/** Formats a message as one JSON document or as a stream of chunks, in a server's dialect. */
import type { Frames } from '../messages/deliver.ts';
import { type Usage, totalInput } from '../messages/prices.ts';
import type { Composed, ComposedCall } from './compose.ts';
import type { Dialect } from './dialect.ts';
import { signatureOf } from './rules.ts';
import { slices } from '../messages/pieces.ts';

const CREATED = 1_790_000_000;

const wireUsage = (usage: Usage, { reportsCache }: Dialect): object => ({
  prompt_tokens: totalInput(usage),
  completion_tokens: usage.outputTokens,
  total_tokens: totalInput(usage) + usage.outputTokens,
  ...(reportsCache ? { prompt_tokens_details: { cached_tokens: usage.cacheReadTokens } } : {}),
  completion_tokens_details: { reasoning_tokens: usage.thinkingTokens },
});

const wireCall = ({ id, name, json }: ComposedCall, at: number, dialect: Dialect): object => ({
  ...(dialect.callIndexes === 'none' ? {} : { index: dialect.callIndexes === 'zero' ? 0 : at }),
  ...(dialect.callIds === 'none' ? {} : { id }),
  type: 'function',
  function: { name, arguments: json },
  ...(dialect.signsCalls ? { extra_content: signatureOf(name) } : {}),
});

/** The notation of Hermes and Qwen models, which a server without their parser leaves in the text. */
const callText = ({ name, json }: ComposedCall): string =>
  `<tool_call>\n{"name": ${JSON.stringify(name)}, "arguments": ${json}}\n</tool_call>`;

const textOf = ({ text, calls, thinking }: Composed, dialect: Dialect): string => {
  const thought = dialect.reasoning === 'tags' && thinking !== '' ? `<think>\n${thinking}\n</think>\n\n` : '';
  if (dialect.calls !== 'text' || calls.length === 0) return thought + text;
  return thought + calls.map(callText).join('\n');
};

const reasoningFields = (thinking: string, { reasoning }: Dialect): object => {
  if (thinking === '' || reasoning === 'tags' || reasoning === 'none') return {};
  if (reasoning !== 'reasoning_details') return { [reasoning]: thinking };
  return { reasoning_details: [{ type: 'reasoning.text', index: 0, format: 'unknown', text: thinking }] };
};

export const toJson = (composed: Composed, dialect: Dialect): object => {
  const calls = dialect.calls === 'text' ? [] : composed.calls;
  const text = textOf(composed, dialect);
  const message = {
    role: 'assistant',
    content: text === '' ? null : text,
    refusal: composed.refusal,
    ...reasoningFields(composed.thinking, dialect),
    ...(calls.length === 0 ? {} : { tool_calls: calls.map((call, at) => wireCall(call, at, dialect)) }),
  };
  return {
    id: composed.id,
    object: 'chat.completion',
    created: CREATED,
    model: composed.model,
    choices: [{ index: 0, message, logprobs: null, finish_reason: composed.finishReason }],
    ...(dialect.usage === 'never' ? {} : { usage: wireUsage(composed.usage, dialect) }),
  };
};

const callDeltas = (call: ComposedCall, at: number, dialect: Dialect): readonly object[] => {
  if (dialect.calls === 'whole') return [{ tool_calls: [wireCall(call, at, dialect)] }];
  const first = wireCall({ ...call, json: '' }, at, dialect);
  const index = dialect.callIndexes === 'none' ? {} : { index: dialect.callIndexes === 'zero' ? 0 : at };
  const rest = slices(call.json).map((json) => ({ ...index, function: { arguments: json } }));
  return [first, ...rest].map((part) => ({ tool_calls: [part] }));
};

const deltasOf = (composed: Composed, dialect: Dialect): readonly object[] => [
  { role: 'assistant', content: '' },
  ...slices(composed.thinking)
    .map((thinking) => reasoningFields(thinking, dialect))
    .filter((fields) => Object.keys(fields).length > 0),
  ...slices(textOf(composed, dialect)).map((content) => ({ content })),
  ...(composed.refusal === null ? [] : [{ refusal: composed.refusal }]),
  ...(dialect.calls === 'text' ? [] : composed.calls.flatMap((call, at) => callDeltas(call, at, dialect))),
];

const frame = (value: object): string => `data: ${JSON.stringify(value)}\n\n`;

export type Asked = { readonly usage: boolean };

export const toFrames = (composed: Composed, dialect: Dialect, asked: Asked): Frames => {
  const envelope = { id: composed.id, object: 'chat.completion.chunk', created: CREATED, model: composed.model };
  const usage = wireUsage(composed.usage, dialect);
  const each = dialect.usage === 'every-chunk' ? { usage } : {};
  const chunk = (delta: object, finish_reason: string | null): string =>
    frame({ ...envelope, choices: [{ index: 0, delta, logprobs: null, finish_reason }], ...each });
  const comment = dialect.comments ? ': OPENROUTER PROCESSING\n\n' : '';
  const filter = dialect.filterChunk ? [frame({ ...envelope, id: '', choices: [], prompt_filter_results: [] })] : [];
  const last = dialect.usage === 'asked' && asked.usage ? [frame({ ...envelope, choices: [], usage })] : [];
  return {
    all: [
      ...filter,
      ...deltasOf(composed, dialect).map((delta) => comment + chunk(delta, null)),
      chunk({}, composed.finishReason),
      ...last,
      ...(dialect.done ? ['data: [DONE]\n\n'] : []),
    ],
    ping: ': ping\n\n',
    unknown: frame({ ...envelope, choices: [], weather: 'cloudy' }),
    error: ({ type = 'overloaded_error', message = 'Overloaded' }) => frame({ error: { message, type, code: null } }),
  };
};
