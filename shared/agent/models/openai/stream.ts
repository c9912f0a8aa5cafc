/** Collects the chunks of a stream. A whole completion is read as a stream of one chunk. */
import { estimateTokens } from '../../model/estimate-tokens.ts';
import { type AssistantBlock, inputTokens, type ModelReply, type ModelUsage } from '../../model/model.ts';
import { addReasoning, isEmpty, type Reasoning, reasoningBytes } from './reasoning.ts';
import { asStopReason, asUsage, type CallPart, type Completion, type MessagePart, type Usage } from './schema.ts';
import { callsInText, withoutThinking } from './text-calls.ts';

type PartialCall = {
  /** The call's number in the stream; null if the server does not number its calls. */
  readonly index: number | null;
  readonly id: string;
  readonly name: string;
  readonly json: string;
  readonly extra: unknown;
};

export type StreamState = {
  readonly text: string;
  readonly refusal: string;
  readonly reasoning: Reasoning;
  readonly calls: readonly PartialCall[];
  readonly usage: Usage | null;
  readonly finishReason: string | null;
  /** What the model has written so far, in every field. */
  readonly bytes: number;
  /** Whether any chunk came. */
  readonly begun: boolean;
};

export const EMPTY_STREAM: StreamState = {
  text: '',
  refusal: '',
  reasoning: {},
  calls: [],
  usage: null,
  finishReason: null,
  bytes: 0,
  begun: false,
};

const textOf = (content: MessagePart['content']): string =>
  typeof content === 'string'
    ? content
    : (content ?? []).flatMap(({ type, text }) => (type === 'text' && text ? [text] : [])).join('');

const jsonOf = (value: unknown): string => {
  if (typeof value === 'string') return value;
  return value === undefined || value === null ? '' : JSON.stringify(value);
};

/**
 * Some servers give every call the same number, or no number. Then a new id begins a new call or, if there are no ids,
 * a new name.
 */
const beginsAnew = (call: PartialCall, { index, id, function: called }: CallPart): boolean => {
  if (id) return call.id !== '' && id !== call.id;
  return (index ?? null) === null && Boolean(called?.name) && call.name !== '';
};

/** Position of the call that a fragment continues; the number of calls if it begins a new one. */
const placeOf = (calls: readonly PartialCall[], part: CallPart): number => {
  const { index = null } = part;
  const known = index === null ? calls.length - 1 : calls.findLastIndex((call) => call.index === index);
  const call = calls[known];
  return call === undefined || beginsAnew(call, part) ? calls.length : known;
};

const addCall = (calls: readonly PartialCall[], part: CallPart): readonly PartialCall[] => {
  const place = placeOf(calls, part);
  const call = calls[place] ?? { index: part.index ?? null, id: '', name: '', json: '', extra: undefined };
  const grown = {
    ...call,
    id: call.id === '' ? (part.id ?? '') : call.id,
    name: call.name === '' ? (part.function?.name ?? '') : call.name,
    json: call.json + jsonOf(part.function?.arguments),
    extra: part.extra_content ?? call.extra,
  };
  return [...calls.slice(0, place), grown, ...calls.slice(place + 1)];
};

const sizeOf = (part: MessagePart): number => {
  const calls = (part.tool_calls ?? []).map(({ function: called }) => (called?.name ?? '') + jsonOf(called?.arguments));
  return Buffer.byteLength([textOf(part.content), part.refusal ?? '', ...calls].join('')) + reasoningBytes(part);
};

const addPart = (state: StreamState, part: MessagePart): StreamState => ({
  ...state,
  text: state.text + textOf(part.content),
  refusal: state.refusal + (part.refusal ?? ''),
  reasoning: addReasoning(state.reasoning, part),
  calls: (part.tool_calls ?? []).reduce(addCall, state.calls),
  bytes: state.bytes + sizeOf(part),
});

/** In a whole message, each entry is a separate call. */
const whole = (message: MessagePart): MessagePart => ({
  ...message,
  tool_calls: (message.tool_calls ?? []).map((call, index) => ({ ...call, index })),
});

export const addChunk = (state: StreamState, { choices, usage }: Completion): StreamState => {
  const [choice] = choices;
  const part = choice?.message ? whole(choice.message) : choice?.delta;
  const grown = part === null || part === undefined ? state : addPart(state, part);
  return {
    ...grown,
    usage: usage ?? state.usage,
    // Some servers send an empty reason with every chunk but the last.
    finishReason: choice?.finish_reason || state.finishReason,
    begun: true,
  };
};

/** Tool input without arguments is an empty object. Invalid JSON stays text; the tool then reports the error. */
const inputOf = (json: string): unknown => {
  if (json.trim() === '') return {};
  try {
    return JSON.parse(json);
  } catch {
    return json;
  }
};

/** Null if the server reported none. No prompt has 0 tokens, so servers that do not count report that. */
export const reportedUsage = ({ usage }: Pick<StreamState, 'usage'>): ModelUsage | null => {
  const read = usage === null ? null : asUsage(usage);
  return read === null || inputTokens(read) === 0 ? null : read;
};

export const streamedTokens = ({ bytes }: StreamState): number => estimateTokens(bytes);

const idOf = (id: string, at: number): string => (id === '' ? `call_${at}` : id);

const withExtras = ({ reasoning, calls }: StreamState): Reasoning => {
  const extras = calls.flatMap(({ extra }, at) => (extra === undefined ? [] : [[`#${at}`, extra] as const]));
  return extras.length === 0 ? reasoning : { ...reasoning, call_extras: Object.fromEntries(extras) };
};

const callBlocks = ({ calls }: StreamState): readonly AssistantBlock[] =>
  calls.map(({ id, name, json }, at) => ({
    kind: 'tool_call',
    id: idOf(id, at),
    name,
    input: inputOf(json),
  }));

type Said = { readonly blocks: readonly AssistantBlock[]; readonly called: boolean };

const blocksOf = (state: StreamState, offered: readonly string[]): Said => {
  const text = withoutThinking(state.text);
  const reasoning = withExtras(state);
  const inText = state.calls.length > 0 ? null : callsInText(text, offered);
  const words: readonly AssistantBlock[] = inText !== null || text === '' ? [] : [{ kind: 'text', text }];
  const calls: readonly AssistantBlock[] =
    inText === null
      ? callBlocks(state)
      : inText.map(({ name, input }, at) => ({ kind: 'tool_call', id: `call_${at}`, name, input }));
  const opaque: readonly AssistantBlock[] = isEmpty(reasoning) ? [] : [{ kind: 'opaque', value: reasoning }];
  return { blocks: [...opaque, ...words, ...calls], called: calls.length > 0 };
};

export type Sent = {
  /** Bytes of the request's body, for servers that report no usage. */
  readonly bytes: number;
  readonly contextTokens: number | null;
  /** Names of the offered tools. */
  readonly offered: readonly string[];
};

const usageOf = (state: StreamState, sent: Sent): ModelUsage => {
  const reported = reportedUsage(state);
  if (reported !== null) return reported;
  const input = estimateTokens(sent.bytes);
  return { uncachedInput: input, cacheRead: 0, cacheWrite: 0, cacheWriteLong: 0, output: streamedTokens(state) };
};

/**
 * An answer that used at least this share of the window ended because the window was full. The share is below 1,
 * because servers also count some tokens that they add.
 */
const FULL = 0.95;

const isFull = ({ usage }: StreamState, { contextTokens }: Sent): boolean => {
  if (usage === null || contextTokens === null) return false;
  const { output } = asUsage(usage);
  return (usage.prompt_tokens ?? 0) + output >= contextTokens * FULL;
};

/**
 * Long source texts have three to five bytes per token. A server that counts far fewer tokens has cut the beginning of
 * the prompt without an error, as Ollama does with a small `num_ctx`.
 */
const MAX_BYTES_PER_TOKEN = 8;
const LONG_BYTES = 16_384;

const isTruncated = ({ usage }: StreamState, { bytes }: Sent): boolean => {
  const prompt = usage?.prompt_tokens ?? 0;
  return prompt > 0 && bytes >= LONG_BYTES && bytes > prompt * MAX_BYTES_PER_TOKEN;
};

const stopReasonOf = (state: StreamState, sent: Sent, called: boolean): ModelReply['stopReason'] => {
  if (isTruncated(state, sent)) return 'context_exceeded';
  if (state.refusal !== '') return 'refusal';
  const reason = asStopReason(state.finishReason);
  if (reason === 'max_tokens') return isFull(state, sent) ? 'context_exceeded' : 'max_tokens';
  return called && reason === 'end_turn' ? 'tool_use' : reason;
};

/** Contract: the answer has ended. */
export const replyOf = (state: StreamState, sent: Sent): ModelReply => {
  const { blocks, called } = blocksOf(state, sent.offered);
  const stopReason = stopReasonOf(state, sent, called);
  const category = state.refusal === '' ? state.finishReason : 'model';
  return {
    stopReason,
    refusalCategory: stopReason === 'refusal' ? category : null,
    blocks: [...blocks],
    usage: usageOf(state, sent),
    ...(reportedUsage(state) === null ? { isUsageEstimated: true } : {}),
  };
};
