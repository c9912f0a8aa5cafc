import type { ForgeKind } from '../../vocabulary/forge-kind.ts';
import type { ForgeId } from '../../vocabulary/ids.ts';
import { type Clock, systemClock } from '../clock.ts';
import { createForgejo } from '../forgejo/adapter.ts';
import { createGitlab } from '../gitlab/adapter.ts';
import type { UnsetStatus } from '../gitlab/api/context.ts';
import { createGitlabApi } from '../gitlab/api/requester.ts';
import { type GitlabTraits, probeGitlabTraits } from '../gitlab/api/traits.ts';
import { createForgeHttp, type ForgeHttp, type HttpOptions, type OnRequest, type Timeouts } from '../http.ts';
import type { Forge } from '../port.ts';
import type { RetryPolicy } from '../retry.ts';
import { type ForgeTraits, probeTraits } from '../forgejo/traits.ts';

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
  readonly onTraits?: (traits: ForgeTraits | GitlabTraits) => void;
  /** Told when a status could not be set because the head lies in a fork. Nothing else fails then. */
  readonly onStatusUnset?: (unset: UnsetStatus) => void;
};

const openHttp = (options: ConnectOptions, tokenHeader?: HttpOptions['tokenHeader']): ForgeHttp => {
  const { id, baseUrl, token, ca, timeouts, retry, clock = systemClock, onRequest } = options;
  return createForgeHttp({
    forgeId: id,
    baseUrl,
    token,
    clock,
    ...(ca === undefined ? {} : { ca }),
    ...(timeouts === undefined ? {} : { timeouts }),
    ...(retry === undefined ? {} : { retry }),
    ...(onRequest === undefined ? {} : { onRequest }),
    ...(tokenHeader === undefined ? {} : { tokenHeader }),
  });
};

const connectForgejo = async (options: ConnectOptions, signal: AbortSignal): Promise<Forge> => {
  const { baseUrl, clock = systemClock, onTraits } = options;
  const http = openHttp(options);
  const traits = await probeTraits(http, signal);
  onTraits?.(traits);
  return createForgejo({ http, traits, baseUrl, clock });
};

const connectGitlab = async (options: ConnectOptions, signal: AbortSignal): Promise<Forge> => {
  const { baseUrl, clock = systemClock, onTraits, onStatusUnset = () => {} } = options;
  // Tokens of people, projects and groups alike: https://docs.gitlab.com/api/rest/authentication/
  const http = openHttp(options, (token) => ({ 'private-token': token }));
  const api = createGitlabApi(http);
  const traits = await probeGitlabTraits(api, http, signal);
  onTraits?.(traits);
  return createGitlab({ http, api, traits, baseUrl, clock, onStatusUnset });
};

/**
 * Opens one configured forge and asks it what it can do.
 * Throws FORGE_BASE_URL_INVALID or FORGE_TOKEN_INVALID (fail), or a `ForgeRequestError`.
 */
export const connectForge = async (options: ConnectOptions, signal: AbortSignal): Promise<Forge> => {
  switch (options.kind) {
    case 'forgejo':
    case 'gitea':
      return connectForgejo(options, signal);
    case 'gitlab':
      return connectGitlab(options, signal);
    default:
      return options.kind satisfies never;
  }
};
