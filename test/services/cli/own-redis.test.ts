/** F-F2, F-R8: the Redis that `fixpoint up` starts itself, and how the other commands find it. */
import { chmodSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { findRedis } from '../../../services/cli/find-redis.ts';
import { withOwnRedis } from '../../../services/cli/own-redis.ts';
import { status } from '../../../services/cli/status.ts';
import { temporaryFolder } from '../../shared/workspace/repository.ts';

let folder = temporaryFolder();
beforeEach(() => {
  folder = temporaryFolder();
  chmodSync(folder.path, 0o755);
});
afterEach(() => folder.dispose());

const configure = (): string => {
  const file = path.join(folder.path, 'fixpoint.toml');
  const forge = '[[forge]]\nid = "main"\nkind = "forgejo"\nbase_url = "https://forge.example"\ntoken_env = "TOKEN"';
  writeFileSync(file, `data_dir = "data"\n${forge}\nwebhook_secret_envs = ["W"]\nprojects = ["a/b"]\n`);
  return file;
};

const modeOf = (...parts: readonly string[]): string =>
  (statSync(path.join(folder.path, ...parts)).mode & 0o777).toString(8);

test('F-F2: its address is on disk while it runs, and a configured one goes before it', async () => {
  const config = configure();
  const dataDir = path.join(folder.path, 'data');
  expect(withOwnRedis(config, {})).toEqual({});
  const found = await findRedis({ url: undefined, dataDir }, process.env['PATH'] ?? '');
  if (found === null) throw new Error('no redis-server is installed');
  expect(withOwnRedis(config, {})).toEqual({ REDIS_URL: found.url });
  expect(withOwnRedis(config, { REDIS_URL: 'redis://other' })).toEqual({ REDIS_URL: 'redis://other' });
  expect(await status(undefined, { config, format: 'json' })).toBe(0);
  await found.stop();
  expect(withOwnRedis(config, {})).toEqual({});
});

test('F-R8: its folder is closed to others, and the data folder is open to the account of the cage', async () => {
  const dataDir = path.join(folder.path, 'data');
  const found = await findRedis({ url: '', dataDir }, process.env['PATH'] ?? '');
  expect({ data: modeOf('data'), redis: modeOf('data', 'redis'), address: modeOf('data', 'redis', 'address') }).toEqual(
    {
      data: '755',
      redis: '700',
      address: '600',
    },
  );
  await found?.stop();
});
