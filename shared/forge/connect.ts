import { AppError } from '../errors.ts';
import type { ForgeId } from '../rounds/vocabulary.ts';
import { type Clock, systemClock } from './clock.ts';
import { createForgejo } from './forgejo/adapter.ts';
import { createForgeHttp, type OnRequest, type Timeouts } from './http.ts';
import type { Forge } from './port.ts';
import type { RetryPolicy } from './retry.ts';
import { type ForgeTraits, probeTraits } from './traits.ts';

export type ForgeKind = 'forgejo' | 'gitea' | 'gitlab';

export type ConnectOptions = {
  readonly id: ForgeId;
  readonly kind: ForgeKind;
  readonly baseUrl: string;
  readonly token: string;
  /** PEM of a private certificate authority. */
  readonly ca?: string;
  readonly timeouts?: Timeouts;
  readonly retry?: RetryPolicy;
  readonly clock?: Clock;
  readonly onRequest?: OnRequest;
  /** Told once what the installation can do, for the log and the operator's check. */
  readonly onTraits?: (traits: ForgeTraits) => void;
};

const connectForgejo = async (options: ConnectOptions, signal: AbortSignal): Promise<Forge> => {
  const { id, baseUrl, token, ca, timeouts, retry, clock = systemClock, onRequest, onTraits } = options;
  const http = createForgeHttp({
    forgeId: id,
    baseUrl,
    token,
    clock,
    ...(ca === undefined ? {} : { ca }),
    ...(timeouts === undefined ? {} : { timeouts }),
    ...(retry === undefined ? {} : { retry }),
    ...(onRequest === undefined ? {} : { onRequest }),
  });
  const traits = await probeTraits(http, signal);
  onTraits?.(traits);
  return createForgejo({ http, traits, baseUrl, clock });
};

/**
 * Opens one configured forge and asks it what it can do.
 * Throws FORGE_KIND_UNSUPPORTED, FORGE_BASE_URL_INVALID or FORGE_TOKEN_INVALID (fail), or a `ForgeRequestError`.
 */
export const connectForge = async (options: ConnectOptions, signal: AbortSignal): Promise<Forge> => {
  switch (options.kind) {
    case 'forgejo':
    case 'gitea':
      return connectForgejo(options, signal);
    case 'gitlab':
      throw new AppError({
        code: 'FORGE_KIND_UNSUPPORTED',
        message: 'GitLab is not supported by this release yet',
        disposition: { kind: 'fail' },
        fields: { forge: options.id },
      });
    default:
      return options.kind satisfies never;
  }
};
