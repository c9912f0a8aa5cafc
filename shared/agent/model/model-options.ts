export type ModelOptions = {
  readonly apiKey: string;
  /** Usually only a host, without a path. It is never taken from the environment. */
  readonly baseUrl: string;
  readonly stream: boolean;
  /** Whether parts of a prompt may be cached for an hour. */
  readonly longCache: boolean;
  /** Longest silence within a stream. Every ping of the provider restarts it. */
  readonly idleTimeoutMs: number;
  readonly callTimeoutMs: number;
  /** Wall clock, for `Retry-After` dates. */
  readonly nowMs: () => number;
};
