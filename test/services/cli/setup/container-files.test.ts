/** What setup does for `docker-compose.yml`, where that is beside the configuration. */
import { stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { readVariables } from '../../../../services/cli/variables/env-text.ts';
import { temporaryFolder } from '../../../shared/workspace/repository.ts';
import { startRedis, type TestRedis } from '../../../support/redis.ts';
import { endStage, type Installation, makeInstallation, type StageForge, startStageForge } from './setup-stage.ts';

let folder: ReturnType<typeof temporaryFolder>;
let redis: TestRedis;
let forge: StageForge;
let here: Installation;
let runs = 0;

beforeAll(async () => {
  folder = temporaryFolder();
  redis = await startRedis();
}, 60_000);
afterAll(async () => {
  await redis?.stop();
  folder?.dispose();
});
beforeEach(async () => {
  runs += 1;
  forge = await startStageForge('gitlab', path.join(folder.path, `forge-${runs}`));
  here = await makeInstallation(forge, { folder: folder.path, redisUrl: redis.url });
});
afterEach(async () => endStage(forge));

const addCompose = async (): Promise<void> => writeFile(path.join(here.folder, 'docker-compose.yml'), 'services: {}\n');
const guardFile = (): string => path.join(here.folder, '.env.d/guard.env');

test('nothing is written where there are no containers', async () => {
  const { said } = await here.run();
  expect(said).not.toContain('containers');
  expect(await here.file('.env.d/guard.env')).toBe(null);
});

test('the variables of each container are written, for their owner alone, and a second run changes nothing', async () => {
  await addCompose();
  const first = await here.run();
  expect(first).toMatchObject({ code: 0, said: expect.stringContaining('DONE  containers: the variables of 9') });
  const known = readVariables((await here.file('.env')) ?? '');
  const guard = readVariables((await here.file('.env.d/guard.env')) ?? '');
  expect(guard).toEqual({
    REDIS_URL: `redis://:${known['REDIS_PASSWORD']}@redis:6379/0`,
    FIXPOINT_MARKER_SECRET: known['FIXPOINT_MARKER_SECRET'],
    GITLAB_TOKEN: known['GITLAB_TOKEN'],
  });
  expect((await stat(guardFile())).mode & 0o777).toBe(0o600);
  expect((await here.run()).said).toContain('ok    containers: every container has its variables');
});

test('a check fails when one differs, changes nothing, and the next run writes it again', async () => {
  await addCompose();
  await here.run();
  await writeFile(guardFile(), 'OTHER=1\n');
  const checked = await here.run({ check: true });
  expect(checked).toMatchObject({ code: 1, said: expect.stringContaining('NEED  containers: the variables of 1') });
  expect(checked.said).toContain('run it without --check');
  expect(await here.file('.env.d/guard.env')).toBe('OTHER=1\n');
  await here.run();
  expect(await here.file('.env.d/guard.env')).toContain('GITLAB_TOKEN=');
  expect(await here.run({ check: true })).toMatchObject({ code: 0 });
});

test('what keeps a file from being written is said, and is no success', async () => {
  await addCompose();
  await here.run();
  const quoted = `${'0123456789'.repeat(4)}'`;
  await writeFile(path.join(here.folder, '.env'), `${await here.file('.env')}FIXPOINT_MARKER_SECRET="${quoted}"\n`);
  const { code, said } = await here.run();
  expect(code).toBe(1);
  expect(said).toMatch(/^HELP {2}containers: FIXPOINT_MARKER_SECRET: its value contains a quote/m);
  expect(said).not.toContain(quoted);
});

test('a removal takes them back', async () => {
  await addCompose();
  await here.run();
  expect(await here.run({ remove: true })).toMatchObject({ code: 0 });
  expect(await here.file('.env.d/guard.env')).toBe(null);
});
