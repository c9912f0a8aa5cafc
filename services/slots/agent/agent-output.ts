/**
 * Parses the output of an agent's program. `claude` (stream-json or json) and `codex` (exec --json) print events. Any
 * other output is prose. Tool output and file contents never count as text of the agent.
 */
import { z } from 'zod';

export type TokenUsage = { readonly inputTokens: number; readonly outputTokens: number; readonly costUsd: number };
export const NO_USAGE: TokenUsage = { inputTokens: 0, outputTokens: 0, costUsd: 0 };

export const addUsage = (one: TokenUsage, other: TokenUsage): TokenUsage => ({
  inputTokens: one.inputTokens + other.inputTokens,
  outputTokens: one.outputTokens + other.outputTokens,
  costUsd: one.costUsd + other.costUsd,
});

export type AgentOutput = {
  readonly said: string;
  /** The agent's last message, even if the agent used tools after it. */
  readonly lastMessage: string;
  /**
   * The text that may hold a verdict. Empty if the agent used tools after its last message. If other lines surround the
   * events, it is the whole output, because the agent may be quoting events.
   */
  readonly lastWords: string;
  readonly commands: readonly string[];
  readonly usage: TokenUsage;
  /** The failure that the program reported, even if it exited with 0. Null when it reported no failure. */
  readonly error: string | null;
};

const Tokens = z.number().nonnegative().catch(0);
const Text = z.string().catch('');

const ClaudeBlock = z.object({
  type: z.string(),
  text: Text.optional(),
  input: z.object({ command: Text }).partial().catch({}).optional(),
});
const ClaudeAssistant = z.object({
  type: z.literal('assistant'),
  message: z.object({ content: z.array(ClaudeBlock) }),
});
const ClaudeResult = z.object({
  type: z.literal('result'),
  subtype: Text.optional(),
  result: Text.optional(),
  is_error: z.boolean().catch(false).optional(),
  total_cost_usd: Tokens.optional(),
  usage: z
    .object({
      input_tokens: Tokens,
      cache_creation_input_tokens: Tokens,
      cache_read_input_tokens: Tokens,
      output_tokens: Tokens,
    })
    .partial()
    .catch({})
    .optional(),
});
const CodexItem = z.object({
  type: z.literal('item.completed'),
  item: z.object({ type: z.string(), text: Text.optional(), command: Text.optional() }),
});
/** `input_tokens` already includes cached tokens. */
const CodexTurn = z.object({
  type: z.literal('turn.completed'),
  usage: z.object({ input_tokens: Tokens, output_tokens: Tokens }).partial().catch({}),
});
const CodexFailure = z.object({
  type: z.enum(['turn.failed', 'error']),
  message: Text.optional(),
  error: z.object({ message: Text }).partial().catch({}).optional(),
});
/** The format of older `codex` releases. */
const CodexMessage = z.object({ msg: z.object({ type: z.literal('agent_message'), message: z.string() }) });

type Heard = {
  readonly message?: string;
  /** Set when the agent used a tool or got a tool's result. */
  readonly acted?: true;
  readonly final?: string;
  readonly commands?: readonly string[];
  readonly usage?: TokenUsage;
  /** Null: the agent recovered from an earlier error, such as a lost connection. Absent: the event does not mention errors. */
  readonly error?: string | null;
};

const fromAssistant = ({ message: { content } }: z.output<typeof ClaudeAssistant>): Heard => {
  const texts = content.flatMap(({ type, text }) => (type === 'text' && text ? [text] : []));
  const commands = content.flatMap(({ type, input }) => (type === 'tool_use' && input?.command ? [input.command] : []));
  const last = content.at(-1)?.type ?? 'text';
  const acted = ['text', 'thinking', 'redacted_thinking'].includes(last) ? {} : { acted: true as const };
  return { ...(texts.length > 0 ? { message: texts.join('\n') } : {}), commands, ...acted };
};

const fromResult = (event: z.output<typeof ClaudeResult>): Heard => {
  const { input_tokens: input = 0, output_tokens: outputTokens = 0 } = event.usage ?? {};
  const { cache_creation_input_tokens: written = 0, cache_read_input_tokens: read = 0 } = event.usage ?? {};
  const isError = event.is_error === true || event.subtype?.startsWith('error') === true;
  return {
    ...(event.result === undefined || isError ? {} : { final: event.result }),
    ...(isError ? { error: event.result || `the agent ended with an error (${event.subtype ?? 'unknown'})` } : {}),
    usage: { inputTokens: input + written + read, outputTokens, costUsd: event.total_cost_usd ?? 0 },
  };
};

const fromItem = ({ item }: z.output<typeof CodexItem>): Heard => {
  if (item.type === 'agent_message' && item.text) return { message: item.text };
  if (['agent_message', 'reasoning', 'todo_list', 'error'].includes(item.type)) return {};
  return { commands: item.type === 'command_execution' && item.command ? [item.command] : [], acted: true };
};

const ClaudeUser = z.object({ type: z.literal('user') });

const READERS: readonly ((event: unknown) => Heard | null)[] = [
  (event) => readAs(ClaudeAssistant, event, fromAssistant),
  (event) => readAs(ClaudeUser, event, () => ({ acted: true })),
  (event) => readAs(ClaudeResult, event, fromResult),
  (event) => readAs(CodexItem, event, fromItem),
  (event) =>
    readAs(CodexTurn, event, ({ usage }) => ({
      usage: { inputTokens: usage.input_tokens ?? 0, outputTokens: usage.output_tokens ?? 0, costUsd: 0 },
      error: null,
    })),
  (event) =>
    readAs(CodexFailure, event, ({ message, error }) => ({
      error: error?.message || message || 'the agent ended with an error',
    })),
  (event) => readAs(CodexMessage, event, ({ msg }) => ({ message: msg.message })),
];

const readAs = <Event>(schema: z.ZodType<Event>, event: unknown, read: (event: Event) => Heard): Heard | null => {
  const { data } = schema.safeParse(event);
  return data === undefined ? null : read(data);
};

const parseEvent = (line: string): object | null => {
  if (!/^[{[]/.test(line)) return null;
  try {
    const value: unknown = JSON.parse(line);
    return typeof value === 'object' ? value : null;
  } catch {
    return null;
  }
};

/** Message types of old `codex` events, which have no `type` of their own. Log lines of other programs also have a `msg`. */
const CODEX_MESSAGE_TYPES =
  /^(?:agent_|user_message|task_|turn_|token_count|session_configured|exec_|apply_patch_|patch_apply_|mcp_|plan_update|web_search_|background_event|stream_error|error$|warning$|shutdown_complete)/;

const EVENT_TYPES = new Set(['system', 'assistant', 'user', 'result', 'error', 'stream_event']);

const isEvent = (value: object): boolean => {
  if (Array.isArray(value)) return value.length > 0 && value.every((one: unknown) => isEventObject(one));
  return isEventObject(value);
};

const isEventObject = (value: unknown): boolean => {
  if (typeof value !== 'object' || value === null) return false;
  const type: unknown = Reflect.get(value, 'type');
  if (typeof type === 'string') return EVENT_TYPES.has(type) || /^(?:thread|turn|item)\./.test(type);
  const msg: unknown = Reflect.get(value, 'msg');
  if (typeof msg !== 'object' || msg === null) return false;
  const messageType: unknown = Reflect.get(msg, 'type');
  return typeof messageType === 'string' && CODEX_MESSAGE_TYPES.test(messageType);
};

/** Returns null when the output has no events. Skips lines that are not events, such as warnings or a cut last line. */
const readEvents = (stdout: string): readonly object[] | null => {
  const whole = parseEvent(stdout.trim());
  const lines = whole === null ? stdout.split('\n').flatMap((line) => parseEvent(line.trim()) ?? []) : [whole];
  const events = lines.filter(isEvent).flatMap((line) => (Array.isArray(line) ? line : [line]));
  return events.length > 0 ? events : null;
};

/** Returns true when the agent used tools after its last message, which is then not its final answer. */
const hasActedSince = (heard: readonly Heard[]): boolean =>
  heard.findLastIndex(({ acted }) => acted === true) >= heard.findLastIndex(({ message }) => message !== undefined);

/**
 * True when the first and the last line are events. If not, the agent's text quotes events, or the last line was cut.
 */
const isAllEvents = (stdout: string): boolean => {
  const lines = stdout.trim().split('\n');
  const ends = parseEvent(stdout.trim()) === null ? [lines.at(0) ?? '', lines.at(-1) ?? ''] : [stdout.trim()];
  return ends.every((line) => {
    const value = parseEvent(line.trim());
    return value !== null && isEvent(value);
  });
};

const fold = (heard: readonly Heard[]): AgentOutput => {
  const messages = heard.flatMap(({ message }) => message ?? []);
  const finals = heard.flatMap(({ final }) => final ?? []);
  const lastMessage = finals.at(-1) ?? messages.at(-1) ?? '';
  return {
    said: (messages.includes(lastMessage) ? messages : [...messages, lastMessage]).join('\n'),
    lastMessage,
    lastWords: finals.at(-1) ?? (hasActedSince(heard) ? '' : lastMessage),
    commands: heard.flatMap(({ commands }) => commands ?? []),
    usage: heard.reduce((sum, { usage }) => addUsage(sum, usage ?? NO_USAGE), NO_USAGE),
    error: heard.flatMap(({ error }) => (error === undefined ? [] : [error])).at(-1) ?? null,
  };
};

const hear = (event: object): readonly Heard[] => {
  const heard = READERS.map((read) => read(event)).find((one) => one !== null);
  return heard === undefined || heard === null ? [] : [heard];
};

/** Parses the standard output of a program. Never fails, because output without events counts as prose. */
export const readAgentOutput = (stdout: string): AgentOutput => {
  const events = readEvents(stdout);
  if (events === null) {
    return { said: stdout, lastMessage: stdout, lastWords: stdout, commands: [], usage: NO_USAGE, error: null };
  }
  const output = fold(events.flatMap(hear));
  return isAllEvents(stdout) ? output : { ...output, lastWords: stdout };
};

/**
 * Events in which the program reports its own failure, with their messages, but no text of the agent or of tools. Empty
 * when there are no such events, or when the program recovered from all failures.
 */
export const errorEventsOf = (stdout: string): string => {
  const failures = (readEvents(stdout) ?? []).flatMap((event) => {
    const [error] = hear(event).map((heard) => heard.error);
    return error === undefined ? [] : [{ event, error }];
  });
  const overcome = failures.findLastIndex(({ error }) => error === null);
  return failures
    .slice(overcome + 1)
    .flatMap(({ event, error }) => [JSON.stringify(event), error ?? ''])
    .join('\n');
};

/** One line of output for a live view. Returns null for an event without visible text. */
export const previewOf = (line: string): string | null => {
  const events = readEvents(line);
  if (events === null) return line;
  const heard = events.flatMap(hear);
  // A result event repeats the last message, so it is not shown.
  const said = heard.flatMap(({ message }) => message ?? []).join('\n');
  const command = heard.flatMap(({ commands = [] }) => commands.map((one) => `$ ${one}`)).join('; ');
  return [said, command].find((text) => text !== '') ?? null;
};
