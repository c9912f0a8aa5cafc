import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Account } from '../forge/port.ts';
import type { Keys } from './keys.ts';

/**
 * Who the bot is on each forge: the account behind the writing token, which only the poster has. Guard may read with
 * another account and still has to know the bot's own comments and events.
 */
export type Identities = {
  publish(forge: string, account: Account): Promise<void>;
  load(forge: string): Promise<Account | null>;
};

const StoredAccount = z.object({ id: z.number().int(), login: z.string() });

export const createIdentities = (redis: Redis, keys: Keys): Identities => ({
  publish: async (forge, account) => {
    await redis.set(keys.identity(forge), JSON.stringify(account));
  },
  load: async (forge) => {
    const text = await redis.get(keys.identity(forge));
    return text === null ? null : StoredAccount.parse(JSON.parse(text));
  },
});
