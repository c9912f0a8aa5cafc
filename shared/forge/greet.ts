/** The first word with a forge: whether it takes a token, and what time it has. For whoever looks at an installation. */
import { z } from 'zod';
import type { ConnectOptions } from './connect.ts';
import { createForgeHttp } from './http.ts';
import { apiPath } from './path.ts';

const Self = z.looseObject({ id: z.number() });

export type Greeting = {
  /** By the `Date` of its answer (RFC 9110, 6.6.1), precise to a second; null where it has none. */
  readonly theirTimeMs: number | null;
};

type Greeted = Pick<ConnectOptions, 'id' | 'kind' | 'baseUrl' | 'token' | 'ca' | 'timeouts' | 'retry'>;

/**
 * Asks for the account of the token, once and without a probe. @throws as every call of a forge does.
 *
 * - Forgejo, Gitea, GET /user: https://codeberg.org/api/swagger#/user/userGetCurrent
 * - GitLab, GET /user:         https://docs.gitlab.com/api/users/#retrieve-the-current-user
 */
export const greetForge = async (
  { id, kind, baseUrl, token, ca, timeouts, retry }: Greeted,
  signal: AbortSignal,
): Promise<Greeting> => {
  const isGitlab = kind === 'gitlab';
  const http = createForgeHttp({
    forgeId: id,
    baseUrl,
    token,
    ...(ca === undefined ? {} : { ca }),
    ...(timeouts === undefined ? {} : { timeouts }),
    ...(retry === undefined ? {} : { retry }),
    ...(isGitlab ? { tokenHeader: (text: string) => ({ 'private-token': text }) } : {}),
  });
  const path = isGitlab ? apiPath`/api/v4/user` : apiPath`/api/v1/user`;
  const { headers } = await http.read({ path, schema: Self }, signal);
  const theirs = Date.parse(headers.date ?? '');
  return { theirTimeMs: Number.isNaN(theirs) ? null : theirs };
};
