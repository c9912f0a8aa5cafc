import { describe, expect, it } from 'vitest';
import type { RequestOutcome } from '../../../shared/forge/transport.ts';
import { judgeOutcome, LINK_LOCAL } from '../../../shared/notify/judge-outcome.ts';
import { ReceiverKind } from '../../../shared/vocabulary/notify.ts';

const CHATS = ReceiverKind.options.filter((kind) => kind !== 'json');

const answer = (status: number, retryAfter?: string): RequestOutcome => ({
  kind: 'answer',
  status,
  headers: retryAfter === undefined ? {} : { 'retry-after': retryAfter },
  text: '',
});
const lost = (status: number | null): RequestOutcome => ({
  kind: 'lost',
  reason: 'ECONNRESET',
  aborted: false,
  status,
});
const notSent = (reason: string): RequestOutcome => ({ kind: 'not_sent', reason, aborted: false });

const judged = (receiver: ReceiverKind, outcome: RequestOutcome): string => {
  const { kind, ...rest } = judgeOutcome({ receiver, outcome, nowMs: 0 });
  return 'delayMs' in rest && rest.delayMs !== null ? `${kind} after ${rest.delayMs}` : kind;
};

const ROWS: readonly [what: string, outcome: RequestOutcome, json: string, chat: string][] = [
  ['200', answer(200), 'sent', 'sent'],
  ['204', answer(204), 'sent', 'sent'],
  ['299', answer(299), 'sent', 'sent'],
  ['a redirect', answer(301), 'retry', 'refused'],
  ['a temporary redirect', answer(307), 'retry', 'refused'],
  ['400', answer(400), 'retry', 'refused'],
  ['403', answer(403), 'retry', 'refused'],
  ['404', answer(404), 'retry', 'refused'],
  ['410', answer(410), 'refused', 'refused'],
  ['429', answer(429), 'retry', 'retry'],
  ['429 with a time', answer(429, '90'), 'retry after 90000', 'retry after 90000'],
  ['429 with a time that is too long', answer(429, '86400'), 'retry after 3600000', 'retry after 3600000'],
  ['500', answer(500), 'retry', 'retry'],
  ['502', answer(502), 'retry', 'retry'],
  ['503 with a time that is too short', answer(503, '0'), 'retry', 'retry'],
  ['503 with a time', answer(503, '60'), 'retry after 60000', 'retry after 60000'],
  ['503 with a date', answer(503, 'Thu, 01 Jan 1970 00:02:07 GMT'), 'retry after 127000', 'retry after 127000'],
  ['503 with a date that is past', answer(503, 'Wed, 31 Dec 1969 23:59:00 GMT'), 'retry', 'retry'],
  ['504, from a gateway that waited in vain', answer(504), 'retry', 'unknown'],
  ['a refused connection', notSent('ECONNREFUSED'), 'retry', 'retry'],
  ['an unknown host', notSent('ENOTFOUND'), 'retry', 'retry'],
  ['a certificate that is not trusted', notSent('DEPTH_ZERO_SELF_SIGNED_CERT'), 'retry', 'retry'],
  ['a link-local address', notSent(LINK_LOCAL), 'refused', 'refused'],
  ['a reset after it was sent', lost(null), 'retry', 'unknown'],
  ['a reset after the head of an answer 200', lost(200), 'sent', 'sent'],
  ['a reset after the head of an answer 500', lost(500), 'retry', 'retry'],
  ['an answer 200 that is too large', { kind: 'too_large', status: 200 }, 'sent', 'sent'],
  ['an answer 404 that is too large', { kind: 'too_large', status: 404 }, 'retry', 'refused'],
];

describe('the end of a request', () => {
  it.each(ROWS)('by %s, to a program', (_what, outcome, json) => {
    expect(judged('json', outcome)).toBe(json);
  });

  it.each(ROWS.flatMap((row) => CHATS.map((chat) => [row[0], chat, row] as const)))(
    'by %s, to %s',
    (_what, chat, [, outcome, , wanted]) => {
      expect(judged(chat, outcome)).toBe(wanted);
    },
  );
});
