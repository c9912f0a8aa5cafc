/** From what the SDK throws to our classes: by class, status and type, never by the words of a message. */
import { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from '@anthropic-ai/sdk';
import { parseRetryAfter } from '../../forge/retry.ts';
import {
  type FailureCost,
  ModelBadAnswerError,
  type ModelError,
  ModelOverloadedError,
  ModelRateLimitedError,
  ModelRefusedRequestError,
  ModelStreamCutError,
  ModelTimedOutError,
  ModelUnauthorisedError,
  ModelUnavailableError,
  type ProviderFacts,
} from '../model-errors.ts';

/** Provably never left this machine. */
const NOT_SENT = /^(?:ECONNREFUSED|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH)$/;

const codesOf = (error: unknown, depth = 0): readonly string[] => {
  if (!(error instanceof Error) || depth > 4) return [];
  const code = 'code' in error && typeof error.code === 'string' ? [error.code] : [];
  const inner = error instanceof AggregateError ? error.errors.flatMap((one: unknown) => codesOf(one, depth + 1)) : [];
  return [...code, ...inner, ...codesOf(error.cause, depth + 1)];
};

const neverSent = (error: unknown): boolean => codesOf(error).some((code) => NOT_SENT.test(code));

const NOTHING: FailureCost = { kind: 'nothing' };
const UNKNOWN: FailureCost = { kind: 'unknown' };

const retryAfter = (headers: Headers | undefined, nowMs: number): number | null => {
  const exact = Number(headers?.get('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(exact) && exact >= 0) return Math.ceil(exact);
  return parseRetryAfter(headers?.get('retry-after') ?? undefined, nowMs);
};

/** By status, or by type where an error came inside a stream that had begun with 200. */
type Kind = 'rate_limited' | 'overloaded' | 'unavailable' | 'unauthorised' | 'refused';

const BY_TYPE: Readonly<Record<string, Kind>> = {
  rate_limit_error: 'rate_limited',
  overloaded_error: 'overloaded',
  api_error: 'unavailable',
  timeout_error: 'unavailable',
  authentication_error: 'unauthorised',
  permission_error: 'unauthorised',
  billing_error: 'unauthorised',
};

const BY_STATUS: Readonly<Record<number, Kind>> = {
  401: 'unauthorised',
  402: 'unauthorised',
  403: 'unauthorised',
  408: 'unavailable',
  409: 'unavailable',
  429: 'rate_limited',
  529: 'overloaded',
};

const kindOf = ({ status, type }: ProviderFacts): Kind => {
  if (status !== null) return BY_STATUS[status] ?? (status >= 500 ? 'unavailable' : 'refused');
  // An error of a kind that we do not know, inside a stream, is the provider's.
  return type !== null && Object.hasOwn(BY_TYPE, type) ? (BY_TYPE[type] ?? 'unavailable') : 'unavailable';
};

export type Failing = {
  readonly facts: ProviderFacts;
  readonly retryAfterMs: number | null;
  readonly cost: FailureCost;
  readonly cause: unknown;
};

export const failureOf = (failing: Failing): ModelError => {
  const kind = kindOf(failing.facts);
  switch (kind) {
    case 'rate_limited':
      return new ModelRateLimitedError(failing);
    case 'overloaded':
      return new ModelOverloadedError(failing);
    case 'unavailable':
      return new ModelUnavailableError(failing);
    case 'unauthorised':
      return new ModelUnauthorisedError(failing);
    case 'refused':
      return new ModelRefusedRequestError(failing);
    default:
      return kind satisfies never;
  }
};

/** Before the first byte of an answer. Contract: `error` is what the SDK threw, and nobody aborted the call. */
export const requestFailure = (error: unknown, limitMs: number, nowMs: number): ModelError => {
  if (error instanceof APIConnectionTimeoutError || error instanceof APIUserAbortError) {
    return new ModelTimedOutError({ kind: 'whole_call', ms: limitMs }, UNKNOWN);
  }
  const facts = { status: null, type: null, requestId: null };
  if (error instanceof APIConnectionError) {
    const cost = neverSent(error) ? NOTHING : UNKNOWN;
    return new ModelUnavailableError({ facts, retryAfterMs: null, cost, cause: error });
  }
  if (error instanceof APIError) {
    const { status, type, requestID, headers } = error;
    const said = { status: status ?? null, type, requestId: requestID ?? null };
    return failureOf({ facts: said, retryAfterMs: retryAfter(headers, nowMs), cost: NOTHING, cause: error });
  }
  // Whatever else the SDK throws is an answer that it could not read.
  return new ModelBadAnswerError('response', UNKNOWN, error);
};

/** After the answer had begun: what was read until then is the least that was spent. */
export const streamFailure = (cause: unknown, cost: FailureCost): ModelError => new ModelStreamCutError(cost, cause);
