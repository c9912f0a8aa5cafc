/** Which kind of forge answers at an address: by a route that only this kind has, never by a name. No token is sent. */
import { z } from 'zod';
import { hasForgeCode } from '../errors.ts';
import { createForgeHttp, type HttpOptions } from '../http.ts';
import { type ApiPath, apiPath } from '../path.ts';
import type { ForgeKind } from '../../vocabulary/forge-kind.ts';

const Version = z.object({ version: z.string() });

/**
 * In this order, because Forgejo also has the routes of Gitea.
 * - GET /api/forgejo/v1/version: https://codeberg.org/api/forgejo/swagger#/default/getVersion
 * - GET /api/v1/version:         https://codeberg.org/api/swagger#/miscellaneous/getVersion
 * - GET /api/v4/version:         https://docs.gitlab.com/api/version/
 */
const ROUTES: readonly (readonly [kind: ForgeKind, path: ApiPath])[] = [
  ['forgejo', apiPath`/api/forgejo/v1/version`],
  ['gitea', apiPath`/api/v1/version`],
  ['gitlab', apiPath`/api/v4/version`],
];

const ELSEWHERE = ['FORGE_NOT_FOUND', 'FORGE_REDIRECTED', 'FORGE_REJECTED', 'FORGE_BAD_ANSWER'] as const;

/** Null when no kind answers. @throws `ForgeRequestError` when the address cannot be reached */
export const detectKind = async (
  asked: Pick<HttpOptions, 'baseUrl' | 'ca' | 'timeouts' | 'retry'>,
  signal: AbortSignal,
): Promise<ForgeKind | null> => {
  const http = createForgeHttp({ ...asked, forgeId: 'setup', token: 'none', tokenHeader: () => ({}) });
  for (const [kind, path] of ROUTES) {
    try {
      await http.read({ path, schema: Version }, signal);
      return kind;
    } catch (error) {
      // GitLab demands a token for its version; the others do where every visitor must sign in.
      if (hasForgeCode(error, 'FORGE_UNAUTHORISED', 'FORGE_FORBIDDEN')) return kind;
      if (!hasForgeCode(error, ...ELSEWHERE)) throw error;
    }
  }
  return null;
};
