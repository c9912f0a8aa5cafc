/** Formats a message as one JSON document or as a stream of events. */
import type { Composed, ComposedBlock } from './compose.ts';
import type { Frames } from './deliver.ts';
import type { Usage } from './prices.ts';
import { slices } from './pieces.ts';

const wireUsage = (usage: Usage): object => ({
  input_tokens: usage.inputTokens,
  cache_creation_input_tokens: usage.cacheWrite5mTokens + usage.cacheWrite1hTokens,
  cache_read_input_tokens: usage.cacheReadTokens,
  cache_creation: {
    ephemeral_5m_input_tokens: usage.cacheWrite5mTokens,
    ephemeral_1h_input_tokens: usage.cacheWrite1hTokens,
  },
  output_tokens: usage.outputTokens,
  output_tokens_details: usage.thinkingTokens === 0 ? null : { thinking_tokens: usage.thinkingTokens },
  server_tool_use: null,
  service_tier: 'standard',
  speed: null,
  inference_geo: 'not_available',
});

const endFields = (composed: Composed): object => ({
  stop_reason: composed.stopReason,
  stop_sequence: composed.stopSequence,
  stop_details: composed.stopDetails,
  container: null,
});

const envelope = ({ id, model }: Composed): object => ({
  id,
  type: 'message',
  role: 'assistant',
  model,
  diagnostics: null,
});

export const toJson = (composed: Composed): object => ({
  ...envelope(composed),
  content: composed.blocks.map(({ block }) => block),
  ...endFields(composed),
  usage: wireUsage(composed.usage),
});

export type WireEvent = { readonly type: string; readonly [key: string]: unknown };

type Opened = { readonly start: object; readonly deltas: readonly object[] };

const open = ({ block, inputJson }: ComposedBlock): Opened => {
  if (inputJson !== null) {
    const deltas = ['', ...slices(inputJson)].map((partial_json) => ({ type: 'input_json_delta', partial_json }));
    return { start: { ...block, input: {} }, deltas };
  }
  if (block.type === 'text') {
    const deltas = slices(String(block['text'])).map((text) => ({ type: 'text_delta', text }));
    return { start: { ...block, text: '' }, deltas };
  }
  if (block.type === 'thinking') {
    const deltas = slices(String(block['thinking'])).map((thinking) => ({ type: 'thinking_delta', thinking }));
    const signature = { type: 'signature_delta', signature: block['signature'] };
    return { start: { ...block, thinking: '', signature: '' }, deltas: [...deltas, signature] };
  }
  return { start: block, deltas: [] };
};

const blockEvents = (composed: ComposedBlock, index: number): readonly WireEvent[] => {
  const { start, deltas } = open(composed);
  return [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
};

/** Source: `RawMessageStreamEvent` in the SDK's types; the order is documented under streaming messages. */
export const toEvents = (composed: Composed): readonly WireEvent[] => {
  const empty = { content: [], stop_reason: null, stop_sequence: null, stop_details: null, container: null };
  const startUsage = wireUsage({ ...composed.usage, outputTokens: 1, thinkingTokens: 0 });
  return [
    { type: 'message_start', message: { ...envelope(composed), ...empty, usage: startUsage } },
    ...composed.blocks.flatMap(blockEvents),
    { type: 'message_delta', delta: endFields(composed), usage: wireUsage(composed.usage) },
    { type: 'message_stop' },
  ];
};

const frame = (event: WireEvent): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;

export const toFrames = (composed: Composed): Frames => ({
  all: toEvents(composed).map(frame),
  ping: frame({ type: 'ping' }),
  unknown: frame({ type: 'weather_report', cloudy: true }),
  error: ({ type = 'overloaded_error', message = 'Overloaded' }) => frame({ type: 'error', error: { type, message } }),
});
