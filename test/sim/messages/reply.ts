/** What a script can return: an answer of the model, an API error, or a connection fault. */
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
      /** Streamed instead of the input, even if it is not JSON. A plain answer has it parsed, or as a string. */
      readonly rawInput?: string;
    }
  | { readonly kind: 'thinking'; readonly thinking: string }
  | { readonly kind: 'redacted_thinking' }
  /** A block of any type, sent unchanged. */
  | { readonly kind: 'other'; readonly block: { readonly type: string; readonly [key: string]: unknown } };

/** Faults during the transfer. Event counts refer to a stream; a plain answer is one event. */
export type Transport = {
  readonly delayMs?: number;
  readonly gapMs?: number;
  /** Resets the connection after this many events or bytes of the body. */
  readonly cutAfterEvents?: number;
  readonly cutAfterBytes?: number;
  /** Ends the body regularly after this many events. */
  readonly endAfterEvents?: number;
  readonly errorAfterEvents?: { readonly events: number; readonly type?: ErrorType; readonly message?: string };
  /** Stops sending after this many events, until the client disconnects. */
  readonly stallAfterEvents?: number;
  readonly truncateJson?: boolean;
  /** Sends a `ping` after every event. */
  readonly pings?: boolean;
  /** Sends an event with an unknown name after the first event. */
  readonly unknownEvent?: boolean;
  /** Writes the body in pieces of this size, which may split characters. */
  readonly pieceBytes?: number;
};

export type Reply = {
  readonly kind: 'reply';
  readonly content: readonly ReplyBlock[];
  /** Default: `tool_use` when the content has a tool call, otherwise `end_turn`. */
  readonly stopReason?: StopReason;
  readonly stopSequence?: string;
  readonly refusal?: { readonly category: RefusalCategory; readonly explanation?: string };
  /** Sends everything even above `max_tokens`; the API never does that, but a broken gateway may. */
  readonly overrun?: boolean;
  readonly transport?: Transport;
};

export type Step =
  | Reply
  | { readonly kind: 'error'; readonly problem: ApiProblem; readonly delayMs?: number }
  /** A response that is not from the API, such as a proxy's page. */
  | {
      readonly kind: 'raw';
      readonly status: number;
      readonly headers?: Readonly<Record<string, string>>;
      readonly body: string;
    }
  | { readonly kind: 'reset'; readonly when: 'before-headers' | 'after-headers' }
  /** Sends nothing until the client disconnects. */
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

/** An API error; its type follows from the status. */
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
