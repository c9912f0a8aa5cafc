import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Account } from '../forge/port-facts.ts';
import type { Keys } from './keys.ts';

/**
 * Who the bot is on each forge: the account behind the writing token, which only the poster has. Guard may read with
 * another account and still has to know the bot's own comments and events.
 */
export type Identities = {
  publish(forge: string, account: Account): Promise<void>;
  /**
   * Null until the poster has said it. The last answer is remembered: after a wiped Redis the bot must not be a stranger
   * to itself, which would start everything over.
   */
  load(forge: string): Promise<Account | null>;
};

const StoredAccount = z.object({ id: z.number().int(), login: z.string() });

export const createIdentities = (redis: Redis, keys: Keys): Identities => {
  const known = new Map<string, Account>();
  return {
    publish: async (forge, account) => {
      await redis.set(keys.identity(forge), JSON.stringify(account));
    },
    load: async (forge) => {
      const text = await redis.get(keys.identity(forge));
      if (text !== null) known.set(forge, StoredAccount.parse(JSON.parse(text)));
      return known.get(forge) ?? null;
    },
  };
};
