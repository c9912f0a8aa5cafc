import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Account } from '../forge/port-facts.ts';
import type { Keys } from './keys.ts';

/** The account of the posting token. Guard may read with another token, but must recognise the bot's comments and events. */
export type Identities = {
  publish(forge: string, account: Account): Promise<void>;
  /** Returns null until the poster has published the account. The last value is cached, so that a Redis wipe does not lose it. */
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
