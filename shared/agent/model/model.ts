/** Provider-neutral model interface. Stop reasons are values in the reply; failures are the classes of `model-errors.ts`. */
import { z } from 'zod';
import type { Effort } from './capabilities.ts';

/**
 * `cache`: the provider should cache the prefix up to and including this block. `long`: for an hour, because later conversations
 * begin with the same prefix.
 */
export const TextBlock = z.object({
  kind: z.literal('text'),
  text: z.string(),
  cache: z.union([z.boolean(), z.literal('long')]).optional(),
});
export type TextBlock = z.output<typeof TextBlock>;

/** `input` is written by the model and never trusted. It is usually an object, or the raw text if that was not valid JSON. */
export const ToolCallBlock = z.object({
  kind: z.literal('tool_call'),
  id: z.string(),
  name: z.string(),
  input: z.unknown(),
});
export type ToolCallBlock = z.output<typeof ToolCallBlock>;

/**
 * A block of the provider's own kind (such as thinking), which is sent back unchanged. `model`: the model that wrote it, if it
 * is not the first of its conversation.
 */
export const OpaqueBlock = z.object({ kind: z.literal('opaque'), value: z.unknown(), model: z.string().optional() });
export type OpaqueBlock = z.output<typeof OpaqueBlock>;

export const ToolResultBlock = z.object({
  kind: z.literal('tool_result'),
  callId: z.string(),
  text: z.string(),
  isError: z.boolean(),
});
export type ToolResultBlock = z.output<typeof ToolResultBlock>;

export const AssistantBlock = z.discriminatedUnion('kind', [TextBlock, ToolCallBlock, OpaqueBlock]);
export type AssistantBlock = z.output<typeof AssistantBlock>;

export const UserBlock = z.discriminatedUnion('kind', [TextBlock, ToolResultBlock]);
export type UserBlock = z.output<typeof UserBlock>;

export type Message =
  | { readonly role: 'user'; readonly blocks: readonly UserBlock[] }
  | { readonly role: 'assistant'; readonly blocks: readonly AssistantBlock[] };

export const ToolSchema = z.object({
  name: z.string(),
  description: z.string(),
  inputSchema: z.record(z.string(), z.unknown()),
});
export type ToolSchema = z.output<typeof ToolSchema>;

export type ModelRequest = {
  readonly model: string;
  readonly maxOutputTokens: number;
  readonly system: readonly TextBlock[];
  readonly tools: readonly ToolSchema[];
  /** The first and the last message have role `user`. */
  readonly messages: readonly Message[];
  /** How much the model should think; absent if the model has no such setting. */
  readonly effort?: Effort;
  /** The only tool that this answer may call, for servers that can enforce this. */
  readonly mustCall?: string;
};

/**
 * - `context_exceeded`: the answer was cut because the context window was full.
 * - `other`: a stop reason that Fixpoint does not know, treated as a cut answer.
 */
export const StopReason = z.enum([
  'end_turn',
  'tool_use',
  'max_tokens',
  'stop_sequence',
  'refusal',
  'pause_turn',
  'context_exceeded',
  'other',
]);
export type StopReason = z.output<typeof StopReason>;

const Count = z.number().int().nonnegative();

/** More than any call can use. The sums of larger numbers could not be counted exactly. */
const MAX_TOKENS = 1_000_000_000;

/** A number of tokens as a server reports it. */
export const TokenCount = z
  .number()
  .nonnegative()
  .transform((tokens) => Math.min(Math.ceil(tokens), MAX_TOKENS));

/** Tokens of one model call. The input tokens are the sum of the first three fields. */
export const ModelUsage = z.object({
  uncachedInput: Count,
  cacheWrite: Count,
  cacheRead: Count,
  output: Count,
  /** The part of `cacheWrite` that has a one-hour lifetime and costs more. */
  cacheWriteLong: Count,
});
export type ModelUsage = z.output<typeof ModelUsage>;

export const ModelReply = z.object({
  stopReason: StopReason,
  /** Set only for the stop reason `refusal`, if the provider names a category. */
  refusalCategory: z.string().nullable(),
  blocks: z.array(AssistantBlock),
  usage: ModelUsage,
  /** Set if the server reported no usage, so that it was estimated from the bytes. */
  isUsageEstimated: z.boolean().optional(),
});
export type ModelReply = z.output<typeof ModelReply>;

/**
 * Contract: makes exactly one request to the provider and has no other side effect. Throws a `ModelError`, or the
 * signal's reason when the caller aborted (`ModelCallStoppedError` before metering). Every other answer is a
 * `ModelReply`.
 */
export type Model = {
  readonly respond: (request: ModelRequest, signal: AbortSignal) => Promise<ModelReply>;
};

export const inputTokens = (usage: ModelUsage): number => usage.uncachedInput + usage.cacheWrite + usage.cacheRead;

export const totalTokens = (usage: ModelUsage): number => inputTokens(usage) + usage.output;
