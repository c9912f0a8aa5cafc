/** The request that a script answers. */
import { createHash } from 'node:crypto';
import type { CreateRequest, Tool } from './request.ts';
import { firstUserText, openingText, systemText, turnsOf } from './turns.ts';

export type Exchange = {
  readonly request: CreateRequest;
  /** Equal for all requests with the same system prompt and the same first text block of the user. */
  readonly conversation: string;
  /** Number of assistant turns in the request: 0 in the first request, unchanged in a retry. */
  readonly turn: number;
  /** Number of earlier requests in this conversation, including retries. */
  readonly call: number;
  readonly system: string;
  readonly firstUserText: string;
  readonly tools: readonly Tool[];
  /** All text from the client, including tool results, newest last. */
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
