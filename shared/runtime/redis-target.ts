import { readFileSync } from 'node:fs';
import type { Config } from '../config/load.ts';
import { demand } from '../config/secrets.ts';
import type { RedisTarget } from '../store/server/redis-target.ts';

/** The configured Redis. @throws if `redis.ca_file` cannot be read, or if the process did not request the secret */
export const redisTargetOf = ({ redis, secrets }: Pick<Config, 'redis' | 'secrets'>): RedisTarget => ({
  url: demand(secrets.redisUrl, 'redis'),
  ca: redis.caFile === null ? null : readFileSync(redis.caFile, 'utf8'),
  sentinels: redis.sentinels,
  sentinelPassword: secrets.sentinelPassword,
});
