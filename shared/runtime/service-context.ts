import type { Redis } from 'ioredis';
import type { Config } from '../config/load.ts';
import type { Forge } from '../forge/port.ts';
import type { Logger } from '../logger.ts';
import type { Metrics } from '../metrics.ts';

export type ServiceContext = {
  readonly config: Config;
  readonly redis: Redis;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Empty for services without a forge token. */
  readonly forges: ReadonlyMap<string, Forge>;
  /** Epoch ms by the clock of the store; see `store/steady-clock.ts`. */
  readonly nowMs: () => number;
  /** Aborts when the process begins to leave. */
  readonly signal: AbortSignal;
};
