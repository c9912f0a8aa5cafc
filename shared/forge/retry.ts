import type { IncomingHttpHeaders } from 'node:http';
import type { Clock } from './clock.ts';
import type { RequestOutcome } from './transport.ts';

const TRANSIENT: ReadonlySet<number> = new Set([429, 502, 503, 504]);

export type RetryPolicy = {
  /** Maximum number of attempts, including the first. */
  readonly attempts: number;
  readonly baseMs: number;
  readonly capMs: number;
  /** Longest `Retry-After` delay that the call waits out itself; for a longer delay the job goes back to the queue. */
  readonly maxRetryAfterMs: number;
};

export const DEFAULT_RETRY: RetryPolicy = { attempts: 4, baseMs: 250, capMs: 5_000, maxRetryAfterMs: 10_000 };

/** A longer `Retry-After` is cut to one day. */
const LONGEST_DELAY_MS = 24 * 60 * 60 * 1000;

/** The delay in milliseconds. The header holds seconds or an HTTP date (RFC 9110, 10.2.3). Null when absent or invalid. */
export const parseRetryAfter = (value: string | undefined, nowMs: number): number | null => {
  const text = value?.trim() ?? '';
  if (text === '') return null;
  if (/^\d{1,12}$/.test(text)) return Math.min(Number(text) * 1000, LONGEST_DELAY_MS);
  // An HTTP date starts with a day name; without this check, Date.parse would accept "5.5" or "2026".
  const atMs = /^[A-Za-z]{3,9},? /.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isNaN(atMs) ? null : Math.min(Math.max(atMs - nowMs, 0), LONGEST_DELAY_MS);
};

/** Full jitter: uniform between zero and the exponential limit, so that many workers do not retry at the same time. */
export const backoffMs = (attempt: number, policy: RetryPolicy, random: () => number): number =>
  Math.floor(random() * Math.min(policy.capMs, policy.baseMs * 2 ** (attempt - 1)));

export type Ending =
  | { readonly kind: 'answer'; readonly status: number; readonly retryAfterMs: number | null }
  | { readonly kind: 'not_sent' }
  | { readonly kind: 'lost' }
  | { readonly kind: 'timed_out' }
  | { readonly kind: 'garbled' };

export type RetryDecision = { readonly kind: 'give_up' } | { readonly kind: 'wait'; readonly delayMs: number };

export type RetrySubject = {
  readonly ending: Ending;
  /** A `write` is retried only when it certainly was not sent. */
  readonly intent: 'read' | 'write';
  /** The number of this attempt, counted from 1. */
  readonly attempt: number;
};

const mayHelp = ({ ending, intent }: RetrySubject): boolean => {
  if (ending.kind === 'not_sent') return true;
  // A read that timed out has already blocked its caller for the full limit; the queue retries it with its own backoff.
  if (intent === 'write' || ending.kind === 'timed_out') return false;
  return ending.kind !== 'answer' || TRANSIENT.has(ending.status);
};

export const decideRetry = (subject: RetrySubject, policy: RetryPolicy, random: () => number): RetryDecision => {
  if (subject.attempt >= policy.attempts || !mayHelp(subject)) return { kind: 'give_up' };
  const named = subject.ending.kind === 'answer' ? subject.ending.retryAfterMs : null;
  if (named === null) return { kind: 'wait', delayMs: backoffMs(subject.attempt, policy, random) };
  return named > policy.maxRetryAfterMs ? { kind: 'give_up' } : { kind: 'wait', delayMs: named };
};

export const GARBLED = Symbol('garbled');

const NO_CONTENT = 204;

/** Only 204 means that there is nothing to send. An empty body with any other status was lost on its way. */
export const jsonOrGarbled = ({ status, text }: { readonly status: number; readonly text: string }): unknown => {
  if (text === '') return status === NO_CONTENT ? null : GARBLED;
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

/** How one request ended, in the terms of the retry rules. `format`: what the body of a success must be. A text can be anything. */
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
      if (format === 'json' && isSuccess(outcome.status) && jsonOrGarbled(outcome) === GARBLED)
        return { kind: 'garbled' };
      return { kind: 'answer', status: outcome.status, retryAfterMs: retryAfterOf(outcome.headers, clock) };
    default:
      return outcome satisfies never;
  }
};
