import type { InstallationOptions } from '../dialect/connect-options.ts';
import type { Forge } from '../port.ts';
import { DIALECTS, type ForgeKind } from './forge-kind.ts';

export type ConnectOptions = InstallationOptions & { readonly kind: ForgeKind };

/** Also probes the traits. Throws FORGE_BASE_URL_INVALID or FORGE_TOKEN_INVALID (fail), or a `ForgeRequestError`. */
export const connectForge = async (options: ConnectOptions, signal: AbortSignal): Promise<Forge> =>
  DIALECTS[options.kind].connect(options, signal);
