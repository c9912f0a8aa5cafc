/** `fixpoint setup` from an empty folder to a delivered test, on each kind of forge. */
import { stat } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readVariables } from '../../../../services/cli/variables/env-text.ts';
import { loadConfig } from '../../../../shared/config/load.ts';
import { temporaryFolder } from '../../../shared/workspace/repository.ts';
import { startRedis, type TestRedis } from '../../../support/redis.ts';
import {
  endStage,
  type Installation,
  KINDS,
  makeInstallation,
  type StageForge,
  startStageForge,
} from './setup-stage.ts';

let folder: ReturnType<typeof temporaryFolder>;
let redis: TestRedis;
beforeAll(async () => {
  folder = temporaryFolder();
  redis = await startRedis();
}, 60_000);
afterAll(async () => {
  await redis?.stop();
  folder?.dispose();
});

let runs = 0;

describe.each(KINDS)('on %s', (kind) => {
  let forge: StageForge;
  let here: Installation;
  beforeEach(async () => {
    runs += 1;
    forge = await startStageForge(kind, path.join(folder.path, `forge-${kind}-${runs}`));
    here = await makeInstallation(forge, { folder: folder.path, redisUrl: redis.url });
  });
  afterEach(async () => endStage(forge));

  test('one command makes files, membership and webhook, and a test delivery arrives', async () => {
    const { code, said, error } = await here.run();
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(said).toContain('shop-team/shop: a test delivery has arrived');
    expect(said).toContain('open a change request');
    expect(forge.isMember()).toBe(true);
    const variables = readVariables((await here.file('.env')) ?? '');
    const name = `${kind.toUpperCase()}_WEBHOOK_SECRET`;
    expect(forge.hooks()).toEqual([expect.objectContaining({ url: here.hookUrl, secret: variables[name] })]);
    expect((await stat(path.join(here.folder, '.env'))).mode & 0o777).toBe(0o600);
    const toml = path.join(here.folder, 'fixpoint.toml');
    const loaded = loadConfig({
      path: toml,
      env: { ...variables, REDIS_URL: redis.url },
      needs: ['webhooks', 'post_token', 'marker_secret'],
    });
    expect(loaded.ok).toBe(true);
    for (const secret of [...Object.values(variables), forge.boss]) expect(said).not.toContain(secret);
    for (const name of ['.env', 'fixpoint.toml', 'fixpoint.setup.json'])
      expect(await here.file(name)).not.toContain(forge.boss);
  });

  test('a second run and a check change nothing and say so', async () => {
    await here.run();
    const before = {
      writes: forge.writes().length,
      env: await here.file('.env'),
      toml: await here.file('fixpoint.toml'),
    };
    const checked = await here.run({ check: true });
    expect(checked).toMatchObject({ code: 0, error: '' });
    expect(forge.writes()).toHaveLength(before.writes);
    const again = await here.run();
    expect(again).toMatchObject({ code: 0, error: '' });
    expect(again.said).toContain('Nothing to change');
    // The test delivery is the only call.
    expect(forge.writes().slice(before.writes)).toEqual([expect.stringMatching(/^POST .*\/hooks\/\d+\/test/)]);
    expect({ env: await here.file('.env'), toml: await here.file('fixpoint.toml') }).toEqual({
      env: before.env,
      toml: before.toml,
    });
  });

  test('a dry run prints each call without secrets, and makes none', async () => {
    const { code, said } = await here.run({ dryRun: true });
    expect(code).toBe(0);
    expect(said).toMatch(
      kind === 'gitlab' ? /POST \/api\/v4\/projects\/\d+\/hooks/ : /POST \/api\/v1\/repos\/shop-team\/shop\/hooks/,
    );
    expect(said).toContain('"(secret)"');
    expect(forge.writes()).toEqual([]);
    expect(await here.file('.env')).toBe(null);
    expect(await here.file('fixpoint.toml')).toBe(null);
  });

  test('a check fails when a webhook is gone, and the next run adds it again', async () => {
    await here.run();
    forge.dropHooks();
    const writes = forge.writes().length;
    const checked = await here.run({ check: true });
    expect(checked.code).toBe(1);
    expect(checked.said).toContain('NEED  webhook: shop-team/shop: add the webhook');
    expect(forge.writes()).toHaveLength(writes);
    expect(await here.run()).toMatchObject({ code: 0 });
    expect(forge.hooks()).toHaveLength(1);
  });

  test('a webhook that lacks events is corrected in place, with its secret', async () => {
    await here.run();
    const [before] = forge.hooks();
    forge.muteHooks();
    expect(await here.run({ check: true })).toMatchObject({
      code: 1,
      said: expect.stringContaining('correct the webhook: the events'),
    });
    expect(await here.run()).toMatchObject({ code: 0 });
    expect(forge.hooks()).toEqual([expect.objectContaining({ url: before?.url, secret: before?.secret })]);
  });

  test('remove takes back what setup has made, and nothing else', async () => {
    forge.addHook('https://ci.example/hook', 'another-secret-of-someone');
    await here.run();
    const dry = await here.run({ remove: true, dryRun: true });
    expect(dry.said).toContain('DELETE');
    expect(forge.hooks()).toHaveLength(2);
    const { code, said } = await here.run({ remove: true });
    expect(code).toBe(0);
    expect(said).toContain('removed the webhook');
    expect(forge.hooks().map(({ url }) => url)).toEqual(['https://ci.example/hook']);
    expect(forge.isMember()).toBe(false);
    for (const name of ['.env', 'fixpoint.toml', 'fixpoint.setup.json']) expect(await here.file(name)).toBe(null);
  });

  test('remove goes on past a project that was deleted, keeps its entry and the files, and says so', async () => {
    const drop = await forge.addProject('old');
    expect(await here.run({ project: ['shop-team/old', 'shop-team/shop'] })).toMatchObject({ code: 0, error: '' });
    await drop();
    const { code, said } = await here.run({ remove: true });
    expect(code).toBe(1);
    expect(said).toMatch(
      /HELP {2}webhook: shop-team\/old does not exist, or is not visible .*\n.*fixpoint\.setup\.json/,
    );
    expect(said).toContain('removed the webhook');
    expect([forge.hooks(), forge.isMember()]).toEqual([[], false]);
    expect(await here.file('fixpoint.setup.json')).toContain('shop-team/old');
    expect(await here.file('fixpoint.setup.json')).not.toContain('shop-team/shop');
    expect(await here.file('.env')).not.toBe(null);
  });

  test('remove finds a project that has another name by now', async () => {
    await here.run();
    forge.renameProject('store');
    expect(await here.run({ remove: true })).toMatchObject({ code: 0, error: '' });
    expect([forge.hooks(), forge.isMember()]).toEqual([[], false]);
    expect(await here.file('fixpoint.setup.json')).toBe(null);
  });

  test('a group has one webhook for all of its projects', async () => {
    const { code, said, error } = await here.run({ project: ['shop-team/*'] });
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(forge.hooks()).toEqual([]);
    expect(forge.groupHooks().map(({ url }) => url)).toEqual([here.hookUrl]);
    expect(forge.isMember()).toBe(true);
    expect(said).toMatch(/shop-team\/\*: (?:a test delivery has arrived|the forge has no API)/);
    expect(await here.run({ project: ['shop-team/*'], remove: true })).toMatchObject({ code: 0 });
    expect(forge.groupHooks()).toEqual([]);
  });

  test('whoever manages projects, but not their group, gets a webhook in each project', async () => {
    const { code, error } = await here.run(
      { project: ['shop-team/*'] },
      { env: { FIXPOINT_SETUP_TOKEN: forge.keeper } },
    );
    expect({ code, error }).toEqual({ code: 0, error: '' });
    expect(forge.groupHooks()).toEqual([]);
    expect(forge.hooks().map(({ url }) => url)).toEqual([here.hookUrl]);
    expect(forge.isMember()).toBe(true);
  });
});
