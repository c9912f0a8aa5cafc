/** Schema of the body of `POST /v1/messages`. Source: `resources/messages/messages.d.ts` of the SDK. */
import { z } from 'zod';

const CacheControl = z.strictObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() });
export type CacheControl = z.output<typeof CacheControl>;

const cached = { cache_control: CacheControl.nullish() };

const TextBlock = z.strictObject({
  type: z.literal('text'),
  text: z.string(),
  citations: z.unknown().optional(),
  ...cached,
});
const ThinkingBlock = z.strictObject({ type: z.literal('thinking'), thinking: z.string(), signature: z.string() });
const RedactedThinking = z.strictObject({ type: z.literal('redacted_thinking'), data: z.string() });
const ToolUse = z.strictObject({
  type: z.literal('tool_use'),
  id: z.string().regex(/^[a-zA-Z0-9_-]+$/),
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,200}$/),
  input: z.record(z.string(), z.unknown()),
  caller: z.unknown().optional(),
  toolset_name: z.string().nullish(),
  ...cached,
});
const Media = z.looseObject({ type: z.enum(['image', 'document', 'search_result']), ...cached });
const ToolResult = z.strictObject({
  type: z.literal('tool_result'),
  tool_use_id: z.string(),
  content: z.union([z.string(), z.array(z.union([TextBlock, Media]))]).optional(),
  is_error: z.boolean().optional(),
  toolset_name: z.string().nullish(),
  ...cached,
});

const Block = z.discriminatedUnion('type', [TextBlock, ThinkingBlock, RedactedThinking, ToolUse, ToolResult, Media]);
export type Block = z.output<typeof Block>;

const Message = z.strictObject({
  role: z.enum(['user', 'assistant', 'system']),
  content: z.union([z.string(), z.array(Block)]),
});

const Tool = z.strictObject({
  name: z.string(),
  description: z.string().optional(),
  input_schema: z.looseObject({ type: z.literal('object') }),
  type: z.literal('custom').nullish(),
  strict: z.boolean().optional(),
  eager_input_streaming: z.boolean().nullish(),
  defer_loading: z.boolean().optional(),
  allowed_callers: z.array(z.string()).optional(),
  input_examples: z.array(z.looseObject({})).optional(),
  ...cached,
});
export type Tool = z.output<typeof Tool>;

const display = { display: z.enum(['summarized', 'omitted']).nullish() };
const Thinking = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('adaptive'), ...display }),
  z.strictObject({ type: z.literal('enabled'), budget_tokens: z.int().min(1024), ...display }),
  z.strictObject({ type: z.literal('disabled') }),
  z.strictObject({ type: z.literal('between_tools') }),
]);
export type Thinking = z.output<typeof Thinking>;

const parallel = { disable_parallel_tool_use: z.boolean().optional() };
const ToolChoice = z.discriminatedUnion('type', [
  z.strictObject({ type: z.literal('auto'), ...parallel }),
  z.strictObject({ type: z.literal('any'), ...parallel }),
  z.strictObject({ type: z.literal('tool'), name: z.string(), ...parallel }),
  z.strictObject({ type: z.literal('none') }),
]);

const OutputConfig = z.strictObject({
  effort: z.enum(['low', 'medium', 'high', 'xhigh', 'max']).nullish(),
  format: z.looseObject({ type: z.literal('json_schema') }).nullish(),
});

/** Fields of both counting and creating. */
const prompt = {
  model: z.string(),
  messages: z.array(Message).min(1).max(100_000),
  system: z.union([z.string(), z.array(TextBlock)]).optional(),
  tools: z.array(Tool).optional(),
  tool_choice: ToolChoice.optional(),
  thinking: Thinking.optional(),
  output_config: OutputConfig.optional(),
  cache_control: CacheControl.nullish(),
  speed: z.enum(['standard', 'fast']).nullish(),
};

export const CountRequest = z.strictObject(prompt);

export const CreateRequest = z.strictObject({
  ...prompt,
  max_tokens: z.int().min(0),
  stream: z.boolean().optional(),
  stop_sequences: z.array(z.string()).optional(),
  temperature: z.number().optional(),
  top_p: z.number().optional(),
  top_k: z.int().optional(),
  metadata: z.strictObject({ user_id: z.string().nullish() }).optional(),
  service_tier: z.enum(['auto', 'standard_only']).optional(),
  container: z.unknown().optional(),
  diagnostics: z.unknown().optional(),
  inference_geo: z.string().nullish(),
});
export type CreateRequest = z.output<typeof CreateRequest>;
/** A counting request lacks some fields of a creation; all rules about prompts apply to both. */
export type PromptRequest = z.output<typeof CountRequest> & Partial<CreateRequest>;
