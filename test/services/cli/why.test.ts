import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createDecisions, type DecisionRecord } from '../../../shared/store/decisions.ts';
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
  const decisions = createDecisions(client, createKeys('fixpoint'));
  await decisions.append({ forge: 'sim', projectId: 4, number: 7 }, [
    { atMs: 0, effect: 'want', reason: 'trigger opened', head: HEAD, events: ['forge:opened'] },
    { atMs: 1_000, effect: 'nothing', reason: 'it is \u001b[31m a draft', head: null, events: [] },
  ]);
  await decisions.append({ forge: 'sim', projectId: 4, number: 9 }, steps(501));
  await decisions.append({ forge: 'sim', projectId: 4, number: 10 }, steps(500));
  client.disconnect();
});

afterAll(async () => {
  await redis?.stop();
  folder?.dispose();
});

const steps = (count: number): readonly DecisionRecord[] =>
  Array.from({ length: count }, (_, index) => ({
    atMs: index,
    effect: 'nothing',
    reason: `step ${index + 1}`,
    head: null,
    events: [],
  }));

const why = async (reference: string, url: string, ...more: readonly string[]) =>
  runCli(['why', reference, '--config', configFile, ...more], { env: { REDIS_URL: url } });

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
      stdout: 'no decisions are recorded for sim/4/8; they are kept for 30 days after the last one\n',
      stderr: '',
    });
  },
  RUN_MS,
);

test(
  'says that older decisions are gone when more were made than are kept',
  async () => {
    const cut = (await why('sim/4/9', redis.url)).stdout.split('\n');
    expect([cut.length, ...cut.slice(0, 2), ...cut.slice(-2)]).toEqual([
      502,
      'older decisions are not shown: only the last 500 are kept',
      '1970-01-01T00:00:00.001Z - nothing: step 2',
      '1970-01-01T00:00:00.500Z - nothing: step 501',
      '',
    ]);
    const client = connectRedis(redis.url, 'worker');
    const whole = await createDecisions(client, createKeys('fixpoint')).load({
      forge: 'sim',
      projectId: 4,
      number: 10,
    });
    client.disconnect();
    expect(whole).toEqual({ records: steps(500), olderGone: false });
  },
  RUN_MS,
);

test(
  'says the same as JSON',
  async () => {
    const { stdout } = await why('sim/4/7', redis.url, '--format', 'json');
    expect(JSON.parse(stdout)).toEqual({
      changeRequest: 'sim/4/7',
      olderGone: false,
      kept: { decisions: 500, daysAfterTheLast: 30 },
      decisions: [
        {
          at: '1970-01-01T00:00:00.000Z',
          effect: 'want',
          reason: 'trigger opened',
          head: HEAD,
          events: ['forge:opened'],
        },
        {
          at: '1970-01-01T00:00:01.000Z',
          effect: 'nothing',
          reason: 'it is \u001b[31m a draft',
          head: null,
          events: [],
        },
      ],
    });
    const cut = JSON.parse((await why('sim/4/9', redis.url, '--format', 'json')).stdout);
    expect([cut.olderGone, cut.decisions.length]).toEqual([true, 500]);
    expect((await why('sim/4/7', redis.url, '--format', 'xml')).code).toBe(2);
  },
  RUN_MS,
);

test.each([['messages', 'export']])(
  '%s %s refuses a reference to a forge that the configuration does not have',
  async (...command) => {
    const args = [...command.filter((word) => word !== undefined), 'main/4/7', '--config', configFile];
    const env = { REDIS_URL: redis.url, SIM_TOKEN: 'unused-token', FIXPOINT_MARKER_SECRET: 'm'.repeat(32) };
    expect(await runCli(args, { env })).toEqual({
      code: 2,
      stdout: '',
      stderr: 'fixpoint: the configuration has no forge "main", but "sim"\n',
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
