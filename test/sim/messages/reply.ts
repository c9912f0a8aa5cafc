/** What a script can say: an answer of the model, a refusal of the API, or a connection that goes wrong. */
import { type ApiProblem, type ErrorType, errorTypeOf } from './api-problem.ts';

export type StopReason =
  | 'end_turn'
  | 'max_tokens'
  | 'stop_sequence'
  | 'tool_use'
  | 'pause_turn'
  | 'refusal'
  | 'model_context_window_exceeded';

export type RefusalCategory = 'cyber' | 'bio' | 'frontier_llm' | 'reasoning_extraction' | 'general_harms' | null;

export type ReplyBlock =
  | { readonly kind: 'text'; readonly text: string }
  | {
      readonly kind: 'tool_use';
      readonly name: string;
      readonly input: unknown;
      readonly id?: string;
      /** Streamed in place of the input, also when it is no JSON. A plain answer holds it parsed, else as the string. */
      readonly rawInput?: string;
    }
  | { readonly kind: 'thinking'; readonly thinking: string }
  | { readonly kind: 'redacted_thinking' }
  /** A block of any type, sent as it is. */
  | { readonly kind: 'other'; readonly block: { readonly type: string; readonly [key: string]: unknown } };

/** What happens on the way. Counts of events are of a stream; a plain answer is one event. */
export type Transport = {
  /** Before the headers, milliseconds. */
  readonly delayMs?: number;
  /** Between two events, milliseconds. */
  readonly gapMs?: number;
  /** The connection is reset behind this many events or bytes of the body. */
  readonly cutAfterEvents?: number;
  readonly cutAfterBytes?: number;
  /** The body ends in order, but there. */
  readonly endAfterEvents?: number;
  readonly errorAfterEvents?: { readonly events: number; readonly type?: ErrorType; readonly message?: string };
  /** Nothing more comes, until the client gives up. */
  readonly stallAfterEvents?: number;
  /** A plain answer ends in the middle of its JSON. */
  readonly truncateJson?: boolean;
  /** A `ping` behind every event. */
  readonly pings?: boolean;
  /** An event of a name that nobody knows, behind the first. */
  readonly unknownEvent?: boolean;
  /** The body is written in pieces of this size, through the middle of characters. */
  readonly pieceBytes?: number;
};

export type Reply = {
  readonly kind: 'reply';
  readonly content: readonly ReplyBlock[];
  /** Default: `tool_use` with a tool call in the content, else `end_turn`. */
  readonly stopReason?: StopReason;
  readonly stopSequence?: string;
  readonly refusal?: { readonly category: RefusalCategory; readonly explanation?: string };
  /** Sent whole even above `max_tokens`: no API does that, a broken gateway may. */
  readonly overrun?: boolean;
  readonly transport?: Transport;
};

export type Step =
  | Reply
  | { readonly kind: 'error'; readonly problem: ApiProblem; readonly delayMs?: number }
  /** An answer that no API wrote, such as the page of a proxy. */
  | {
      readonly kind: 'raw';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body: string;
    }
  | { readonly kind: 'reset'; readonly when: 'before-headers' | 'after-headers' }
  /** No byte comes, until the client gives up. */
  | { readonly kind: 'stall' };

export const text = (words: string): ReplyBlock => ({ kind: 'text', text: words });
export const thinking = (thought: string): ReplyBlock => ({ kind: 'thinking', thinking: thought });
export const toolUse = (name: string, input: unknown, rawInput?: string): ReplyBlock => ({
  kind: 'tool_use',
  name,
  input,
  ...(rawInput === undefined ? {} : { rawInput }),
});

export const reply = (
  content: string | readonly ReplyBlock[],
  more: Partial<Omit<Reply, 'kind' | 'content'>> = {},
): Reply => ({
  kind: 'reply',
  content: typeof content === 'string' ? [text(content)] : content,
  ...more,
});

export const refuse = (category: RefusalCategory, content: readonly ReplyBlock[] = []): Reply =>
  reply(content, { stopReason: 'refusal', refusal: { category } });

/** An error answer; its type follows from the status. */
export const fail = (
  status: number,
  more: Partial<Omit<ApiProblem, 'status'>> & { readonly delayMs?: number } = {},
): Step => {
  const { delayMs, ...problem } = more;
  return {
    kind: 'error',
    problem: { type: errorTypeOf(status), message: `scripted ${status}`, ...problem, status },
    ...(delayMs === undefined ? {} : { delayMs }),
  };
};

export const reset = (when: 'before-headers' | 'after-headers'): Step => ({ kind: 'reset', when });
export const stall: Step = { kind: 'stall' };
