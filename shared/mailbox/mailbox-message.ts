/** A message as it is kept, with the packets that go with it. */
import { z } from 'zod';
import { FindingsPacket } from '../protocol/findings-packet.ts';
import { HandoffPacket, isHandoffPath } from '../protocol/handoff-packet.ts';
import { ReviewMessage } from '../protocol/message.ts';
import { ReviewPacket } from '../protocol/review-packet.ts';

export const MailboxMessage = z.object({
  message: ReviewMessage,
  /** The packet that it points to, when its sender gave one along. */
  packet: FindingsPacket.nullable(),
  /** What is to be reviewed: with a request of Fixpoint's own. */
  review: ReviewPacket.nullable().default(null),
  /** What a human is left with, in Fixpoint's own messages that point to it; see `handoffPathOf`. */
  handoff: HandoffPacket.nullable().default(null),
});
export type MailboxMessage = z.output<typeof MailboxMessage>;

/** Where the hand-off packet of a message lies; null when it points to none. */
export const handoffPathOf = (message: ReviewMessage): string | null => {
  const named = message.type === 'review_request' ? message.body.handoff_ref : message.related_packet;
  return named !== undefined && isHandoffPath(named) ? named : null;
};

export const KEEP_S = 30 * 24 * 3600;
export const KEEP_MESSAGES = 1000;
/**
 * Lua. Puts a letter into the stream of a recipient, and its id under the same cursor into a stream of ids: small, so
 * that an id is found without reading letters.
 */
export const PUT_MESSAGE = `
local function put_letter(stream, ids, message, id, ttl, kept)
  local cursor = redis.call('XADD', stream, 'MAXLEN', '~', kept, '*', 'letter', message)
  redis.call('XADD', ids, 'MAXLEN', '~', kept, cursor, 'id', id)
  redis.call('EXPIRE', stream, ttl)
  redis.call('EXPIRE', ids, ttl)
end
`;
/** Two writers at once are put into an order; a change request with more of them than this is told to try again. */
export const TRIES = 8;
