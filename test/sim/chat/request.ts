/** Schema of the body of `POST /chat/completions`. Source: `resources/chat/completions` of the SDK. */
import { z } from 'zod';

const Cache = z.strictObject({ type: z.literal('ephemeral'), ttl: z.enum(['5m', '1h']).optional() });

const Part = z.strictObject({ type: z.literal('text'), text: z.string(), cache_control: Cache.optional() });

const Content = z.union([z.string(), z.array(Part).min(1)]);

/** Servers parse the arguments for the chat template, which takes only an object. */
const Arguments = z.string().refine((text) => {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value);
  } catch {
    return false;
  }
}, 'Invalid JSON arguments');

const ToolCall = z.strictObject({
  id: z.string().min(1).max(256),
  type: z.literal('function'),
  function: z.strictObject({ name: z.string().regex(/^[a-zA-Z0-9_-]{1,128}$/), arguments: Arguments }),
  extra_content: z.strictObject({ google: z.strictObject({ thought_signature: z.string() }) }).optional(),
});

const Message = z.discriminatedUnion('role', [
  z.strictObject({ role: z.literal('system'), content: Content }),
  z.strictObject({ role: z.literal('user'), content: Content }),
  z.strictObject({
    role: z.literal('assistant'),
    content: Content.nullish(),
    tool_calls: z.array(ToolCall).min(1).optional(),
    reasoning_content: z.string().optional(),
    reasoning: z.string().optional(),
    reasoning_details: z.array(z.looseObject({ type: z.string() })).optional(),
  }),
  z.strictObject({ role: z.literal('tool'), content: z.string(), tool_call_id: z.string().min(1) }),
]);
export type Message = z.output<typeof Message>;

const Tool = z.strictObject({
  type: z.literal('function'),
  function: z.strictObject({
    name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
    description: z.string(),
    parameters: z.looseObject({ type: z.literal('object') }),
  }),
});

const ToolChoice = z.union([
  z.enum(['auto', 'none', 'required']),
  z.strictObject({ type: z.literal('function'), function: z.strictObject({ name: z.string() }) }),
]);

export const ChatRequest = z.strictObject({
  model: z.string(),
  messages: z.array(Message).min(1),
  tools: z.array(Tool).min(1).optional(),
  tool_choice: ToolChoice.optional(),
  parallel_tool_calls: z.boolean().optional(),
  max_tokens: z.int().min(1).optional(),
  max_completion_tokens: z.int().min(1).optional(),
  reasoning_effort: z.string().optional(),
  response_format: z.looseObject({ type: z.string() }).optional(),
  stream: z.boolean().optional(),
  stream_options: z.strictObject({ include_usage: z.boolean() }).optional(),
});
export type ChatRequest = z.output<typeof ChatRequest>;
