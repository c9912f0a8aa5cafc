import type { Redis } from 'ioredis';
import type { Config } from '../config/load.ts';
import type { Forge } from '../forge/port.ts';
import type { Logger } from '../logger.ts';
import type { Metrics } from '../metrics.ts';
import type { LastAnswers } from './last-answers.ts';

export type ServiceContext = {
  readonly config: Config;
  /** The file from which the settings were loaded. Absent if there is none. */
  readonly configPath?: string | undefined;
  readonly redis: Redis;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Forges by id. Empty for services without a forge token. */
  readonly forges: ReadonlyMap<string, Forge>;
  /** Epoch ms by the store's clock. See `store/steady-clock.ts`. */
  readonly nowMs: () => number;
  readonly signal: AbortSignal;
  /** Notes what a forge or a model answered, for the operator's page. */
  readonly answered?: LastAnswers['note'];
};
