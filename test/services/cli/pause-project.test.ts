/** `fixpoint pause` and `fixpoint continue`, and what `fixpoint status` says meanwhile. */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { userName } from '../../../services/cli/pause-project.ts';
import { createPauses } from '../../../shared/store/board/pauses.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { connectRedis } from '../../../shared/store/redis.ts';
import { temporaryFolder } from '../../shared/workspace/repository.ts';
import * as make from '../../shared/rounds/builders.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { makeSettings } from '../../support/settings.ts';
import { runCli } from './run-cli.ts';

const RUN_MS = 60_000;
const WISH = { forgeUrl: 'http://127.0.0.1:1', token: 'unused-token', projects: ['a/b'] };
const OF = { forge: 'sim', projectId: 4, number: 7 };

let folder: ReturnType<typeof temporaryFolder>;
let redis: TestRedis;
let configFile = '';

beforeAll(async () => {
  folder = temporaryFolder();
  redis = await startRedis();
  configFile = join(folder.path, 'fixpoint.toml');
  await writeFile(configFile, makeSettings({ ...WISH, dataDir: folder.path }).toml);
});

afterAll(async () => {
  await redis?.stop();
  folder?.dispose();
});

const fixpoint = async (...args: readonly string[]) =>
  runCli([...args, '--config', configFile], { env: { REDIS_URL: redis.url } });

test(
  'a project is paused, status says so, and continuing wakes guard for what waited',
  async () => {
    const client = connectRedis(redis.url, 'worker');
    const keys = createKeys('fixpoint');
    try {
      await client.set(keys.ofChangeRequest(OF, 'state'), JSON.stringify(make.state()));
      expect((await fixpoint('pause', 'sim/4')).stdout).toBe('project sim/4 is paused\n');
      expect((await fixpoint('pause', 'sim/4')).stdout).toBe('project sim/4 was paused before\n');
      await createPauses(client, keys).hold(OF, 5);
      const line = /^paused: project sim\/4 since \S+ by .+, on the command line; 1 change request waits$/m;
      expect((await fixpoint('status')).stdout).toMatch(line);
      expect((await fixpoint('status', 'sim/4/7')).stdout).toMatch(line);
      expect((await fixpoint('status', 'sim/5/7')).stdout).not.toMatch(line);
      expect((await fixpoint('continue', 'sim/4')).stdout).toBe('project sim/4 continues\n');
      expect(await client.llen(keys.ofChangeRequest(OF, 'inbox'))).toBe(1);
      expect((await fixpoint('continue', 'sim/4')).stdout).toBe('project sim/4 was not paused\n');
      expect((await fixpoint('status')).stdout).not.toMatch(line);
    } finally {
      client.disconnect();
    }
  },
  RUN_MS,
);

test(
  'what names no project is refused',
  async () => {
    for (const name of ['sim/04', 'acme/shop', 'sim', 'other/4']) {
      const { code, stderr } = await fixpoint('pause', name);
      expect([name, code, stderr]).toEqual([name, 2, expect.stringMatching(/FORGE\/PROJECT_ID|no \[\[forge\]\]/)]);
    }
  },
  RUN_MS,
);

test('a user id without a name, as in a container, is named by its number', () => {
  const nameless = (): string => {
    throw new Error('uv_os_get_passwd returned ENOENT');
  };
  expect(userName(nameless)).toBe(`user ${process.getuid?.() ?? 'unknown'}`);
  expect(userName(() => 'ann')).toBe('ann');
});
