/** What a script is told about the request that it answers. */
import { createHash } from 'node:crypto';
import type { CreateRequest, Tool } from './request.ts';
import { firstUserText, openingText, systemText, turnsOf } from './turns.ts';

export type Exchange = {
  readonly request: CreateRequest;
  /** The same for all requests with one system prompt and one first text block of the user. */
  readonly conversation: string;
  /** Turns of the assistant that the request holds: 0 in the first request, the same again in a retry. */
  readonly turn: number;
  /** Requests of this conversation that came before, retries included. */
  readonly call: number;
  readonly system: string;
  readonly firstUserText: string;
  readonly tools: readonly Tool[];
  /** Everything that the client said, tool results included, newest last. */
  readonly heard: readonly string[];
};

const heardIn = (request: CreateRequest): readonly string[] =>
  turnsOf(request)
    .filter(({ role }) => role === 'user')
    .flatMap(({ blocks }) => blocks.map(({ block }) => block))
    .flatMap((block) => {
      if (block.type === 'text') return [block.text];
      if (block.type !== 'tool_result') return [];
      if (typeof block.content === 'string') return [block.content];
      return (block.content ?? []).flatMap((part) => (part.type === 'text' ? [part.text] : []));
    });

/** Counts the requests of each conversation. */
export const createExchanges = (): ((request: CreateRequest) => Exchange) => {
  const calls = new Map<string, number>();
  return (request) => {
    const system = systemText(request);
    const conversation = createHash('sha256')
      .update(JSON.stringify([system, openingText(request)]))
      .digest('hex')
      .slice(0, 12);
    const call = calls.get(conversation) ?? 0;
    calls.set(conversation, call + 1);
    return {
      request,
      conversation,
      turn: turnsOf(request).filter(({ role }) => role === 'assistant').length,
      call,
      system,
      firstUserText: firstUserText(request),
      tools: request.tools ?? [],
      heard: heardIn(request),
    };
  };
};
