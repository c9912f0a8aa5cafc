import type { AppErrorFields, Disposition } from '../errors.ts';
import { type ForgeErrorCode, ForgeRequestError, ForgeUnknownOutcomeError } from './errors.ts';

/**
 * Fields of every error about a call. They help to find the call in the forge's log, and contain no data that was sent.
 */
export type CallFacts = {
  readonly forge: string;
  readonly method: string;
  /** The path without the query string. */
  readonly path: string;
  readonly attempts: number;
};

const RETRY: Disposition = { kind: 'retry' };
const FAIL: Disposition = { kind: 'fail' };

const REFUSALS: Readonly<Record<number, { readonly code: ForgeErrorCode; readonly message: string }>> = {
  401: { code: 'FORGE_UNAUTHORISED', message: 'The forge does not accept the token' },
  403: { code: 'FORGE_FORBIDDEN', message: "The token's account does not have permission for this on the forge" },
  404: { code: 'FORGE_NOT_FOUND', message: "The forge finds no such object, or the token's account cannot see it" },
};

const REJECTED = { code: 'FORGE_REJECTED', message: 'The forge rejected the request' } as const;
const REDIRECTED = {
  code: 'FORGE_REDIRECTED',
  message: 'the forge redirected the request; redirects are never followed',
} as const;

const waitFor = (delayMs: number | null): Disposition => (delayMs === null ? RETRY : { kind: 'retry_after', delayMs });

/** Forgejo and Gitea send `message`. GitLab sends `message` or `error`; either can be a list of errors. */
const wordsOf = (body: unknown): unknown => {
  if (typeof body !== 'object' || body === null) return null;
  if ('message' in body) return body.message;
  return 'error' in body ? body.error : null;
};

/** The forge's error text on one line of at most 200 characters. The token is replaced in case the forge echoes it. */
const explanation = (text: string, token: string): string | null => {
  let words: unknown;
  try {
    const body: unknown = JSON.parse(text);
    words = wordsOf(body);
  } catch {
    return null;
  }
  const message = typeof words === 'object' && words !== null ? JSON.stringify(words) : words;
  if (typeof message !== 'string' || message === '') return null;
  const line = message
    .split(token)
    .join('[token]')
    .replace(/[\p{Cc}\p{Cf}\u2028\u2029]+/gu, ' ');
  return line.slice(0, 200);
};

export type Refusal = {
  readonly call: CallFacts;
  readonly status: number;
  readonly retryAfterMs: number | null;
  readonly text: string;
  readonly token: string;
};

const fieldsOf = (refusal: Refusal): AppErrorFields => ({
  ...refusal.call,
  status: refusal.status,
  explanation: explanation(refusal.text, refusal.token),
});

const overloaded = (refusal: Refusal): ForgeRequestError =>
  new ForgeRequestError({
    code: refusal.status === 429 ? 'FORGE_RATE_LIMITED' : 'FORGE_UNAVAILABLE',
    message: refusal.status === 429 ? 'The forge limits the request rate' : 'The forge is not available',
    disposition: waitFor(refusal.retryAfterMs),
    fields: fieldsOf(refusal),
  });

/** The error for a response with a status other than 2xx: for reads, and for writes that had no effect. */
export const refusalError = (refusal: Refusal): ForgeRequestError => {
  if (refusal.status === 429 || refusal.status >= 500) return overloaded(refusal);
  const known = refusal.status < 400 ? REDIRECTED : (REFUSALS[refusal.status] ?? REJECTED);
  return new ForgeRequestError({ ...known, disposition: FAIL, fields: fieldsOf(refusal) });
};

/** A write that got a 5xx response may have taken effect before the forge failed. */
export const unknownAnswer = (refusal: Refusal): ForgeUnknownOutcomeError =>
  new ForgeUnknownOutcomeError(fieldsOf(refusal), undefined);

export const unavailable = (call: CallFacts, reason: string): ForgeRequestError =>
  new ForgeRequestError({
    code: 'FORGE_UNAVAILABLE',
    message: 'the forge could not be reached',
    disposition: RETRY,
    fields: { ...call, reason },
  });

export const aborted = (call: CallFacts): ForgeRequestError =>
  new ForgeRequestError({
    code: 'FORGE_ABORTED',
    message: 'the call was aborted before the forge answered',
    disposition: RETRY,
    fields: call,
  });

/**
 * A `garbled` response can come from a broken connection, and `null` from an object that the forge cannot read at the
 * moment, so the job is retried. For any other reason, a retry does not help.
 */
export const badAnswer = (
  call: CallFacts,
  reason: 'garbled' | 'null' | 'schema' | 'size' | 'pages',
  cause?: unknown,
): ForgeRequestError =>
  new ForgeRequestError({
    code: 'FORGE_BAD_ANSWER',
    message:
      reason === 'null'
        ? 'the forge answered with null, because it cannot read this object itself'
        : "cannot parse the forge's response",
    disposition: reason === 'garbled' || reason === 'null' ? RETRY : FAIL,
    fields: { ...call, reason },
    cause,
  });
