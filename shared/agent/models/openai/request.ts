/** Writes a request in the format of chat completions. */
import type { AssistantBlock, Message, ModelRequest, TextBlock, ToolSchema, UserBlock } from '../../model/model.ts';
import type { Capabilities } from '../../model/capabilities.ts';
import { asId, asName, asObject } from '../../model/wire-words.ts';
import { Reasoning } from './reasoning.ts';

type WireMessage = { readonly role: 'system' | 'user' | 'assistant' | 'tool'; readonly [field: string]: unknown };

type CachedText = Pick<TextBlock, 'text' | 'cache'>;

const CACHE = { cache_control: { type: 'ephemeral' } };

/**
 * True also for a mark of the one-hour cache. These servers do not have that cache, so their normal cache is requested.
 */
const isMarked = ({ cache = false }: Pick<TextBlock, 'cache'>): boolean => cache !== false;

const joined = (texts: readonly CachedText[]): string => texts.map(({ text }) => text).join('\n\n');

/**
 * Returns a string if possible, because every server accepts a string. Content parts are needed only for cache
 * breakpoints.
 */
const writeTexts = (texts: readonly CachedText[], marksCache: boolean): unknown =>
  marksCache && texts.some(isMarked)
    ? texts.map((block) => ({ type: 'text', text: block.text, ...(isMarked(block) ? CACHE : {}) }))
    : joined(texts);

const textsOf = (blocks: readonly (AssistantBlock | UserBlock)[]): readonly TextBlock[] =>
  blocks.flatMap((block) => (block.kind === 'text' ? [block] : []));

const writeCalls = (blocks: readonly AssistantBlock[], extras: Reasoning['call_extras'] = {}): readonly object[] =>
  blocks
    .filter((block) => block.kind === 'tool_call')
    .map(({ id, name, input }, at) => {
      const extra = extras[`#${at}`] ?? (Object.hasOwn(extras, id) ? extras[id] : undefined);
      return {
        id: asId(id),
        type: 'function',
        ...(extra === undefined ? {} : { extra_content: extra }),
        // Servers parse the arguments for the chat template, and refuse text that is not an object.
        function: { name: asName(name), arguments: JSON.stringify(asObject(input)) },
      };
    });

const reasoningOf = (blocks: readonly AssistantBlock[]): Reasoning =>
  blocks.reduce<Reasoning>((known, block) => {
    const parsed = block.kind === 'opaque' ? Reasoning.safeParse(block.value) : null;
    return parsed?.success === true ? { ...known, ...parsed.data } : known;
  }, {});

/** A message of reasoning alone is left out: servers refuse an answer with neither text nor calls. */
const writeAssistant = (blocks: readonly AssistantBlock[]): readonly WireMessage[] => {
  const texts = textsOf(blocks);
  const { call_extras: extras, ...reasoning } = reasoningOf(blocks);
  const calls = writeCalls(blocks, extras);
  if (texts.length === 0 && calls.length === 0) return [];
  const content = texts.length === 0 ? null : joined(texts);
  if (calls.length === 0) return [{ role: 'assistant', content }];
  return [{ role: 'assistant', content, tool_calls: calls, ...reasoning }];
};

/** The format has no field for a failed call. */
const resultText = (text: string, isError: boolean): string => (isError ? `Error: ${text}` : text);

const writeUser = (blocks: readonly UserBlock[], marksCache: boolean): readonly WireMessage[] => {
  const results = blocks.flatMap((block): readonly WireMessage[] =>
    block.kind === 'tool_result'
      ? [{ role: 'tool', tool_call_id: asId(block.callId), content: resultText(block.text, block.isError) }]
      : [],
  );
  const texts = textsOf(blocks);
  return texts.length === 0 ? results : [...results, { role: 'user', content: writeTexts(texts, marksCache) }];
};

/**
 * Joins user messages that follow each other because an answer was left out: chat templates require turns to alternate.
 */
const withoutGaps = (messages: readonly Message[]): readonly Message[] => {
  const kept: Message[] = [];
  for (const message of messages) {
    if (message.role === 'assistant' && writeAssistant(message.blocks).length === 0) continue;
    const last = kept.at(-1);
    if (message.role === 'user' && last?.role === 'user') {
      kept[kept.length - 1] = { role: 'user', blocks: [...last.blocks, ...message.blocks] };
    } else kept.push(message);
  }
  return kept;
};

const MAX_BREAKPOINTS = 4;

/** Keeps only the last breakpoints, because providers refuse a fifth one. */
const keepBreakpoints = (messages: readonly Message[], spare: number): readonly Message[] => {
  let left = spare;
  const keep = (block: UserBlock): UserBlock => {
    if (block.kind !== 'text' || !isMarked(block)) return block;
    left -= 1;
    return left >= 0 ? block : { ...block, cache: false };
  };
  return messages
    .toReversed()
    .map(
      (message): Message =>
        message.role === 'user'
          ? { role: 'user', blocks: message.blocks.toReversed().map(keep).toReversed() }
          : message,
    )
    .toReversed();
};

const writeMessages = ({ system, messages }: ModelRequest, marksCache: boolean): readonly WireMessage[] => {
  const own = system.some(isMarked) ? 1 : 0;
  // One breakpoint, at the last marked block: everything before it is part of the same prefix.
  const last = system.findLastIndex(isMarked);
  const texts = system.map((block, at) => ({ ...block, cache: at === last }));
  const first: readonly WireMessage[] =
    system.length === 0 ? [] : [{ role: 'system', content: writeTexts(texts, marksCache) }];
  const rest = keepBreakpoints(withoutGaps(messages), MAX_BREAKPOINTS - own).flatMap((message) =>
    message.role === 'assistant' ? writeAssistant(message.blocks) : writeUser(message.blocks, marksCache),
  );
  return [...first, ...rest];
};

const writeTool = ({ name, description, inputSchema }: ToolSchema) => ({
  type: 'function',
  function: { name, description, parameters: inputSchema },
});

const toolChoice = ({ mustCall }: ModelRequest, { forcedTool }: Capabilities): object =>
  mustCall === undefined || !forcedTool ? {} : { tool_choice: { type: 'function', function: { name: mustCall } } };

/**
 * If the server cannot force a tool, the answer is restricted to the tool's schema, and the loop reads it as a call.
 */
const answerFormat = ({ mustCall, tools }: ModelRequest, { forcedTool, jsonSchema }: Capabilities): object | null => {
  const schema = tools.find(({ name }) => name === mustCall)?.inputSchema;
  if (schema === undefined || forcedTool || !jsonSchema) return null;
  return { response_format: { type: 'json_schema', json_schema: { name: mustCall, schema } } };
};

const toolFields = (request: ModelRequest, capabilities: Capabilities): object => {
  if (request.tools.length === 0) return {};
  const format = answerFormat(request, capabilities);
  if (format !== null) return format;
  const { parallelTools } = capabilities;
  return {
    tools: request.tools.map(writeTool),
    ...(parallelTools === null ? {} : { parallel_tool_calls: parallelTools }),
    ...toolChoice(request, capabilities),
  };
};

export type Writing = { readonly stream: boolean; readonly capabilities: Capabilities };

/** Without sampling parameters, which reasoning models refuse. */
export const writeRequest = (
  request: ModelRequest,
  { stream, capabilities }: Writing,
): Readonly<Record<string, unknown>> => ({
  model: request.model,
  messages: writeMessages(request, capabilities.cacheBreakpoints),
  ...toolFields(request, capabilities),
  [capabilities.outputLimit]: request.maxOutputTokens,
  ...(request.effort === undefined ? {} : { reasoning_effort: request.effort }),
  stream,
  ...(stream ? { stream_options: { include_usage: true } } : {}),
});
