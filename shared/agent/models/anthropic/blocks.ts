import { z } from 'zod';
import type {
  AssistantBlock,
  Message,
  ModelReply,
  ModelRequest,
  TextBlock,
  ToolSchema,
  UserBlock,
} from '../../model/model.ts';
import { asId, asName, asObject } from '../../model/wire-words.ts';
import { asStopReason, asUsage, type ContentBlock, type Message as WireMessage } from './schema.ts';

const Text = z.object({ type: z.literal('text'), text: z.string() });
const ToolUse = z.object({ type: z.literal('tool_use'), id: z.string(), name: z.string(), input: z.unknown() });

const THINKING = new Set(['thinking', 'redacted_thinking']);

/** Unknown block kinds are dropped, because the API accepts only the kinds that it documents. */
const readBlock = (block: ContentBlock): readonly AssistantBlock[] => {
  const text = Text.safeParse(block);
  if (text.success) return [{ kind: 'text', text: text.data.text }];
  const call = ToolUse.safeParse(block);
  if (!call.success) return THINKING.has(block.type) ? [{ kind: 'opaque', value: block }] : [];
  const { id, name, input } = call.data;
  return [{ kind: 'tool_call', id, name, input }];
};

export const readMessage = ({ content, stop_reason, stop_details, usage }: WireMessage): ModelReply => ({
  stopReason: asStopReason(stop_reason),
  refusalCategory: stop_details?.category ?? null,
  blocks: content.flatMap(readBlock),
  usage: asUsage(usage),
});

const SHORT = { cache_control: { type: 'ephemeral' } } as const;
const LONG = { cache_control: { type: 'ephemeral', ttl: '1h' } } as const;

const writeText = ({ text, cache }: TextBlock) => ({
  type: 'text' as const,
  text,
  ...(cache === 'long' ? LONG : cache === true ? SHORT : {}),
});

const writeBlock = (block: AssistantBlock | UserBlock): unknown => {
  switch (block.kind) {
    case 'text':
      return writeText(block);
    case 'tool_call':
      return { type: 'tool_use', id: asId(block.id), name: asName(block.name), input: asObject(block.input) };
    case 'tool_result':
      return { type: 'tool_result', tool_use_id: asId(block.callId), content: block.text, is_error: block.isError };
    case 'opaque':
      return block.value;
    default:
      return block satisfies never;
  }
};

const MAX_BREAKPOINTS = 4;

/** The API refuses a fifth breakpoint. The last breakpoints save the most, because each covers everything before it. */
const keepBreakpoints = (request: ModelRequest): ModelRequest => {
  let spare = MAX_BREAKPOINTS;
  const keep = <Block extends AssistantBlock | UserBlock>(block: Block): Block => {
    if (block.kind !== 'text' || (block.cache ?? false) === false) return block;
    spare -= 1;
    return spare >= 0 ? block : { ...block, cache: false };
  };
  const messages = request.messages.toReversed().map((message): Message => {
    if (message.role === 'user') return { role: 'user', blocks: message.blocks.toReversed().map(keep).toReversed() };
    return { role: 'assistant', blocks: message.blocks.toReversed().map(keep).toReversed() };
  });
  const system = request.system.toReversed().map(keep).toReversed();
  return { ...request, messages: messages.toReversed(), system };
};

const writeTool = ({ name, description, inputSchema }: ToolSchema) => ({
  name,
  description,
  input_schema: inputSchema,
});

const withoutLong = <Block extends AssistantBlock | UserBlock>(block: Block): Block =>
  block.kind === 'text' && block.cache === 'long' ? { ...block, cache: true } : block;

const shortened = (request: ModelRequest): ModelRequest => ({
  ...request,
  system: request.system.map(withoutLong),
  messages: request.messages.map((message): Message => {
    if (message.role === 'user') return { role: 'user', blocks: message.blocks.map(withoutLong) };
    return { role: 'assistant', blocks: message.blocks.map(withoutLong) };
  }),
});

/** Builds the request body without sampling parameters or a forced tool choice, which newer models refuse. */
export const writeRequest = (request: ModelRequest, { longCache }: { readonly longCache: boolean }) => {
  const kept = keepBreakpoints(longCache ? request : shortened(request));
  const { model, maxOutputTokens, system, tools, messages, effort } = kept;
  return {
    model,
    max_tokens: maxOutputTokens,
    system: system.map(writeText),
    ...(tools.length === 0 ? {} : { tools: tools.map(writeTool) }),
    ...(effort === undefined ? {} : { output_config: { effort } }),
    messages: messages.map(({ role, blocks }) => ({ role, content: blocks.map(writeBlock) })),
  };
};
