/** How one request ended, in the terms of the retry rules. */
import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from './clock.ts';
import { type Ending, parseRetryAfter } from './retry.ts';
import type { RequestOutcome } from './transport.ts';

export const GARBLED = Symbol('garbled');

export const jsonOrGarbled = (text: string): unknown => {
  if (text === '') return null;
  try {
    const json: unknown = JSON.parse(text);
    return json;
  } catch {
    return GARBLED;
  }
};

export const isSuccess = (status: number): boolean => status >= 200 && status < 300;

export const retryAfterOf = (headers: IncomingHttpHeaders, clock: Clock): number | null =>
  parseRetryAfter(headers['retry-after'], clock.nowMs());

/** `format`: what the body of a success must be. A text can be anything. */
export const endingOf = (
  outcome: RequestOutcome,
  { format, clock }: { readonly format: 'json' | 'text'; readonly clock: Clock },
): Ending => {
  switch (outcome.kind) {
    case 'not_sent':
      return outcome.aborted ? { kind: 'timed_out' } : { kind: 'not_sent' };
    case 'lost':
      return outcome.aborted ? { kind: 'timed_out' } : { kind: 'lost' };
    case 'too_large':
      return { kind: 'answer', status: outcome.status, retryAfterMs: null };
    case 'answer':
      if (format === 'json' && isSuccess(outcome.status) && jsonOrGarbled(outcome.text) === GARBLED)
        return { kind: 'garbled' };
      return { kind: 'answer', status: outcome.status, retryAfterMs: retryAfterOf(outcome.headers, clock) };
    default:
      return outcome satisfies never;
  }
};
