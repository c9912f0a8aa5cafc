/** A Redis to work with: the configured one, else a server of our own on loopback with its append-only file. */
import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access } from 'node:fs/promises';
import { createServer } from 'node:net';
import path from 'node:path';
import { awaitRedis, connectRedis } from '../../shared/store/redis.ts';
import { makeRedisFolder, publishAddress, withdrawAddress } from './own-redis.ts';
import { timeLimit } from '../../shared/time-limit.ts';
import { childEnvironment } from '../../shared/workspace/child-environment.ts';

export type FoundRedis = {
  readonly url: string;
  /** Ends a server that was started here; a configured one is left alone. */
  readonly stop: () => Promise<void>;
};

const SERVERS = ['redis-server', 'valkey-server'];
const START_MS = 15_000;

/** Null when none is configured and none is installed. */
export const findRedis = async (
  { url, dataDir }: { readonly url: string | undefined; readonly dataDir: string },
  searchPath: string,
): Promise<FoundRedis | null> => {
  if (url !== undefined && url !== '') return { url, stop: async () => {} };
  const server = await findServer(searchPath);
  return server === null ? null : startServer(server, await makeRedisFolder(dataDir));
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

const startServer = async (server: string, folder: string): Promise<FoundRedis> => {
  const port = await freePort();
  const child = spawn(
    server,
    [
      '--bind',
      '127.0.0.1',
      '--port',
      `${port}`,
      '--dir',
      folder,
      '--appendonly',
      'yes',
      '--maxmemory-policy',
      'noeviction',
    ],
    // A group of its own: a key press in the terminal must not end it before the services have drained.
    { env: childEnvironment(process.env), stdio: 'ignore', detached: true },
  );
  const url = `redis://127.0.0.1:${port}`;
  const gone = new Promise<void>((resolve) => {
    child.once('exit', () => resolve());
    child.once('error', () => resolve());
  });
  const redis = connectRedis(url, 'worker');
  try {
    await awaitRedis(redis, START_MS, timeLimit(START_MS));
  } finally {
    redis.disconnect();
  }
  await publishAddress(folder, url);
  return {
    url,
    stop: async () => {
      await withdrawAddress(folder);
      child.kill('SIGTERM');
      await gone;
    },
  };
};

const freePort = async (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() =>
        address === null || typeof address === 'string' ? reject(new Error('no free port')) : resolve(address.port),
      );
    });
  });
