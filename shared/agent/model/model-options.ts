export type ModelOptions = {
  readonly apiKey: string;
  /** Without a path behind the host as a rule; never taken from the environment. */
  readonly baseUrl: string;
  readonly stream: boolean;
  /** The longest silence within a stream, pings counted as life. */
  readonly idleTimeoutMs: number;
  readonly callTimeoutMs: number;
  /** Wall clock, for delays that are named as dates. */
  readonly nowMs: () => number;
};
