export type ModelOptions = {
  readonly apiKey: string;
  /** Usually only a host, without a path; never taken from the environment. */
  readonly baseUrl: string;
  readonly stream: boolean;
  /** Longest silence within a stream; pings reset it. */
  readonly idleTimeoutMs: number;
  readonly callTimeoutMs: number;
  /** Wall clock, for `Retry-After` dates. */
  readonly nowMs: () => number;
};
