import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDecisions } from '../../../shared/store/decisions.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { connectRedis } from '../../../shared/store/redis.ts';
import { temporaryFolder } from '../../shared/workspace/repository.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { makeSettings } from '../../support/settings.ts';
import { runCli } from './run-cli.ts';

const RUN_MS = 60_000;
const HEAD = 'a'.repeat(40);

let folder: ReturnType<typeof temporaryFolder>;
let redis: TestRedis;
let configFile = '';

beforeAll(async () => {
  folder = temporaryFolder();
  redis = await startRedis();
  configFile = join(folder.path, 'fixpoint.toml');
  const { toml } = makeSettings({
    forgeUrl: 'http://127.0.0.1:1',
    token: 'unused-token',
    projects: ['shop-team/shop'],
    dataDir: folder.path,
  });
  await writeFile(configFile, toml);
  const client = connectRedis(redis.url, 'worker');
  await createDecisions(client, createKeys('fixpoint')).append({ forge: 'sim', projectId: 4, number: 7 }, [
    { atMs: 0, command: 'want', reason: 'trigger opened', head: HEAD, events: ['forge:opened'] },
    { atMs: 1_000, command: 'nothing', reason: 'it is \u001b[31m a draft', head: null, events: [] },
  ]);
  client.disconnect();
});

afterAll(async () => {
  await redis?.stop();
  folder?.dispose();
});

const why = async (reference: string, url: string) =>
  runCli(['why', reference, '--config', configFile], { env: { REDIS_URL: url } });

test(
  'tells every decision in order with its reason',
  async () => {
    expect(await why('sim/4/7', redis.url)).toEqual({
      code: 0,
      stdout:
        '1970-01-01T00:00:00.000Z aaaaaaaaaa want: trigger opened [forge:opened]\n' +
        '1970-01-01T00:00:01.000Z - nothing: it is [U+001B][31m a draft\n',
      stderr: '',
    });
  },
  RUN_MS,
);

test(
  'says so when nothing is known',
  async () => {
    expect(await why('sim/4/8', redis.url)).toEqual({
      code: 0,
      stdout: 'nothing is recorded about sim/4/8\n',
      stderr: '',
    });
  },
  RUN_MS,
);

test.each(['sim/4', 'sim/four/7', 'SIM/4/7', 'sim/4/0'])(
  'refuses %s as a reference',
  async (reference) => {
    expect(await why(reference, redis.url)).toEqual({
      code: 2,
      stdout: '',
      stderr: 'fixpoint: expected FORGE/PROJECT_ID/NUMBER, such as main/42/7\n',
    });
  },
  RUN_MS,
);

test(
  'ends with 2 when Redis does not answer',
  async () => {
    const { code, stdout, stderr } = await why('sim/4/7', 'redis://127.0.0.1:1');
    expect({ code, stdout, stderr }).toEqual({ code: 2, stdout: '', stderr: 'fixpoint: Redis does not answer\n' });
  },
  RUN_MS,
);
