/** Finds which kind of forge answers at an address. Sends no token, because the address may be mistyped. */
import { z } from 'zod';
import { hasForgeCode } from '../errors.ts';
import { createForgeHttp, type HttpOptions } from '../http.ts';
import { DIALECTS, type ForgeKind } from './forge-kind.ts';
import type { RetryPolicy } from '../retry.ts';

const Version = z.object({ version: z.string() });

/** A placeholder for the token, which no header carries. */
const NO_TOKEN = { token: 'none', tokenHeader: () => ({}) } as const;
const RETRY: RetryPolicy = { attempts: 2, baseMs: 200, capMs: 1_000, maxRetryAfterMs: 5_000 };

export type Recognising = {
  readonly signal: AbortSignal;
  readonly options?: Pick<HttpOptions, 'ca' | 'timeouts' | 'retry'>;
};

/**
 * The first of `kinds` that answers, or null. A forge may also answer the request of another kind, so the order is that
 * of the table.
 * @throws FORGE_BASE_URL_INVALID; FORGE_UNAVAILABLE or FORGE_RATE_LIMITED when the address cannot be reached
 */
export const recogniseForge = async (
  baseUrl: string,
  kinds: readonly ForgeKind[],
  { signal, options = {} }: Recognising,
): Promise<ForgeKind | null> => {
  const http = createForgeHttp({ forgeId: 'forge', baseUrl, ...NO_TOKEN, retry: RETRY, ...options });
  for (const kind of kinds) {
    try {
      await http.read({ path: DIALECTS[kind].versionPath, schema: Version }, signal);
      return kind;
    } catch (error) {
      // A forge that hides everything from anonymous visitors also sends these errors.
      if (hasForgeCode(error, 'FORGE_UNAUTHORISED', 'FORGE_FORBIDDEN')) return kind;
      if (!hasForgeCode(error, 'FORGE_NOT_FOUND', 'FORGE_BAD_ANSWER', 'FORGE_REDIRECTED', 'FORGE_REJECTED'))
        throw error;
    }
  }
  return null;
};
