/**
 * Messages over Redis: one list per change request, which holds the conversation, and one stream per recipient in a
 * project, whose ids grow and are what a reader asks to go on after.
 */
import type { Redis } from 'ioredis';
import { z } from 'zod';
import { decideOrder, type Order, type OrderRules, replayConversation } from '../protocol/conversation.ts';
import { FindingsPacket } from '../protocol/findings-packet.ts';
import { ReviewMessage, recipientsOf } from '../protocol/message.ts';
import type { ChangeRequest } from '../rounds/vocabulary.ts';
import type { Keys } from '../store/keys.ts';

/** A message with the packet that it points to, when its sender gave one along. */
export const Letter = z.object({ message: ReviewMessage, packet: FindingsPacket.nullable() });
export type Letter = z.output<typeof Letter>;

export type Delivered = Letter & {
  /** What `read` takes as `after`. */
  readonly cursor: string;
};

export type PostOffice = {
  /** Contract: `accepted` and `repeated` both mean that every recipient can read it. Rejects when that is not certain. */
  send(of: ChangeRequest, letter: Letter): Promise<Order>;
  /** Oldest first, at most `MAX_READ`; `after` null begins with the oldest that is kept. */
  read(box: Box, after: string | null): Promise<readonly Delivered[]>;
  /** All that was accepted about one change request, in order. */
  list(of: ChangeRequest): Promise<readonly Letter[]>;
};

/** Everything for one name in one project. */
export type Box = { readonly forge: string; readonly projectId: number; readonly name: string };

const MAX_READ = 50;
const KEEP_S = 30 * 24 * 3600;
const KEEP_LETTERS = 1000;
/** Two messages at once are put into an order; a change request with more writers than this is told to try again. */
const TRIES = 8;

/**
 * KEYS: conversation, one stream per recipient. ARGV: length that the order was decided for, letter, ttl, letters kept.
 * Answers 0 when somebody was faster: then the order is decided again.
 */
const APPEND = `
if redis.call('LLEN', KEYS[1]) ~= tonumber(ARGV[1]) then return 0 end
redis.call('RPUSH', KEYS[1], ARGV[2])
redis.call('EXPIRE', KEYS[1], ARGV[3])
for i = 2, #KEYS do
  redis.call('XADD', KEYS[i], 'MAXLEN', '~', ARGV[4], '*', 'letter', ARGV[2])
  redis.call('EXPIRE', KEYS[i], ARGV[3])
end
return 1`;

export const createPostOffice = (redis: Redis, keys: Keys, rules: OrderRules): PostOffice => {
  const list = async (of: ChangeRequest): Promise<readonly Letter[]> =>
    (await redis.lrange(keys.ofChangeRequest(of, 'messages'), 0, -1)).map(parseLetter);

  const trySend = async (of: ChangeRequest, letter: Letter): Promise<Order | null> => {
    const letters = await list(of);
    const conversation = replayConversation(
      letters.map(({ message }) => message),
      rules,
    );
    const order = decideOrder(conversation, letter.message, rules);
    if (order.kind !== 'accepted') return order;
    const { forge, projectId } = of;
    const boxes = recipientsOf(letter.message).map((name) => keys.mailbox({ forge, projectId, name }));
    const names = [keys.ofChangeRequest(of, 'messages'), ...boxes];
    const args = [letters.length, JSON.stringify(letter), KEEP_S, KEEP_LETTERS];
    return Number(await redis.eval(APPEND, names.length, ...names, ...args)) === 1 ? order : null;
  };

  return {
    list,
    send: async (of, letter) => {
      for (let tries = 0; tries < TRIES; tries += 1) {
        const order = await trySend(of, letter);
        if (order !== null) return order;
      }
      return {
        kind: 'refused',
        reason: 'others write about this change request at the same time',
        expected: 'another try',
      };
    },
    read: async (box, after) => {
      const start = after === null ? '-' : `(${after}`;
      const entries = await redis.xrange(keys.mailbox(box), start, '+', 'COUNT', MAX_READ);
      return entries.map(([cursor, fields]) => ({ cursor, ...parseLetter(fields[1] ?? '') }));
    },
  };
};

const parseLetter = (text: string): Letter => Letter.parse(JSON.parse(text));
