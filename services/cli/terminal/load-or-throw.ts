import { type Config, type ConfigSource, loadConfig } from '../../../shared/config/load.ts';
import { UsageError } from './usage-error.ts';

/** Contract: a command that needs the address of Redis uses `loadWithRedis`. @throws UsageError with all problems, one per line */
export const loadOrThrow = (source: ConfigSource): Config => {
  const loaded = loadConfig(source);
  if (!loaded.ok) throw new UsageError(loaded.problems.join('\n'));
  return loaded.config;
};
