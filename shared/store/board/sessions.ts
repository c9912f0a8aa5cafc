/** Sessions of browsers on the operator's page. Ending one is final, and so is a change of its token. */
import { createHash, createHmac, randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { z } from 'zod';
import type { Keys } from '../keys.ts';
import { parseStored } from '../parse-stored.ts';

export const ConsoleScope = z.enum(['read', 'write']);
export type ConsoleScope = z.output<typeof ConsoleScope>;

/** `token`: a hash of the token with which the session began. */
const StoredSession = z.object({ scope: ConsoleScope, token: z.string() });

export type Sessions = {
  /** Returns the id, which only the browser keeps. */
  begin(scope: ConsoleScope, token: string): Promise<string>;
  /** Null if there is no such session, or if the token of its scope has changed. */
  find(id: string, tokens: ScopeTokens): Promise<ConsoleScope | null>;
  end(id: string): Promise<void>;
};

export type ScopeTokens = { readonly read: string; readonly write: string | null };

export const SESSION_S = 12 * 3600;

const hashOf = (id: string): string => createHash('sha256').update(id).digest('hex');

/** Keyed with the token, so that the stored value does not help to guess it. */
const markOf = (token: string): string => createHmac('sha256', token).update('console-session').digest('hex');

export const createSessions = (redis: Redis, keys: Keys): Sessions => ({
  begin: async (scope, token) => {
    const id = randomBytes(32).toString('base64url');
    const stored = JSON.stringify({ scope, token: markOf(token) });
    await redis.set(keys.consoleSession(hashOf(id)), stored, 'EX', SESSION_S);
    return id;
  },
  find: async (id, tokens) => {
    const stored = parseStored(StoredSession, await redis.get(keys.consoleSession(hashOf(id))));
    if (stored === null) return null;
    const token = tokens[stored.scope];
    return token !== null && stored.token === markOf(token) ? stored.scope : null;
  },
  end: async (id) => void (await redis.del(keys.consoleSession(hashOf(id)))),
});
