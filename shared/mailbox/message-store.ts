/** Messages in Redis: one list per conversation about a change request, and one stream per recipient in a project. */
import type { Redis } from 'ioredis';
import { decideOrder, type Order, type OrderRules, replayConversation } from '../protocol/conversation.ts';
import { type ReviewMessage, recipientsOf } from '../protocol/message.ts';
import type { ChangeRequest } from '../vocabulary/ids.ts';
import type { Keys } from '../store/keys.ts';
import {
  type Box,
  KEEP_MESSAGES,
  KEEP_S,
  MailboxMessage,
  placesOf,
  projectOfBox,
  PUT_MESSAGE,
  TRIES,
} from './mailbox-message.ts';

export type Delivered = MailboxMessage & {
  /** Position in the recipient's stream, used as the argument `after` of `read`. */
  readonly cursor: string;
};

export type MessageStore = {
  /** Contract: `accepted` and `repeated` both mean that every recipient can read the message. Rejects when that is uncertain. */
  send(of: ChangeRequest, message: Sending): Promise<SendOrder>;
  /** Returns at most `MAX_READ` messages, oldest first. With `after` null, starts with the oldest message that is kept. */
  read(box: Box, after: string | null): Promise<readonly Delivered[]>;
  /** Returns the cursor of a message in the box, or null when the box does not contain the message (any more). */
  find(box: Box, messageId: string): Promise<string | null>;
  /**
   * Accepted messages between Fixpoint and `author`, in order. With null, all messages that Fixpoint neither sent nor
   * received.
   */
  list(of: ChangeRequest, author: string | null): Promise<readonly MailboxMessage[]>;
};

export type Sending = Pick<MailboxMessage, 'message' | 'packet'> & Partial<Pick<MailboxMessage, 'handoff'>>;

export type SendOrder = Exclude<Order, { readonly kind: 'accepted' }> | { readonly kind: 'accepted' };

export type MessageRules = {
  readonly leader: string;
  /** The number of rounds of a project, which may have settings of its own. */
  readonly maxRoundsOf: (of: ChangeRequest) => Promise<number>;
};

const MAX_READ = 50;

/**
 * KEYS: conversation, and the places of each recipient. ARGV: expected length of the conversation, message, time to live,
 * messages to keep, message id, project. Returns 0 if the conversation has changed; the caller decides again.
 */
const APPEND = `${PUT_MESSAGE}
if redis.call('LLEN', KEYS[1]) ~= tonumber(ARGV[1]) then return 0 end
redis.call('RPUSH', KEYS[1], ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[3])
for i = 2, #KEYS, 3 do
  put_letter(KEYS[i], KEYS[i + 1], KEYS[i + 2], ARGV[6], ARGV[2], ARGV[5], ARGV[3], ARGV[4])
end
return 1`;

export const createMessageStore = (redis: Redis, keys: Keys, { leader, maxRoundsOf }: MessageRules): MessageStore => {
  const list = async (key: string): Promise<readonly MailboxMessage[]> =>
    (await redis.lrange(key, 0, -1)).map(parseLetter);

  const keyOf = (of: ChangeRequest, author: string | null): string =>
    author === null ? keys.ofChangeRequest(of, 'messages') : keys.conversation(of, author);

  const trySend = async (of: ChangeRequest, message: Sending, rules: OrderRules): Promise<SendOrder | null> => {
    const key = keyOf(of, authorBeside(message.message, leader));
    const messages = await list(key);
    const conversation = replayConversation(
      messages.map(({ message }) => message),
      rules,
    );
    const order = decideOrder(conversation, message.message, rules);
    if (order.kind !== 'accepted') return order;
    const { forge, projectId } = of;
    const boxes = recipientsOf(message.message).map((name): Box => ({ forge, projectId, name }));
    const names = [key, ...boxes.flatMap((box) => placesOf(keys, box))];
    const { id } = message.message;
    const args = [messages.length, JSON.stringify(message), KEEP_S, KEEP_MESSAGES, id, projectOfBox(of)];
    return Number(await redis.eval(APPEND, names.length, ...names, ...args)) === 1 ? { kind: 'accepted' } : null;
  };

  return {
    list: async (of, author) => list(keyOf(of, author)),
    send: async (of, message) => {
      const rules = { leader, maxRounds: await maxRoundsOf(of) };
      for (let tries = 0; tries < TRIES; tries += 1) {
        const order = await trySend(of, message, rules);
        if (order !== null) return order;
      }
      return {
        kind: 'refused',
        reason: 'concurrent update of the pending review request',
        expected: 'another try',
      };
    },
    read: async (box, after) => {
      const start = after === null ? '-' : `(${after}`;
      const entries = await redis.xrange(keys.mailbox(box), start, '+', 'COUNT', MAX_READ);
      return entries.map(([cursor, fields]) => ({ cursor, ...parseLetter(fields[1] ?? '') }));
    },
    find: async (box, messageId) => {
      // Several messages may have this id. The oldest is returned, so that a reader that continues after it misses no
      // message.
      const entries = await redis.xrange(keys.mailboxIds(box), '-', '+');
      return entries.find(([, fields]) => fields[1] === messageId)?.[0] ?? null;
    },
  };
};

/** The other party of a conversation with Fixpoint. Returns null when Fixpoint neither sent nor received the message. */
const authorBeside = (message: ReviewMessage, own: string): string | null => {
  if (message.from === own) return recipientsOf(message)[0] ?? null;
  return recipientsOf(message).includes(own) ? message.from : null;
};

const parseLetter = (text: string): MailboxMessage => MailboxMessage.parse(JSON.parse(text));
