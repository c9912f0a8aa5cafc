/** Where `fixpoint up` stores the address of the Redis server that it started, and whether a service uses that server. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Config } from '../config/load.ts';

const ADDRESS = 'address';

export const redisFolder = (dataDir: string): string => path.join(dataDir, 'redis');

export const addressFile = (folder: string): string => path.join(folder, ADDRESS);

const isMissing = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && /^(?:ENOENT|ENOTDIR|EACCES)$/.test(String(error.code));

/** Returns null if no server is running. */
export const readAddress = (folder: string): string | null => {
  try {
    const url = readFileSync(addressFile(folder), 'utf8').trim();
    return url === '' ? null : url;
  } catch (error) {
    if (isMissing(error)) return null;
    throw error;
  }
};

/** A service without an address shares the connection of its process. */
export const isEmbeddedRedis = ({ dataDir, secrets: { redisUrl } }: Pick<Config, 'dataDir' | 'secrets'>): boolean =>
  redisUrl === null || redisUrl === readAddress(redisFolder(dataDir));
