import { estimateTokens } from '../../model/estimate-tokens.ts';
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
  /** What the model has written so far. Counted on the way, because the whole text is too long to measure at each event. */
  readonly bytes: number;
};

export const EMPTY_STREAM: StreamState = {
  blocks: new Map(),
  usage: null,
  stopReason: null,
  refusalCategory: null,
  stopped: false,
  bytes: 0,
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

const withBlock = (state: StreamState, index: number, partial: Partial, bytes: number): StreamState => ({
  ...state,
  blocks: new Map(state.blocks).set(index, partial),
  bytes: state.bytes + bytes,
});

const bytesOf = (...texts: readonly unknown[]): number =>
  texts.reduce<number>((sum, part) => sum + Buffer.byteLength(text(part)), 0);

/** Without signatures, which the provider adds. */
const bytesOfDelta = (delta: Delta): number => {
  switch (delta.type) {
    case 'text_delta':
      return bytesOf(delta.text);
    case 'input_json_delta':
      return bytesOf(delta.partial_json);
    case 'thinking_delta':
      return bytesOf(delta.thinking);
    case 'signature_delta':
      return 0;
    default:
      return delta satisfies never;
  }
};

export const addEvent = (state: StreamState, event: StreamEvent): StreamState => {
  switch (event.type) {
    case 'message_start':
      return { ...state, usage: event.message.usage };
    case 'content_block_start': {
      const { index, content_block: block } = event;
      return withBlock(state, index, { block, json: '' }, bytesOf(block['text'], block['thinking']));
    }
    case 'content_block_delta': {
      const partial = state.blocks.get(event.index);
      const { delta } = event;
      if (partial === undefined || !isDelta(delta)) return state;
      return withBlock(state, event.index, grow(partial, delta), bytesOfDelta(delta));
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

/** The provider reports output tokens only at the end; until then they are estimated from the streamed bytes. */
export const streamedUsage = ({ bytes, stopReason }: StreamState, usage: ModelUsage): ModelUsage =>
  stopReason === null ? { ...usage, output: Math.max(usage.output, estimateTokens(bytes)) } : usage;

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
