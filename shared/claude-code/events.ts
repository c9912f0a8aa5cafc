/** Parses the lines of the CLI's `stream-json` output that Fixpoint needs. Other lines are ignored. */
import { z } from 'zod';
import type { ModelUsage } from '../agent/model/model.ts';
import { jsonOrNull } from '../json-or-null.ts';

const Count = z.number().int().nonnegative().catch(0);

const Usage = z.object({
  input_tokens: Count.optional(),
  cache_creation_input_tokens: Count.optional(),
  cache_read_input_tokens: Count.optional(),
  output_tokens: Count.optional(),
  cache_creation: z.object({ ephemeral_1h_input_tokens: Count.optional() }).nullish(),
});
export type Usage = z.output<typeof Usage>;

const ModelTotal = z.object({
  inputTokens: Count,
  outputTokens: Count,
  cacheReadInputTokens: Count.default(0),
  cacheCreationInputTokens: Count.default(0),
  costUSD: z.number().nonnegative().catch(0),
});
export type ModelTotal = z.output<typeof ModelTotal>;

const Result = z.object({
  type: z.literal('result'),
  subtype: z.string(),
  is_error: z.boolean().default(false),
  api_error_status: z.number().int().nullish(),
  stop_reason: z.string().nullish(),
  result: z.string().nullish(),
  structured_output: z.unknown().optional(),
  modelUsage: z.record(z.string(), ModelTotal).default({}),
});

const StreamEvent = z.object({
  type: z.literal('stream_event'),
  event: z.discriminatedUnion('type', [
    z.object({ type: z.literal('message_start'), message: z.object({ usage: Usage.default({}) }) }),
    z.object({ type: z.literal('message_delta'), usage: Usage.default({}) }),
    z.object({
      type: z.literal('content_block_start'),
      content_block: z.object({ type: z.string(), name: z.string().optional() }),
    }),
    z.object({ type: z.literal('message_stop') }),
  ]),
});

const HAND_IN = 'StructuredOutput';

const Line = z.union([Result, StreamEvent]);

export type CliResult = {
  readonly subtype: string;
  readonly isError: boolean;
  /** HTTP status of the failed model call. Null when no call failed. */
  readonly apiStatus: number | null;
  readonly refused: boolean;
  /** The submitted object, or the last text when no object was submitted. */
  readonly answer: unknown;
  readonly totals: ReadonlyMap<string, ModelTotal>;
};

export type CliEvent =
  | { readonly kind: 'call_began'; readonly usage: Usage }
  | { readonly kind: 'call_counted'; readonly usage: Usage }
  /** The model submits its answer. The CLI calls the model again only if the answer does not match the schema. */
  | { readonly kind: 'handed_in' }
  | { readonly kind: 'call_ended' }
  | { readonly kind: 'result'; readonly result: CliResult };

export const usageOf = (usage: Usage): ModelUsage => ({
  uncachedInput: usage.input_tokens ?? 0,
  cacheWrite: usage.cache_creation_input_tokens ?? 0,
  cacheRead: usage.cache_read_input_tokens ?? 0,
  output: usage.output_tokens ?? 0,
  cacheWriteLong: usage.cache_creation?.ephemeral_1h_input_tokens ?? 0,
});

export const parseCliLine = (line: string): CliEvent | null => {
  const parsed = Line.safeParse(jsonOrNull(line));
  if (!parsed.success) return null;
  const { data } = parsed;
  if (data.type === 'result') return { kind: 'result', result: resultOf(data) };
  switch (data.event.type) {
    case 'message_start':
      return { kind: 'call_began', usage: data.event.message.usage };
    case 'message_delta':
      return { kind: 'call_counted', usage: data.event.usage };
    case 'content_block_start':
      return data.event.content_block.name === HAND_IN ? { kind: 'handed_in' } : null;
    case 'message_stop':
      return { kind: 'call_ended' };
    default:
      return data.event satisfies never;
  }
};

const resultOf = (result: z.output<typeof Result>): CliResult => ({
  subtype: result.subtype,
  isError: result.is_error,
  apiStatus: result.api_error_status ?? null,
  refused: result.stop_reason === 'refusal',
  answer: result.structured_output ?? result.result ?? '',
  totals: new Map(Object.entries(result.modelUsage)),
});
