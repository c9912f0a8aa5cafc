/** What the API and its servers refuse beyond the format of a request. */
import { type ApiProblem, invalid } from '../messages/api-problem.ts';
import type { Dialect } from './dialect.ts';
import { limitOf, wordsOf } from './as-messages.ts';
import type { ChatRequest, Message } from './request.ts';

const refused = (message: string): ApiProblem => invalid(message);

const checkOrder = (messages: readonly Message[]): string | null => {
  let open: readonly string[] = [];
  const seen = new Set<string>();
  for (const [at, message] of messages.entries()) {
    const where = `messages.[${at}]`;
    if (message.role === 'system' && at > 0) return `${where}: a system message must be the first`;
    if (message.role === 'tool') {
      if (!open.includes(message.tool_call_id))
        return `${where}: no tool_call with id ${message.tool_call_id} before it`;
      open = open.filter((id) => id !== message.tool_call_id);
      continue;
    }
    if (open.length > 0) return `${where}: tool_call_ids without a tool message: ${open.join(', ')}`;
    if (message.role !== 'assistant') continue;
    const ids = (message.tool_calls ?? []).map(({ id }) => id);
    if (ids.some((id) => seen.has(id)) || new Set(ids).size < ids.length) return `${where}: duplicate tool_call id`;
    for (const id of ids) seen.add(id);
    open = ids;
  }
  return open.length > 0 ? `tool_call_ids without a tool message: ${open.join(', ')}` : null;
};

const checkTurns = (messages: readonly Message[]): string | null => {
  const talk = messages.filter(({ role }) => role !== 'system');
  if (talk[0]?.role !== 'user') return 'the conversation must begin with a user message';
  if (talk.at(-1)?.role === 'assistant') return 'the conversation must end with a user or tool message';
  for (const [at, { role, content, ...rest }] of talk.entries()) {
    const hasCalls = 'tool_calls' in rest && rest.tool_calls !== undefined;
    if (role !== 'tool' && wordsOf(content).trim() === '' && !hasCalls)
      return `message ${at} has neither text nor calls`;
    if ((role === 'user' || role === 'assistant') && talk[at - 1]?.role === role) {
      return 'conversation roles must alternate user/assistant/user/assistant/...';
    }
  }
  return null;
};

const REASONING = ['reasoning_content', 'reasoning', 'reasoning_details'] as const;

export const signatureOf = (name: string): object => ({ google: { thought_signature: `signed ${name}` } });

const checkSignatures = (messages: readonly Message[], { signsCalls }: Dialect): string | null => {
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    for (const { extra_content: extra, function: called } of message.tool_calls ?? []) {
      const expected = signsCalls ? JSON.stringify(signatureOf(called.name)) : undefined;
      if (JSON.stringify(extra) !== expected)
        return 'Function call is missing a thought_signature in functionCall parts.';
    }
  }
  return null;
};

const checkReasoning = (messages: readonly Message[], { reasoning, needsReasoning }: Dialect): string | null => {
  for (const message of messages) {
    if (message.role !== 'assistant') continue;
    const has = REASONING.filter((field) => message[field] !== undefined);
    if (has.some((field) => field !== reasoning)) return `unknown field ${has.join(', ')}`;
    if (has.length > 0 && message.tool_calls === undefined)
      return `${reasoning} must not be in the input without tool calls`;
    if (needsReasoning && message.tool_calls !== undefined && has.length === 0) {
      return `The \`${reasoning}\` in the thinking mode must be passed back to the API.`;
    }
  }
  return null;
};

const checkFields = (request: ChatRequest, dialect: Dialect): string | null => {
  const { tools, tool_choice, parallel_tool_calls: parallel, response_format: format } = request;
  const limits = (['max_tokens', 'max_completion_tokens'] as const).filter((field) => request[field] !== undefined);
  const wrong = limits.find((field) => !dialect.outputLimits.includes(field));
  if (wrong !== undefined) {
    return `Unsupported parameter: '${wrong}' is not supported with this model. Use '${dialect.outputLimits[0]}' instead.`;
  }
  if (limits.length !== 1) return 'exactly one output limit is expected';
  if (tools === undefined && (tool_choice !== undefined || parallel !== undefined)) {
    return "'tool_choice' and 'parallel_tool_calls' are only allowed when 'tools' are specified.";
  }
  if (parallel !== undefined && dialect.parallel === 'refused') {
    return "Unsupported parameter: 'parallel_tool_calls' is not supported with this model.";
  }
  if (typeof tool_choice === 'object' && !dialect.forcedTool) return 'tool_choice: only "auto" is supported';
  if (format !== undefined && !dialect.jsonSchema) return 'response_format is not supported';
  if (request.stream_options !== undefined && request.stream !== true) {
    return "The 'stream_options' parameter is only allowed when 'stream' is enabled.";
  }
  return null;
};

export const checkRequest = (request: ChatRequest, dialect: Dialect): ApiProblem | null => {
  const { messages } = request;
  const mistake =
    checkFields(request, dialect) ??
    checkOrder(messages) ??
    checkTurns(messages) ??
    checkReasoning(messages, dialect) ??
    checkSignatures(messages, dialect);
  return mistake === null ? null : refused(mistake);
};

export const checkLength = (
  request: ChatRequest,
  { tokens, contextTokens }: { readonly tokens: number; readonly contextTokens: number },
  { reservesOutput, overflow }: Dialect,
): ApiProblem | null => {
  const limit = limitOf(request) ?? 0;
  const needed = tokens + (reservesOutput ? limit : 0);
  if (overflow === 'truncate' || needed <= contextTokens) return null;
  return {
    ...invalid(
      `This model's maximum context length is ${contextTokens} tokens. However, you requested ${needed} tokens ` +
        `(${tokens} in the messages, ${limit} in the completion). Please reduce the length of the messages or completion.`,
    ),
    errorCode: 'context_length_exceeded',
  };
};
