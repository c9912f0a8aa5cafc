/** What is around a setup: questions on a terminal, a running ingress, a Redis, other forges and files that were there. */
import { once } from 'node:events';
import { chmod, chown, lstat, stat, symlink, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import path from 'node:path';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { startIngress } from '../../../../services/ingress/start.ts';
import { loadRecord } from '../../../../services/cli/setup/record.ts';
import { readVariables } from '../../../../services/cli/variables/env-text.ts';
import { loadConfig } from '../../../../shared/config/load.ts';
import { createMetrics } from '../../../../shared/metrics.ts';
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
  forge = await startStageForge('forgejo', path.join(folder.path, `forge-${runs}`));
  here = await makeInstallation(forge, { folder: folder.path, redisUrl: redis.url });
});
afterEach(async () => endStage(forge));

const listen = (): string => `127.0.0.1:${here.port}`;

test('on a terminal it asks for what is missing, shows what it will do, and does it after a yes', async () => {
  const answers = [forge.url, 'shop-team/shop', `http://127.0.0.1:${here.port}`, forge.bot, 'y'];
  const wish = { bare: true, answers, env: { FORGEJO_TOKEN: '' } } as const;
  const { code, said, error } = await here.run({ listen: listen(), wait: '1' }, wish);
  expect({ code, error }).toEqual({ code: 0, error: '' });
  expect(said).toMatch(
    /URL of the forge.*Projects.*URL at which.*Token of the bot's account.*NEED {2}webhook.*Do this\?/s,
  );
  expect(said).not.toContain(forge.bot);
  expect(readVariables((await here.file('.env')) ?? '')['FORGEJO_TOKEN']).toBe(forge.bot);
});

test('without a yes nothing is changed', async () => {
  const { code, said } = await here.run({}, { answers: ['n'] });
  expect({ code, said }).toEqual({ code: 1, said: expect.stringContaining('Nothing was changed') });
  expect(forge.writes()).toEqual([]);
  expect(await here.file('.env')).toBe(null);
});

test('in a pipe everything that is missing is named at once', async () => {
  const { code, error } = await here.run({}, { bare: true });
  expect(code).toBe(2);
  for (const flag of ['--url', '--project', '--public-url', '--yes']) expect(error).toContain(flag);
});

test('the test delivery is seen by the ingress that runs', async () => {
  await here.run();
  const env = { ...readVariables((await here.file('.env')) ?? ''), REDIS_URL: redis.url };
  const loaded = loadConfig({ path: path.join(here.folder, 'fixpoint.toml'), env, needs: ['webhooks', 'redis'] });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  const metrics = createMetrics({ service: 'ingress', processMetrics: false });
  const deps = { log: pino({ enabled: false }), metrics, signal: new AbortController().signal };
  const ingress = await startIngress(loaded.config, deps);
  try {
    const { code, said } = await here.run();
    expect({ code, said }).toEqual({ code: 0, said: expect.stringContaining('a test delivery has arrived') });
    expect(await metrics.registry.metrics()).toMatch(/fixpoint_webhook_events_total\{[^}]*outcome="ignored"[^}]*\} 1/);
  } finally {
    await ingress.close();
  }
});

test('another program at the address of the ingress is named', async () => {
  const other = createServer((_request, response) => void response.end('hello')).listen(here.port, '127.0.0.1');
  await once(other, 'listening');
  const { code, said } = await here.run();
  other.close();
  expect({ code, said }).toEqual({
    code: 1,
    said: expect.stringContaining('a program other than the ingress answers'),
  });
});

test('without an address of a Redis it starts one for the checks, and ends it', async () => {
  const { code, said } = await here.run({}, { env: { REDIS_URL: '' }, searchPath: process.env['PATH'] ?? '' });
  expect({ code, said }).toEqual({
    code: 0,
    said: expect.stringMatching(/redis: fixpoint up starts a Redis.*redis: version/s),
  });
  expect(await here.file('.fixpoint-data/redis/address')).toBe(null);
}, 60_000);

test('without any Redis it says how to get one', async () => {
  const { code, said } = await here.run({}, { env: { REDIS_URL: '' } });
  expect({ code, said }).toEqual({ code: 1, said: expect.stringContaining('apt-get install redis-server') });
});

test('values and files that were there stay as they are', async () => {
  const env = path.join(here.folder, '.env');
  await writeFile(env, '# mine\nFIXPOINT_MARKER_SECRET=0123456789abcdef0123456789abcdef\nFORGEJO_WEBHOOK_SECRET=\n');
  await chmod(env, 0o644);
  expect(await here.run()).toMatchObject({ code: 0, error: '' });
  const text = (await here.file('.env')) ?? '';
  expect(text).toMatch(
    /^# mine\nFIXPOINT_MARKER_SECRET=0123456789abcdef0123456789abcdef\nFORGEJO_WEBHOOK_SECRET=[0-9a-f]{64}\n/,
  );
  expect((await stat(env)).mode & 0o777).toBe(0o600);
  const { said } = await here.run({ remove: true });
  expect(await here.file('.env')).toBe(text);
  expect(said).not.toContain('.env');
});

test('the first forge is added to a file with other settings, which count from the beginning', async () => {
  const toml = path.join(here.folder, 'fixpoint.toml');
  const before = `# mine\n[ingress]\nport = ${here.port}\n[marker]\nsecret_env = "OWN_MARKER"\n`;
  await writeFile(toml, before);
  expect(await here.run()).toMatchObject({ code: 0, error: '' });
  const text = (await here.file('fixpoint.toml')) ?? '';
  expect(text.startsWith(before)).toBe(true);
  expect(text).toContain('[[forge]]\nid = "forgejo"');
  expect((await here.file('.env')) ?? '').toMatch(/^OWN_MARKER=[0-9a-f]{64}$/m);
  expect((await here.file('.env')) ?? '').not.toContain('FIXPOINT_MARKER_SECRET');
});

test('forges in one value stay as they are, because no table can follow them', async () => {
  const toml = path.join(here.folder, 'fixpoint.toml');
  const one =
    'forge = [{ id = "one", kind = "gitea", base_url = "https://one.example", token_env = "ONE", webhook_secret_envs = ["HOOK"], projects = ["*"] }]\n';
  await writeFile(toml, one);
  expect(await here.run()).toMatchObject({ code: 2, error: expect.stringContaining('a table [[forge]] of its own') });
  expect(await here.file('fixpoint.toml')).toBe(one);
});

test('a link to a file stays one, and the file keeps its owner', async () => {
  const [env, shared] = [path.join(here.folder, '.env'), path.join(here.folder, 'shared.env')];
  await writeFile(shared, '# shared\n', { mode: 0o600 });
  const owner = process.getuid?.() === 0 ? 48_611 : (process.getuid?.() ?? 0);
  if (process.getuid?.() === 0) await chown(shared, owner, owner);
  await symlink('shared.env', env);
  expect(await here.run()).toMatchObject({ code: 0, error: '' });
  expect((await lstat(env)).isSymbolicLink()).toBe(true);
  expect((await here.file('shared.env')) ?? '').toMatch(/^# shared\nFORGEJO_TOKEN=/);
  expect(await stat(shared)).toMatchObject({ uid: owner, mode: 0o100_600 });
});

test('an environment file that is named by a relative path is removed from any folder', async () => {
  const at = process.cwd();
  const named = path.relative(at, path.join(here.folder, 'own.env'));
  expect(await here.run({ envFile: named })).toMatchObject({ code: 0, error: '' });
  const { files } = await loadRecord(path.join(here.folder, 'fixpoint.setup.json'));
  expect(files.map((file) => file.path).toSorted()).toEqual([
    path.join(here.folder, 'fixpoint.toml'),
    path.join(here.folder, 'own.env'),
  ]);
});

test('a second forge is added behind the first, and its removal leaves the first alone', async () => {
  await here.run();
  const second = await startStageForge('gitea', path.join(folder.path, `second-${runs}`));
  try {
    const wish = { env: { GITEA_TOKEN: second.bot, FIXPOINT_SETUP_TOKEN: second.boss } };
    expect(await here.run({ url: second.url }, wish)).toMatchObject({ code: 0, error: '' });
    expect(second.hooks().map(({ url }) => url)).toEqual([`http://127.0.0.1:${here.port}/webhooks/gitea`]);
    expect(await here.run({ url: second.url, remove: true }, wish)).toMatchObject({ code: 0 });
    expect(second.hooks()).toEqual([]);
    expect(forge.hooks()).toHaveLength(1);
    expect(await here.file('.env')).not.toBe(null);
  } finally {
    await endStage(second);
  }
});

test('a second address with the id of the first is refused', async () => {
  await here.run();
  const second = await startStageForge('forgejo', path.join(folder.path, `second-${runs}`));
  try {
    const { code, error } = await here.run({ url: second.url });
    expect({ code, error }).toEqual({ code: 2, error: expect.stringContaining('has another forge "forgejo"') });
  } finally {
    await endStage(second);
  }
});

test('a project that the configuration lacks is named with the line to change', async () => {
  await here.run();
  const toml = path.join(here.folder, 'fixpoint.toml');
  await writeFile(toml, ((await here.file('fixpoint.toml')) ?? '').replace('shop-team/shop', 'shop-team/other'));
  const { code, error } = await here.run();
  expect({ code, error }).toEqual({ code: 2, error: expect.stringContaining('add "shop-team/shop" to projects') });
});

test('a broken configuration is named, with its place', async () => {
  await writeFile(path.join(here.folder, 'fixpoint.toml'), '[[forge]]\nid = 1\n');
  expect(await here.run()).toMatchObject({ code: 2, error: expect.stringMatching(/correct .*fixpoint\.toml first/) });
});

test('the result is JSON on demand, without secrets', async () => {
  const { code, said } = await here.run({ json: true });
  expect(code).toBe(0);
  const report: unknown = JSON.parse(said);
  expect(report).toMatchObject({
    version: 1,
    mode: 'apply',
    steps: expect.arrayContaining([expect.objectContaining({ about: 'webhook', state: 'made' })]),
    deliveries: [expect.objectContaining({ state: 'arrived' })],
  });
  for (const secret of [forge.bot, forge.boss, ...Object.values(readVariables((await here.file('.env')) ?? ''))])
    expect(said).not.toContain(secret);
});

test('the token of another account than before is refused, and both are named', async () => {
  await here.run();
  await writeFile(path.join(here.folder, '.env'), ((await here.file('.env')) ?? '').replace(forge.bot, forge.boss));
  const { code, error } = await here.run();
  expect({ code, error }).toEqual({
    code: 2,
    error: expect.stringMatching(/belongs to boss .*but the bot was fixpoint/),
  });
  const toml = path.join(here.folder, 'fixpoint.toml');
  const [, id = ''] = /fixpoint \(id (\d+)\)/.exec(error) ?? [];
  await writeFile(
    toml,
    ((await here.file('fixpoint.toml')) ?? '').replace('[[forge]]', `[[forge]]\nprevious_bot_user_ids = [${id}]`),
  );
  expect(await here.run()).toMatchObject({ code: 0, error: '' });
});

test('a clock that is wrong is told before anything is done', async () => {
  const { code, error } = await here.run({}, { nowMs: Date.now() + 20 * 60_000 });
  expect({ code, error }).toEqual({
    code: 2,
    error: expect.stringMatching(/clocks of the forge and this machine differ by 1\d{3} s: synchronise/),
  });
  expect(forge.writes()).toEqual([]);
});
