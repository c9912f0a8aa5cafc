/** The first request to a forge, for `doctor`: whether the token is accepted, its scopes, and the forge's clock. */
import { z } from 'zod';
import type { ForgeHttp } from '../http.ts';
import { openHttp } from '../dialect/connect-options.ts';
import type { ConnectOptions } from './connect.ts';
import { DIALECTS } from './forge-kind.ts';

const Self = z.looseObject({ id: z.number() });

export type Greeting = {
  /** Time from the `Date` header (RFC 9110, 6.6.1), precise to a second. Null when the response has none. */
  readonly theirTimeMs: number | null;
  /** Scopes of the token as GitLab names them. Null when the forge does not report them. */
  readonly scopes: readonly string[] | null;
  /** Start of the day from which GitLab rejects the token. Null when unknown or when the token does not expire. */
  readonly expiresAtMs: number | null;
};

export type Greeted = Pick<ConnectOptions, 'id' | 'kind' | 'baseUrl' | 'token' | 'ca' | 'proxy' | 'timeouts' | 'retry'>;

export const openGreeting = (greeted: Greeted): ForgeHttp => openHttp(greeted, DIALECTS[greeted.kind].tokenHeader);

/** Throws `ForgeRequestError`. */
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
