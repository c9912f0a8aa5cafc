import { z } from 'zod';
import { FindingsPacket } from '../protocol/findings-packet.ts';
import { HandoffPacket, isHandoffPath } from '../protocol/handoff-packet.ts';
import { ReviewMessage } from '../protocol/message.ts';
import { ReviewPacket } from '../protocol/review-packet.ts';
import type { Keys } from '../store/keys.ts';

export const MailboxMessage = z.object({
  message: ReviewMessage,
  /** The packet that the message refers to. Null when the sender did not include it. */
  packet: FindingsPacket.nullable(),
  /** The review packet. Null unless the message is a review request of Fixpoint. */
  review: ReviewPacket.nullable().default(null),
  /** The hand-off packet. Null unless a message of Fixpoint refers to one (`handoffPathOf`). */
  handoff: HandoffPacket.nullable().default(null),
});
export type MailboxMessage = z.output<typeof MailboxMessage>;

/** Path of the hand-off packet that a message refers to, or null. */
export const handoffPathOf = (message: ReviewMessage): string | null => {
  const named = message.type === 'review_request' ? message.body.handoff_ref : message.related_packet;
  return named !== undefined && isHandoffPath(named) ? named : null;
};

export const KEEP_S = 30 * 24 * 3600;
export const KEEP_MESSAGES = 1000;
/** A recipient of many projects must not lose messages of one because of another; an entry of the index is short. */
export const KEEP_INDEXED = 10_000;

/** The recipient `name` in one project. */
export type Box = { readonly forge: string; readonly projectId: number; readonly name: string };

/** An entry of the index names a project in this form. */
export const projectOfBox = ({ forge, projectId }: Omit<Box, 'name'>): string => `${forge}.${projectId}`;

/** The keys and arguments of `put_letter` for one recipient. */
export const placesOf = (keys: Keys, { forge, projectId, name }: Box): readonly string[] => {
  const box = { forge, projectId, name };
  return [keys.mailbox(box), keys.mailboxIds(box), keys.mailIndex(name)];
};

/**
 * Lua. Adds a message to the recipient's stream. Adds the message's id, under the same cursor, to a stream of ids, so
 * that an id can be found without reading messages. Adds its place to the index of the recipient's messages in all
 * projects.
 */
export const PUT_MESSAGE = `
local function put_letter(stream, ids, index, project, message, id, ttl, kept)
  local cursor = redis.call('XADD', stream, 'MAXLEN', '~', kept, '*', 'letter', message)
  redis.call('XADD', ids, 'MAXLEN', '~', kept, cursor, 'id', id)
  redis.call('XADD', index, 'MAXLEN', '~', ${KEEP_INDEXED}, '*', 'project', project, 'at', cursor, 'id', id)
  redis.call('EXPIRE', stream, ttl)
  redis.call('EXPIRE', index, ttl)
  redis.call('EXPIRE', ids, ttl)
end
`;
/** Maximum number of attempts of an optimistic update. If all of them fail, the caller must retry. */
export const TRIES = 8;
