/** Decides from the outcome of a request whether to send it again. */
import { parseRetryAfter } from '../forge/retry.ts';
import type { RequestOutcome } from '../forge/transport.ts';
import type { ReceiverKind } from '../vocabulary/notify.ts';

export type NotifyOutcome =
  | { readonly kind: 'sent' }
  /** `delayMs` is the delay that the receiver named. With null, the queue's backoff is used. */
  | { readonly kind: 'retry'; readonly reason: string; readonly delayMs: number | null }
  /** The message may have arrived. If it were sent again, it could be shown twice. */
  | { readonly kind: 'unknown'; readonly reason: string }
  /** The message did not arrive, and a retry cannot help. */
  | { readonly kind: 'refused'; readonly reason: string };

/** Error code for a link-local address, to which no connection is made. */
export const LINK_LOCAL = 'NOTIFY_LINK_LOCAL';

/** A longer delay named by a receiver is cut to this limit. */
const LONGEST_DELAY_MS = 3_600_000;

/**
 * A shorter delay, for example a date that is past because a clock is wrong, is ignored: the queue's backoff, which ends after
 * some attempts, is used instead. A named delay uses no attempt.
 */
const SHORTEST_DELAY_MS = 60_000;

/**
 * Whether an event is sent again until its arrival is confirmed, so that it may arrive twice. Chats cannot detect
 * duplicates, because their messages have no id.
 */
export const isAtLeastOnce = (kind: ReceiverKind): boolean => kind === 'json';

type Judged = { readonly receiver: ReceiverKind; readonly outcome: RequestOutcome; readonly nowMs: number };

export const judgeOutcome = ({ receiver, outcome, nowMs }: Judged): NotifyOutcome => {
  switch (outcome.kind) {
    case 'not_sent':
      return outcome.reason === LINK_LOCAL ? refused(LINK_LOCAL) : retry(outcome.reason);
    case 'lost':
      if (outcome.status !== null) return judgeStatus(receiver, outcome.status, null);
      return isAtLeastOnce(receiver) ? retry(outcome.reason) : { kind: 'unknown', reason: outcome.reason };
    case 'too_large':
      return judgeStatus(receiver, outcome.status, null);
    case 'answer':
      return judgeStatus(receiver, outcome.status, parseRetryAfter(outcome.headers['retry-after'], nowMs));
    default:
      return outcome satisfies never;
  }
};

const refused = (reason: string): NotifyOutcome => ({ kind: 'refused', reason });
const retry = (reason: string, delayMs: number | null = null): NotifyOutcome => ({ kind: 'retry', reason, delayMs });

/** Status and headers are enough, so the body is not read. */
const judgeStatus = (receiver: ReceiverKind, status: number, retryAfterMs: number | null): NotifyOutcome => {
  const reason = `HTTP_${status}`;
  if (status >= 200 && status < 300) return { kind: 'sent' };
  const isNamed = retryAfterMs !== null && retryAfterMs >= SHORTEST_DELAY_MS;
  const delayMs = isNamed ? Math.min(retryAfterMs, LONGEST_DELAY_MS) : null;
  // Standard Webhooks defines 410: the receiver wants no more events.
  if (status === 410) return refused(reason);
  if (isAtLeastOnce(receiver)) return retry(reason, delayMs);
  // The gateway timed out, but the server behind it may have accepted the request.
  if (status === 504) return { kind: 'unknown', reason };
  return status === 429 || status >= 500 ? retry(reason, delayMs) : refused(reason);
};
