import { expect, it } from 'vitest';
import { StreamEvent } from '../../../../../shared/agent/models/anthropic/schema.ts';
import {
  addEvent,
  EMPTY_STREAM,
  streamedUsage,
  streamReply,
  streamUsage,
} from '../../../../../shared/agent/models/anthropic/stream.ts';

const play = (...events: readonly unknown[]) =>
  events.map((event) => StreamEvent.parse(event)).reduce(addEvent, EMPTY_STREAM);

const start = {
  type: 'message_start',
  message: {
    usage: { input_tokens: 5, cache_read_input_tokens: 90, cache_creation_input_tokens: 7, output_tokens: 1 },
  },
};
const delta = { type: 'message_delta', delta: { stop_reason: 'end_turn' }, usage: { output_tokens: 30 } };
const stop = { type: 'message_stop' };
const expected = { uncachedInput: 5, cacheRead: 90, cacheWrite: 7, cacheWriteLong: 0, output: 30 };

it.each([
  ['left out', delta],
  [
    'null',
    {
      ...delta,
      usage: {
        output_tokens: 30,
        input_tokens: null,
        cache_read_input_tokens: null,
        cache_creation_input_tokens: null,
      },
    },
  ],
  ['repeated', { ...delta, usage: { ...start.message.usage, output_tokens: 30 } }],
])('keeps the counts of the beginning when they are %s at the end', (_name, event) => {
  expect(streamReply(play(start, event, stop))?.usage).toEqual(expected);
});

it('is no reply before its end, and knows what it cost until then', () => {
  const open = play(start, { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } });
  expect(streamReply(open)).toBeNull();
  expect(streamReply(play(start, stop))).toBeNull();
  expect(streamUsage(open)).toEqual({ ...expected, output: 1 });
  expect(streamUsage(EMPTY_STREAM)).toBeNull();
});

it('counts on the way what was written, because the whole text is too long to measure at each event', () => {
  const state = play(
    start,
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: 'ab' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'cdé' } },
    { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 'a', name: 'Read', input: {} } },
    { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"a":1}' } },
    { type: 'content_block_start', index: 2, content_block: { type: 'thinking', thinking: '' } },
    { type: 'content_block_delta', index: 2, delta: { type: 'thinking_delta', thinking: 'Hm.' } },
    { type: 'content_block_delta', index: 2, delta: { type: 'signature_delta', signature: 'x'.repeat(100) } },
  );
  const bytes = 2 + 4 + 7 + 3;
  for (const each of [state, { ...state, blocks: new Map() }])
    expect(streamedUsage(each, { ...expected, output: 1 }).output).toBe(bytes / 2);
});

it('puts blocks in the order of their numbers and passes over deltas that it does not know', () => {
  const blocks = play(
    start,
    { type: 'content_block_start', index: 1, content_block: { type: 'tool_use', id: 'a', name: 'Read', input: {} } },
    { type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '{"path":' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text: 'Hi' } },
    { type: 'content_block_delta', index: 0, delta: { type: 'news_delta', news: 'x' } },
    { type: 'content_block_delta', index: 1, delta: { type: 'input_json_delta', partial_json: '"a"}' } },
    { type: 'content_block_delta', index: 9, delta: { type: 'text_delta', text: 'nowhere' } },
    delta,
    stop,
  );
  expect(streamReply(blocks)?.blocks).toEqual([
    { kind: 'text', text: 'Hi' },
    { kind: 'tool_call', id: 'a', name: 'Read', input: { path: 'a' } },
  ]);
});
