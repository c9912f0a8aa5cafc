/**
 * The parts of a chat completion that are read. Servers differ in everything else, so unknown fields are tolerated and null
 * counts as absent. https://platform.openai.com/docs/api-reference/chat
 */
import { z } from 'zod';
import { type ModelUsage, type StopReason, TokenCount } from '../../model/model.ts';
import { isDeep, shallowValue } from '../../model/shallow-reply.ts';

const Count = TokenCount.nullish();

export const Usage = z.object({
  prompt_tokens: Count,
  completion_tokens: Count,
  total_tokens: Count,
  /** `cache_write_tokens`: OpenRouter. */
  prompt_tokens_details: z.object({ cached_tokens: Count, cache_write_tokens: Count }).nullish(),
  /** LiteLLM, for providers that charge for writing to the cache. */
  cache_creation_input_tokens: Count,
  cache_read_input_tokens: Count,
  /** DeepSeek. */
  prompt_cache_hit_tokens: Count,
});
export type Usage = z.output<typeof Usage>;

/**
 * A stream sends a call in fragments. Some servers leave out `index` or `id`, or send the arguments as an object. What is
 * nested too deeply is replaced here, before anything writes it as JSON.
 */
const CallPart = z.object({
  index: z.number().int().nonnegative().max(10_000).nullish(),
  id: z.string().nullish(),
  function: z
    .object({ name: z.string().nullish(), arguments: z.unknown().transform(shallowValue).optional() })
    .nullish(),
  /** Gemini: the signature of the thought behind the call, which must be sent back with the call. */
  extra_content: z.unknown().optional(),
});
export type CallPart = z.output<typeof CallPart>;

const TextPart = z.looseObject({ type: z.string(), text: z.string().nullish() });

const Content = z.union([z.string(), z.array(TextPart)]).nullish();

const ReasoningDetail = z.looseObject({ type: z.string(), index: z.number().nullish() });
export type ReasoningDetail = z.output<typeof ReasoningDetail>;

/** A whole message, or the part of it in one chunk. */
export const MessagePart = z.object({
  content: Content,
  refusal: z.string().nullish(),
  tool_calls: z.array(CallPart).nullish(),
  /**
   * Visible reasoning: the first field is from DeepSeek and others, the second from Ollama, vLLM and OpenRouter, the
   * third from OpenRouter.
   */
  reasoning_content: z.string().nullish(),
  reasoning: z.string().nullish(),
  reasoning_details: z
    .array(ReasoningDetail)
    .transform((details) => details.filter((detail) => !isDeep(detail)))
    .nullish(),
});
export type MessagePart = z.output<typeof MessagePart>;

const Choice = z.object({
  index: z.number().int().nullish(),
  message: MessagePart.nullish(),
  delta: MessagePart.nullish(),
  finish_reason: z.string().nullish(),
});

/** Also the format of a chunk of a stream. The last chunk may have usage and no choice. */
export const Completion = z.object({
  choices: z
    .array(Choice)
    .nullish()
    .transform((choices) => choices ?? []),
  usage: Usage.nullish(),
});
export type Completion = z.output<typeof Completion>;

export const asUsage = (usage: Usage): ModelUsage => {
  const { prompt_tokens_details: details } = usage;
  const prompt = usage.prompt_tokens ?? 0;
  const cacheRead = Math.min(
    prompt,
    details?.cached_tokens ?? usage.cache_read_input_tokens ?? usage.prompt_cache_hit_tokens ?? 0,
  );
  const cacheWrite = Math.min(
    prompt - cacheRead,
    details?.cache_write_tokens ?? usage.cache_creation_input_tokens ?? 0,
  );
  // Some servers count reasoning only in the total.
  const output = Math.max(usage.completion_tokens ?? 0, (usage.total_tokens ?? 0) - prompt);
  return { uncachedInput: prompt - cacheRead - cacheWrite, cacheRead, cacheWrite, cacheWriteLong: 0, output };
};

const REASONS: Readonly<Record<string, StopReason>> = {
  stop: 'end_turn',
  eos: 'end_turn',
  eos_token: 'end_turn',
  stop_sequence: 'stop_sequence',
  tool_calls: 'tool_use',
  function_call: 'tool_use',
  length: 'max_tokens',
  content_filter: 'refusal',
  model_length: 'context_exceeded',
};

export const asStopReason = (reason: string | null): StopReason =>
  reason !== null && Object.hasOwn(REASONS, reason) ? (REASONS[reason] ?? 'other') : 'other';
