/** The address of the Redis that `fixpoint up` started itself: written beside its data, for the other commands to find. */
import { readFileSync } from 'node:fs';
import { chmod, mkdir, rm, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { loadConfig } from '../../shared/config/load.ts';
import type { Environment } from '../../shared/config/secrets.ts';

const ADDRESS = 'address';

export const redisFolder = (dataDir: string): string => path.join(dataDir, 'redis');

/** Everybody may pass through the data folder, as the account of the cage must; into Redis' own only its owner. */
export const makeRedisFolder = async (dataDir: string): Promise<string> => {
  await mkdir(dataDir, { recursive: true, mode: 0o755 });
  const folder = redisFolder(dataDir);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await chmod(folder, 0o700);
  return folder;
};

export const publishAddress = async (folder: string, url: string): Promise<void> =>
  writeFile(path.join(folder, ADDRESS), `${url}\n`, { mode: 0o600 });

export const withdrawAddress = async (folder: string): Promise<void> => rm(path.join(folder, ADDRESS), { force: true });

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^(?:ENOENT|ENOTDIR|EACCES)$/.test(String(error.code));

const readAddress = (dataDir: string): string | null => {
  try {
    const url = readFileSync(path.join(redisFolder(dataDir), ADDRESS), 'utf8').trim();
    return url === '' ? null : url;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
};

/** The environment with the address where none is configured and `up` has started a server; else as it is. */
export const withOwnRedis = (configPath: string, env: Environment): Environment => {
  const plain = loadConfig({ path: configPath, env, needs: [] });
  if (!plain.ok) return env;
  const { dataDir, redis } = plain.config;
  const { [redis.urlEnv]: configured = '' } = env;
  const url = configured === '' ? readAddress(dataDir) : null;
  return url === null ? env : { ...env, [redis.urlEnv]: url };
};
