import type { Redis } from 'ioredis';
import type { Config } from '../../../shared/config/load.ts';
import type { Queues } from '../../../shared/queue/enqueue.ts';
import type { Keys } from '../../../shared/store/keys.ts';
import type { Sight } from '../access/sight.ts';

/** What pages are read from: Redis and the settings, no forge. */
export type PageSource = {
  /** Contract: commands fail within seconds while Redis is away. */
  readonly redis: Redis;
  readonly keys: Keys;
  readonly queues: Pick<Queues, 'queue' | 'enqueue'>;
  readonly config: Config;
  /** The file of the settings. Null if it cannot be read. */
  readonly settingsFile: { readonly name: string; readonly text: string } | null;
  /** Removes the secrets of this process, and anything in the format of a credential. */
  readonly clean: (text: string) => string;
  readonly nowMs: () => number;
  readonly sight: Sight;
};
