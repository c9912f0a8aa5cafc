/**
 * What the loop says to a model and what it hears: our own words, translated at the adapter. A turn always ends in a
 * value, whatever the stop reason; what goes wrong on the way is one of the classes in `model-errors.ts`.
 */
import { z } from 'zod';

/** `cache`: the prefix up to and including this block is worth keeping at the provider. */
export const TextBlock = z.object({ kind: z.literal('text'), text: z.string(), cache: z.boolean().optional() });
export type TextBlock = z.output<typeof TextBlock>;

/** `input` is what the model wrote: an object as a rule, its raw text when that was no JSON. Never trusted. */
export const ToolCallBlock = z.object({
  kind: z.literal('tool_call'),
  id: z.string(),
  name: z.string(),
  input: z.unknown(),
});
export type ToolCallBlock = z.output<typeof ToolCallBlock>;

/** A provider's own block (thinking), kept to be handed back byte for byte. */
export const OpaqueBlock = z.object({ kind: z.literal('opaque'), value: z.unknown() });
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

/** A tool as the model sees it. */
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
  /** Begins and ends with a message of the user. */
  readonly messages: readonly Message[];
};

/**
 * - `context_exceeded`: the answer was cut because the context window was full.
 * - `other`: a reason that we do not know; treated as an answer that was cut.
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

/** Tokens of one call. The whole input is the sum of the first three. */
export const ModelUsage = z.object({
  uncachedInput: Count,
  cacheWrite: Count,
  cacheRead: Count,
  output: Count,
  /** The part of `cacheWrite` that is kept for an hour and costs more. */
  cacheWriteLong: Count,
});
export type ModelUsage = z.output<typeof ModelUsage>;

export const ModelReply = z.object({
  stopReason: StopReason,
  /** Only with `refusal`, when the provider names one. */
  refusalCategory: z.string().nullable(),
  blocks: z.array(AssistantBlock),
  usage: ModelUsage,
});
export type ModelReply = z.output<typeof ModelReply>;

/**
 * Contract: makes exactly one request to the provider. Throws a `ModelError` (`ModelCallStoppedError` or the signal's
 * reason when the caller aborted); everything else that a model can answer is a `ModelReply`. Changes nothing anywhere.
 */
export type Model = {
  readonly respond: (request: ModelRequest, signal: AbortSignal) => Promise<ModelReply>;
};

export const inputTokens = (usage: ModelUsage): number => usage.uncachedInput + usage.cacheWrite + usage.cacheRead;

export const totalTokens = (usage: ModelUsage): number => inputTokens(usage) + usage.output;
