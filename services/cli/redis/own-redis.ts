/** Address of the Redis server that `fixpoint up` started, stored beside its data so that other commands can find it. */
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import { type Config, type ConfigSource, loadConfig } from '../../../shared/config/load.ts';
import { addressFile, readAddress, redisFolder } from '../../../shared/runtime/embedded-redis.ts';
import { loadOrThrow } from '../terminal/load-or-throw.ts';
import { withEnvFile } from '../variables/with-env-file.ts';

/** The data folder is open to all accounts, because the cage's account passes through it; the Redis folder is private. */
export const makeRedisFolder = async (dataDir: string): Promise<string> => {
  await mkdir(dataDir, { recursive: true, mode: 0o755 });
  const folder = redisFolder(dataDir);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  return folder;
};

export const publishAddress = async (folder: string, url: string): Promise<void> =>
  writeFile(addressFile(folder), `${url}\n`, { mode: 0o600 });

export const withdrawAddress = async (folder: string): Promise<void> => rm(addressFile(folder), { force: true });

/**
 * Adds the variables of the environment file and, if no Redis is configured, the address of the server that `up`
 * started.
 */
export const withOwnRedis = <Source extends ConfigSource>(given: Source): Source => {
  const source = withEnvFile(given);
  const plain = loadConfig({ ...source, needs: [] });
  if (!plain.ok) return source;
  const { dataDir, redis } = plain.config;
  const { [redis.urlEnv]: configured = '' } = source.env;
  const url = configured === '' ? readAddress(redisFolder(dataDir)) : null;
  return url === null ? source : { ...source, env: { ...source.env, [redis.urlEnv]: url } };
};

/**
 * Loads the configuration for a command that uses Redis. Every command that uses Redis calls this or `withOwnRedis`.
 */
export const loadWithRedis = (source: ConfigSource): Config => loadOrThrow(withOwnRedis(source));
