import type { ModelReply, ModelUsage } from '../../model/model.ts';
import { asUsage, type ContentBlock, type Delta, isDelta, mergeUsage, type StreamEvent, type Usage } from './schema.ts';
import { readMessage } from './blocks.ts';

type Partial = { readonly block: ContentBlock; readonly json: string };

export type StreamState = {
  readonly blocks: ReadonlyMap<number, Partial>;
  readonly usage: Usage | null;
  readonly stopReason: string | null;
  readonly refusalCategory: string | null;
  readonly stopped: boolean;
};

export const EMPTY_STREAM: StreamState = {
  blocks: new Map(),
  usage: null,
  stopReason: null,
  refusalCategory: null,
  stopped: false,
};

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

const grow = ({ block, json }: Partial, delta: Delta): Partial => {
  switch (delta.type) {
    case 'text_delta':
      return { block: { ...block, text: text(block['text']) + delta.text }, json };
    case 'input_json_delta':
      return { block, json: json + delta.partial_json };
    case 'thinking_delta':
      return { block: { ...block, thinking: text(block['thinking']) + delta.thinking }, json };
    case 'signature_delta':
      return { block: { ...block, signature: text(block['signature']) + delta.signature }, json };
    default:
      return delta satisfies never;
  }
};

const withBlock = (state: StreamState, index: number, partial: Partial): StreamState => ({
  ...state,
  blocks: new Map(state.blocks).set(index, partial),
});

export const addEvent = (state: StreamState, event: StreamEvent): StreamState => {
  switch (event.type) {
    case 'message_start':
      return { ...state, usage: event.message.usage };
    case 'content_block_start':
      return withBlock(state, event.index, { block: event.content_block, json: '' });
    case 'content_block_delta': {
      const partial = state.blocks.get(event.index);
      const { delta } = event;
      return partial === undefined || !isDelta(delta) ? state : withBlock(state, event.index, grow(partial, delta));
    }
    case 'content_block_stop':
      return state;
    case 'message_delta':
      return {
        ...state,
        usage: mergeUsage(state.usage ?? {}, event.usage),
        stopReason: event.delta.stop_reason ?? state.stopReason,
        refusalCategory: event.delta.stop_details?.category ?? state.refusalCategory,
      };
    case 'message_stop':
      return { ...state, stopped: true };
    default:
      return event satisfies never;
  }
};

/** Tool input arrives as JSON fragments. Invalid JSON stays text; the tool then reports the error. */
const finish = ({ block, json }: Partial): ContentBlock => {
  if (json === '') return block;
  try {
    return { ...block, input: JSON.parse(json) };
  } catch {
    return { ...block, input: json };
  }
};

export const streamUsage = ({ usage }: StreamState): ModelUsage | null => (usage === null ? null : asUsage(usage));

/** About three bytes make one token. Dividing by two makes sure that the estimate is too high rather than too low. */
const BYTES_PER_TOKEN = 2;

const bytesOf = ({ block, json }: Partial): number =>
  [text(block['text']), text(block['thinking']), json].reduce((sum, part) => sum + Buffer.byteLength(part), 0);

/** The provider reports output tokens only at the end; until then they are estimated from the streamed bytes. */
export const streamedUsage = ({ blocks, stopReason }: StreamState, usage: ModelUsage): ModelUsage => {
  if (stopReason !== null) return usage;
  const bytes = [...blocks.values()].reduce((sum, partial) => sum + bytesOf(partial), 0);
  return { ...usage, output: Math.max(usage.output, Math.ceil(bytes / BYTES_PER_TOKEN)) };
};

export const streamReply = (state: StreamState): ModelReply | null => {
  if (!state.stopped || state.usage === null || state.stopReason === null) return null;
  const blocks = [...state.blocks].toSorted(([one], [other]) => one - other).map(([, partial]) => finish(partial));
  return readMessage({
    content: blocks,
    stop_reason: state.stopReason,
    stop_details: { category: state.refusalCategory },
    usage: state.usage,
  });
};
