/** Translates a provider's error response to one of Fixpoint's errors, by status and type. Only `too-long.ts` reads message text. */
import { parseRetryAfter } from '../../forge/retry.ts';
import {
  type FailureCost,
  type ModelError,
  ModelOverloadedError,
  ModelRateLimitedError,
  ModelRefusedRequestError,
  ModelTooLongError,
  ModelUnauthorisedError,
  ModelUnavailableError,
  type ProviderErrorFacts,
} from './model-errors.ts';
import { isTooLong } from './too-long.ts';

/** Status codes of a gateway timeout. The provider may still have processed the call. */
export const GATEWAY_TIMEOUTS: ReadonlySet<number> = new Set([504, 524, 598]);

export const retryAfter = (headers: Headers | undefined, nowMs: number): number | null => {
  const exact = Number(headers?.get('retry-after-ms') ?? Number.NaN);
  if (Number.isFinite(exact) && exact >= 0) return Math.ceil(exact);
  return parseRetryAfter(headers?.get('retry-after') ?? undefined, nowMs);
};

/** Derived from the status, or from the error type if the error came inside a stream that began with status 200. */
type Kind = 'rate_limited' | 'overloaded' | 'unavailable' | 'unauthorised' | 'refused';

const BY_TYPE: Readonly<Record<string, Kind>> = {
  rate_limit_error: 'rate_limited',
  overloaded_error: 'overloaded',
  api_error: 'unavailable',
  timeout_error: 'unavailable',
  authentication_error: 'unauthorised',
  permission_error: 'unauthorised',
  billing_error: 'unauthorised',
  rate_limit_exceeded: 'rate_limited',
  engine_overloaded: 'overloaded',
  invalid_api_key: 'unauthorised',
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

/** Types that mean an account without credit, whatever the status: gateways send them with 429, but waiting does not help. */
const USED_UP: ReadonlySet<string> = new Set(['billing_error', 'insufficient_quota', 'billing_hard_limit_reached']);

const kindOf = ({ status, type }: ProviderErrorFacts): Kind => {
  if (type !== null && USED_UP.has(type)) return 'unauthorised';
  if (status !== null) return BY_STATUS[status] ?? (status >= 500 ? 'unavailable' : 'refused');
  // An unknown error type inside a stream counts as a provider failure.
  return type !== null && Object.hasOwn(BY_TYPE, type) ? (BY_TYPE[type] ?? 'unavailable') : 'unavailable';
};

export type Failing = {
  readonly facts: ProviderErrorFacts;
  /** The provider's message text, which is read here and never stored. */
  readonly words?: string;
  readonly retryAfterMs: number | null;
  readonly cost: FailureCost;
  readonly cause: unknown;
};

export const providerFailure = (failing: Failing): ModelError => {
  if (isTooLong({ ...failing.facts, words: failing.words ?? '' })) return new ModelTooLongError(failing);
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
