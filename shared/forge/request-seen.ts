/** What is known about one request once it has ended, for metrics. */
import type { RequestOutcome } from './transport.ts';

export type RequestSeen = {
  readonly method: string;
  /** The HTTP status, or the kind of failure when no response arrived. */
  readonly status: string;
  readonly seconds: number;
  /** Requests that the forge still allows in its current period. Null if it does not say. */
  readonly rateLimitRemaining: number | null;
};
export type OnRequest = (request: RequestSeen) => void;

/** https://docs.gitlab.com/administration/settings/user_and_ip_rate_limits/#response-headers */
const remainingIn = (outcome: RequestOutcome): number | null => {
  const value = outcome.kind === 'answer' ? outcome.headers['ratelimit-remaining'] : undefined;
  return typeof value === 'string' && /^\d{1,9}$/.test(value) ? Number(value) : null;
};

/** `startedAt`: by `performance.now()`. */
export const seeRequest = (method: string, outcome: RequestOutcome, startedAt: number): RequestSeen => ({
  method,
  status: 'status' in outcome ? `${outcome.status ?? outcome.kind}` : outcome.kind,
  seconds: (performance.now() - startedAt) / 1000,
  rateLimitRemaining: remainingIn(outcome),
});
