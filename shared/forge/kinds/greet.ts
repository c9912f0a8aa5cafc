/** The first request to a forge: whether it takes a token, for what, and what time it has. For the operator's check. */
import { z } from 'zod';
import type { ForgeHttp } from '../http.ts';
import { type ConnectOptions, openHttp } from './connect-options.ts';
import { DIALECTS } from './dialects.ts';

const Self = z.looseObject({ id: z.number() });

export type Greeting = {
  /** By the `Date` of its answer (RFC 9110, 6.6.1), precise to a second; null where it has none. */
  readonly theirTimeMs: number | null;
  /** What the token is for, in the words of GitLab; null where a forge does not tell. */
  readonly scopes: readonly string[] | null;
  /** The start of the day on which GitLab takes the token no more; null where a forge does not tell, or it stays. */
  readonly expiresAtMs: number | null;
};

export type Greeted = Pick<ConnectOptions, 'id' | 'kind' | 'baseUrl' | 'token' | 'ca' | 'timeouts' | 'retry'>;

export const openGreeting = (greeted: Greeted): ForgeHttp => openHttp(greeted, DIALECTS[greeted.kind].tokenHeader);

/** Asks for the account of the token, once and without a probe. @throws as every call of a forge does. */
export const greetForge = async (greeted: Greeted, signal: AbortSignal): Promise<Greeting> => {
  const { selfPath, readOwnToken } = DIALECTS[greeted.kind];
  const http = openGreeting(greeted);
  const { headers } = await http.read({ path: selfPath, schema: Self }, signal);
  const theirs = Date.parse(headers.date ?? '');
  const own = readOwnToken === null ? null : await readOwnToken(http, signal);
  return {
    theirTimeMs: Number.isNaN(theirs) ? null : theirs,
    scopes: own?.scopes ?? null,
    expiresAtMs: own?.expiresAtMs ?? null,
  };
};
