import type { ProxySetting } from '../../vocabulary/proxy-setting.ts';
import type { Capabilities } from './capabilities.ts';

export type ModelOptions = {
  /** Empty for a server without keys. */
  readonly apiKey: string;
  /** Usually only a host, without a path. It is never taken from the environment. */
  readonly baseUrl: string;
  /** Sent with every request, in addition to the headers of the format. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Certificates of a private authority, in PEM. */
  readonly ca?: string | null;
  /** Default: the variables of the environment decide. */
  readonly proxy?: ProxySetting;
  readonly capabilities?: Capabilities;
  readonly stream: boolean;
  /** Whether parts of a prompt may be cached for an hour. */
  readonly longCache: boolean;
  /** Longest silence within a stream. Every ping from the provider restarts this limit. */
  readonly idleTimeoutMs: number;
  readonly callTimeoutMs: number;
  /** Wall clock, for `Retry-After` dates. */
  readonly nowMs: () => number;
};
