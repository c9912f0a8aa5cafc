/** The first word with a forge: whether it takes a token, for what, and what time it has. For whoever looks at an installation. */
import { z } from 'zod';
import type { ConnectOptions } from './connect.ts';
import { hasForgeCode } from '../errors.ts';
import { createForgeHttp, type ForgeHttp } from '../http.ts';
import { apiPath } from '../path.ts';

const Self = z.looseObject({ id: z.number() });
const OwnToken = z.looseObject({ scopes: z.array(z.string()), expires_at: z.iso.date().nullish() });

export type Greeting = {
  /** By the `Date` of its answer (RFC 9110, 6.6.1), precise to a second; null where it has none. */
  readonly theirTimeMs: number | null;
  /** What the token is for, in the words of GitLab; null where a forge does not tell. */
  readonly scopes: readonly string[] | null;
  /** The start of the day on which GitLab takes the token no more; null where a forge does not tell, or it stays. */
  readonly expiresAtMs: number | null;
};

export type Greeted = Pick<ConnectOptions, 'id' | 'kind' | 'baseUrl' | 'token' | 'ca' | 'timeouts' | 'retry'>;

/**
 * Every token of GitLab may ask about itself, from 15.5 on; only tokens of people, projects and groups are answered.
 *
 * - GitLab, GET /personal_access_tokens/self: https://docs.gitlab.com/api/personal_access_tokens/
 */
const fetchOwnToken = async (http: ForgeHttp, signal: AbortSignal): Promise<z.output<typeof OwnToken> | null> => {
  try {
    const path = apiPath`/api/v4/personal_access_tokens/self`;
    return (await http.read({ path, schema: OwnToken }, signal)).value;
  } catch (error) {
    if (hasForgeCode(error, 'FORGE_NOT_FOUND', 'FORGE_REJECTED', 'FORGE_FORBIDDEN')) return null;
    throw error;
  }
};

export const openGreeting = ({ id, kind, baseUrl, token, ca, timeouts, retry }: Greeted): ForgeHttp =>
  createForgeHttp({
    forgeId: id,
    baseUrl,
    token,
    ...(ca === undefined ? {} : { ca }),
    ...(timeouts === undefined ? {} : { timeouts }),
    ...(retry === undefined ? {} : { retry }),
    ...(kind === 'gitlab' ? { tokenHeader: (text: string) => ({ 'private-token': text }) } : {}),
  });

/**
 * Asks for the account of the token, once and without a probe. @throws as every call of a forge does.
 *
 * - Forgejo, Gitea, GET /user: https://codeberg.org/api/swagger#/user/userGetCurrent
 * - GitLab, GET /user:         https://docs.gitlab.com/api/users/#retrieve-the-current-user
 */
export const greetForge = async (greeted: Greeted, signal: AbortSignal): Promise<Greeting> => {
  const isGitlab = greeted.kind === 'gitlab';
  const http = openGreeting(greeted);
  const path = isGitlab ? apiPath`/api/v4/user` : apiPath`/api/v1/user`;
  const { headers } = await http.read({ path, schema: Self }, signal);
  const theirs = Date.parse(headers.date ?? '');
  const own = isGitlab ? await fetchOwnToken(http, signal) : null;
  return {
    theirTimeMs: Number.isNaN(theirs) ? null : theirs,
    scopes: own?.scopes ?? null,
    expiresAtMs: own?.expires_at === null || own?.expires_at === undefined ? null : Date.parse(own.expires_at),
  };
};
