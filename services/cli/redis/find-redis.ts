import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import path from 'node:path';
import { endLeftover } from './leftover-redis.ts';
import { makeRedisFolder } from './own-redis.ts';
import { startRedisServer } from './redis-server.ts';

export type FoundRedis = {
  readonly url: string;
  /** Resolves with how the server ended, when it ends. Null for a configured server. */
  readonly gone: Promise<string> | null;
  /** Null for a configured server. `again` restarts it, on the same address and with the same data. */
  readonly own: { readonly folder: string; readonly again: () => Promise<FoundRedis> } | null;
  readonly stop: () => Promise<void>;
};

const SERVERS = ['redis-server', 'valkey-server'];

export const findRedis = async (
  { url, dataDir }: { readonly url: string | undefined; readonly dataDir: string },
  searchPath: string,
): Promise<FoundRedis | null> => {
  if (url !== undefined && url !== '') return { url, gone: null, own: null, stop: async () => {} };
  const program = await findServer(searchPath);
  if (program === null) return null;
  const folder = await makeRedisFolder(dataDir);
  await endLeftover(folder);
  return startOwn(program, folder);
};

const startOwn = async (program: string, folder: string, port?: number): Promise<FoundRedis> => {
  const server = await startRedisServer(program, folder, port);
  const again = async (): Promise<FoundRedis> => {
    // Without this, the old server's connection would reconnect to the new server and keep this process alive.
    await server.stop();
    return startOwn(program, folder, Number(new URL(server.url).port));
  };
  return { ...server, own: { folder, again } };
};

const findServer = async (searchPath: string): Promise<string | null> => {
  for (const folder of searchPath.split(path.delimiter).filter((each) => path.isAbsolute(each))) {
    for (const name of SERVERS) {
      const candidate = path.join(folder, name);
      if (await isExecutable(candidate)) return candidate;
    }
  }
  return null;
};

const isExecutable = async (file: string): Promise<boolean> => {
  try {
    await access(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
};
