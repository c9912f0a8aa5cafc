import type { Forge } from '../port.ts';
import type { ConnectOptions } from './connect-options.ts';
import { DIALECTS } from './dialects.ts';

/** Also probes the traits. Throws FORGE_BASE_URL_INVALID or FORGE_TOKEN_INVALID (fail), or a `ForgeRequestError`. */
export const connectForge = async (options: ConnectOptions, signal: AbortSignal): Promise<Forge> =>
  DIALECTS[options.kind].connect(options, signal);
