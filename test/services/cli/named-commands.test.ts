/** `status`, `why` and `replay` take every name of a change request, on each kind of forge. */
import { randomBytes } from 'node:crypto';
import { copyFile, mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createDecisions } from '../../../shared/store/decisions.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { connectRedis } from '../../../shared/store/redis.ts';
import * as make from '../../shared/rounds/builders.ts';
import { FORGE_KINDS } from '../../support/fleet-forge.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import { makeSettings } from '../../support/settings.ts';
import { startWaysStage, type WaysStage } from '../../support/ways-stage.ts';
import { type CliRun, runCli } from './run-cli.ts';

const RUN_MS = 180_000;

let redis: TestRedis;

beforeAll(async () => {
  redis = await startRedis();
});
afterAll(async () => redis?.stop());

describe.each(FORGE_KINDS)('on %s', (kind) => {
  let stage: WaysStage;
  let file = '';
  let number = 0;

  beforeAll(async () => {
    stage = await startWaysStage({ kind });
    number = await stage.open('named', { 'a.js': 'export const a = 1;\n' });
    file = path.join(stage.folder, 'server.toml');
    const wish = { kind, forgeUrl: stage.sim.url, token: '', projects: [stage.repo], dataDir: stage.folder };
    await writeFile(file, makeSettings({ ...wish, redisPrefix: kind }).toml);
    const client = connectRedis(redis.url, 'worker');
    const keys = createKeys(kind);
    const of = { forge: 'sim', projectId: stage.projectId, number };
    const state = make.state({ reviewsDone: 3, roundsUsed: 3, runsUsed: 3 });
    await client.set(keys.ofChangeRequest(of, 'state'), JSON.stringify(state));
    const record = { atMs: 0, effect: 'nothing', reason: 'it is not over', head: null, events: [] };
    await createDecisions(client, keys).append(of, [record]);
    client.disconnect();
  }, RUN_MS);
  afterAll(async () => stage?.close(), RUN_MS);

  const run = async (command: string, name: string, token: string | undefined = stage.tokens.read): Promise<CliRun> => {
    const env = { REDIS_URL: redis.url, ...(token === undefined ? {} : { SIM_TOKEN: token }) };
    const ended = await runCli([command, name, '--config', file], { env });
    stage.heard(ended.stdout + ended.stderr);
    return ended;
  };
  const namesOf = (): readonly string[] => [
    `sim/${stage.projectId}/${number}`,
    `${stage.repo}#${number}`,
    stage.urlOf(number),
  ];

  test(
    'every name means the same change request',
    async () => {
      const of = `sim/${stage.projectId}/${number}`;
      for (const name of namesOf()) {
        const status = await run('status', name);
        expect({ name, ...status }).toMatchObject({ code: 0, stderr: '' });
        expect(status.stdout).toMatch(new RegExp(`^${of} idle - rounds 3/3 runs 3/12: nothing to do\n`));
      }
      const url = stage.urlOf(number);
      expect(await run('why', url)).toEqual({
        code: 0,
        stdout: '1970-01-01T00:00:00.000Z - nothing: it is not over\n',
        stderr: '',
      });
      expect(await run('replay', url)).toEqual({
        code: 2,
        stdout: '',
        stderr: `fixpoint: no run of ${of} is stored; runs are kept for a week\n`,
      });
    },
    RUN_MS,
  );

  test(
    'the number of a project needs no forge and no token',
    async () => {
      const since = stage.sim.requests.length;
      const env = { REDIS_URL: redis.url };
      const { code } = await runCli(['status', namesOf()[0] ?? '', '--config', file], { env });
      expect([code, stage.sim.requests.length]).toEqual([0, since]);
    },
    RUN_MS,
  );

  test(
    'the token of a name may be in the environment file beside the configuration',
    async () => {
      const own = path.join(stage.folder, 'installation');
      await mkdir(own);
      await copyFile(file, path.join(own, 'fixpoint.toml'));
      await writeFile(path.join(own, '.env'), `SIM_TOKEN=${stage.tokens.read}\nREDIS_URL=${redis.url}\n`);
      for (const command of ['status', 'why']) {
        const ended = await runCli([command, namesOf()[1] ?? '', '--config', path.join(own, 'fixpoint.toml')]);
        stage.heard(ended.stdout + ended.stderr);
        expect({ command, code: ended.code, stderr: ended.stderr }).toEqual({ command, code: 0, stderr: '' });
      }
    },
    RUN_MS,
  );

  test(
    'another name is refused in one sentence',
    async () => {
      const url = stage.urlOf(number);
      const issue = url.replace(/merge_requests|pulls/, 'issues');
      const wrong = randomBytes(20).toString('hex');
      const cases: readonly (readonly [string, string, string | undefined, RegExp])[] = [
        ['status', stage.urlOf(999), undefined, /there is no change request shop-team\/shop.999, or the token cannot/],
        [
          'why',
          url.replace('/shop/', '/other/'),
          undefined,
          /there is no project shop-team\/other, or the token cannot/,
        ],
        ['replay', issue, undefined, /this is the URL of an issue; expected https:/],
        ['replay', url, wrong, /does not accept the token in SIM_TOKEN/],
        ['status', url, '', /looked up on the forge "sim": set its token in SIM_TOKEN/],
        ['why', `other/4/${number}`, undefined, /has no forge "other", but "sim" at /],
      ];
      for (const [command, name, token, words] of cases) {
        const { code, stdout, stderr } = await run(command, name, token ?? stage.tokens.read);
        expect({ name, code, stdout }).toEqual({ name, code: 2, stdout: '' });
        expect(stderr).toMatch(words);
        expect(stderr).toMatch(/^fixpoint: [^\n]+\n$/);
      }
    },
    RUN_MS,
  );
});

test.each(['sim/four/7', 'https://forge.example.com/a/b/issues/7'])(
  '%s is refused before any configuration is read',
  async (name) => {
    for (const command of ['status', 'why', 'replay']) {
      const { code, stdout, stderr } = await runCli([command, name, '--config', '/nowhere.toml']);
      expect({ command, code, stdout }).toEqual({ command, code: 2, stdout: '' });
      expect(stderr).toMatch(/^fixpoint: [^\n]*expected [^\n]*FORGE\/PROJECT_ID\/N\n$/);
    }
  },
  RUN_MS,
);
