/** The parts of the API that are read; unknown fields and kinds are tolerated. https://docs.anthropic.com/en/api/messages */
import { z } from 'zod';
import { StopReason, type ModelUsage, TokenCount } from '../../model/model.ts';

const Count = TokenCount.nullish();

export const Usage = z.object({
  input_tokens: Count,
  output_tokens: Count,
  cache_creation_input_tokens: Count,
  cache_read_input_tokens: Count,
  cache_creation: z.object({ ephemeral_1h_input_tokens: Count }).nullish(),
});
export type Usage = z.output<typeof Usage>;

export const ContentBlock = z.looseObject({ type: z.string() });
export type ContentBlock = z.output<typeof ContentBlock>;

const StopDetails = z.object({ category: z.string().nullish() }).nullish();

export const Message = z.object({
  content: z.array(ContentBlock),
  stop_reason: z.string().nullish(),
  stop_details: StopDetails,
  usage: Usage,
});
export type Message = z.output<typeof Message>;

const Index = z.number().int().nonnegative().max(10_000);

const Delta = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text_delta'), text: z.string() }),
  z.object({ type: z.literal('input_json_delta'), partial_json: z.string() }),
  z.object({ type: z.literal('thinking_delta'), thinking: z.string() }),
  z.object({ type: z.literal('signature_delta'), signature: z.string() }),
]);
export type Delta = z.output<typeof Delta>;

export const StreamEvent = z.discriminatedUnion('type', [
  z.object({ type: z.literal('message_start'), message: z.object({ usage: Usage }) }),
  z.object({ type: z.literal('content_block_start'), index: Index, content_block: ContentBlock }),
  z.object({
    type: z.literal('content_block_delta'),
    index: Index,
    delta: z.union([Delta, z.object({ type: z.string() })]),
  }),
  z.object({ type: z.literal('content_block_stop'), index: Index }),
  z.object({
    type: z.literal('message_delta'),
    delta: z.object({ stop_reason: z.string().nullish(), stop_details: StopDetails }),
    usage: Usage.nullish(),
  }),
  z.object({ type: z.literal('message_stop') }),
]);
export type StreamEvent = z.output<typeof StreamEvent>;

export const isDelta = (delta: { readonly type: string }): delta is Delta => Delta.safeParse(delta).success;

export const ErrorBody = z.object({
  error: z.object({ type: z.string().nullish(), message: z.string().nullish().catch(null) }),
});

export const asUsage = (usage: Usage): ModelUsage => ({
  uncachedInput: usage.input_tokens ?? 0,
  cacheWrite: usage.cache_creation_input_tokens ?? 0,
  cacheRead: usage.cache_read_input_tokens ?? 0,
  output: usage.output_tokens ?? 0,
  cacheWriteLong: usage.cache_creation?.ephemeral_1h_input_tokens ?? 0,
});

/** Usage reports of one stream are running totals: present values replace earlier values, and absent values keep them. */
export const mergeUsage = (earlier: Usage, later: Usage | null | undefined): Usage => {
  const named = Object.entries(later ?? {}).filter(([, value]) => value !== null && value !== undefined);
  return { ...earlier, ...Object.fromEntries(named) };
};

export const asStopReason = (reason: string | null | undefined): StopReason => {
  if (reason === 'model_context_window_exceeded') return 'context_exceeded';
  const known = StopReason.safeParse(reason);
  return known.success ? known.data : 'other';
};
