/** A chat request as a request of the Messages API, so that scripts, counting and logs are the same on both wires. */
import type { Block, CreateRequest } from '../messages/request.ts';
import type { ChatRequest, Message } from './request.ts';

type Content = Message['content'];

const textBlocks = (content: Content): readonly Block[] => {
  if (content === null || content === undefined || content === '') return [];
  if (typeof content === 'string') return [{ type: 'text', text: content }];
  return content.map(({ text, cache_control }) => ({
    type: 'text',
    text,
    ...(cache_control === undefined ? {} : { cache_control }),
  }));
};

export const wordsOf = (content: Content): string =>
  typeof content === 'string' ? content : (content ?? []).map(({ text }) => text).join('\n\n');

const blocksOf = (message: Message): readonly Block[] => {
  switch (message.role) {
    case 'tool':
      return [{ type: 'tool_result', tool_use_id: message.tool_call_id, content: message.content }];
    case 'assistant': {
      const calls = (message.tool_calls ?? []).map(
        ({ id, function: { name, arguments: json } }): Block => ({
          type: 'tool_use',
          id,
          name,
          // Safe cast: the schema has checked that the arguments are an object.
          input: JSON.parse(json) as Record<string, unknown>,
        }),
      );
      return [...textBlocks(message.content), ...calls];
    }
    case 'system':
    case 'user':
      return textBlocks(message.content);
    default:
      return message satisfies never;
  }
};

export const limitOf = ({ max_tokens, max_completion_tokens }: ChatRequest): number | null =>
  max_completion_tokens ?? max_tokens ?? null;

export const asMessages = (request: ChatRequest): CreateRequest => {
  const { model, messages, tools = [], stream } = request;
  const [first] = messages;
  const system = first?.role === 'system' ? textBlocks(first.content) : [];
  return {
    model,
    max_tokens: limitOf(request) ?? Number.MAX_SAFE_INTEGER,
    system: system.flatMap((block) => (block.type === 'text' ? [block] : [])),
    messages: messages
      .filter(({ role }) => role !== 'system')
      .map((message) => ({
        role: message.role === 'assistant' ? ('assistant' as const) : ('user' as const),
        content: [...blocksOf(message)],
      })),
    tools: tools.map(({ function: { name, description, parameters } }) => ({
      name,
      description,
      input_schema: parameters,
    })),
    ...(stream === undefined ? {} : { stream }),
  };
};
