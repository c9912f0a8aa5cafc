/** What setup says when something is in its way: each with one sentence, and nothing half done. */
import { randomBytes } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { temporaryFolder } from '../../../shared/workspace/repository.ts';
import { freePort, startRedis, type TestRedis } from '../../../support/redis.ts';
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

  const untouched = async (): Promise<void> => {
    expect(forge.hooks()).toEqual([]);
    expect(await here.file('fixpoint.toml')).toBe(null);
    expect(await here.file('.env')).toBe(null);
  };

  test('the address of the API instead of the forge changes nothing', async () => {
    const { code, error } = await here.run({ url: 'https://git.example.com/api/v4' });
    expect(code).toBe(2);
    expect(error).toContain('--url: expected the URL of the forge itself: leave out /api/v4 or /api/v1');
    await untouched();
  });

  test('a token without the scope for writing changes nothing', async () => {
    const { code, error } = await here.run({}, { env: { FIXPOINT_SETUP_TOKEN: forge.weak } });
    expect(code).toBe(2);
    expect(error).toMatch(/FIXPOINT_SETUP_TOKEN lacks (?:the scope "api"|permission).*give the token the scope/);
    await untouched();
  });

  test('an account without rights is told whose token to use, also in a check', async () => {
    const wish = { env: { FIXPOINT_SETUP_TOKEN: forge.reader } };
    const { code, error } = await here.run({}, wish);
    expect(code).toBe(2);
    expect(error).toMatch(
      /cannot manage webhooks there: use the token of an? (?:Maintainer|administrator) .*, in FIXPOINT_SETUP_TOKEN/,
    );
    expect(await here.run({ check: true }, wish)).toMatchObject({ code: 1, said: expect.stringContaining('HELP') });
    await untouched();
  });

  test('a token that the forge does not know is named by its variable', async () => {
    const unknown = randomBytes(20).toString('hex');
    const { code, error } = await here.run({}, { env: { FIXPOINT_SETUP_TOKEN: unknown } });
    expect({ code, error }).toEqual({
      code: 2,
      error: expect.stringContaining('does not accept the token in FIXPOINT_SETUP_TOKEN'),
    });
    expect(error).not.toContain(unknown);
  });

  test('without the token of a bot it explains how to make the account and the token', async () => {
    const name = `${kind.toUpperCase()}_TOKEN`;
    const { code, error } = await here.run({}, { env: { [name]: '' } });
    expect(code).toBe(2);
    expect(error).toContain(`${name} is not set: create an account for the bot`);
    expect(error).toContain(forge.url);
  });

  test('a webhook with this address and an unknown secret stays until it may be replaced', async () => {
    forge.addHook(here.hookUrl, randomBytes(16).toString('hex'));
    const first = await here.run();
    expect(first).toMatchObject({ code: 2, error: expect.stringContaining('forges do not reveal secrets') });
    expect(first.error).toContain('--replace-webhooks');
    expect(await here.run({ check: true })).toMatchObject({ code: 1 });
    expect(await here.run({ replaceWebhooks: true })).toMatchObject({ code: 0, error: '' });
    expect(forge.hooks()).toHaveLength(1);
  });

  test('a webhook whose secret is not the one in the file is told by the signature of the test', async () => {
    await here.run();
    forge.dropHooks();
    forge.addHook(here.hookUrl, randomBytes(16).toString('hex'));
    const { code, said } = await here.run();
    expect(code).toBe(1);
    expect(said).toContain('has a different secret');
    expect(await here.run({ replaceWebhooks: true })).toMatchObject({ code: 0 });
  });

  test('a wrong public address is told after a bounded wait, and the next run corrects the webhook', async () => {
    const { code, said } = await here.run({ publicUrl: `http://127.0.0.1:${await freePort()}` });
    expect(code).toBe(1);
    expect(said).toMatch(
      /FAIL {2}delivery: shop-team\/shop: (?:no test delivery has reached|the forge could not deliver a test)/,
    );
    expect(said).toContain('--public-url');
    expect(await here.run()).toMatchObject({ code: 0, error: '' });
    expect(forge.hooks().map(({ url }) => url)).toEqual([here.hookUrl]);
  });

  test('a forge that refuses private addresses is told with the setting that allows them', async () => {
    forge.setLocalHooks(false);
    const { code, said, error } = await here.run();
    if (kind === 'gitlab')
      expect({ code, error }).toEqual({ code: 2, error: expect.stringContaining('Outbound requests') });
    else expect({ code, said }).toEqual({ code: 1, said: expect.stringContaining('ALLOWED_HOST_LIST') });
    forge.setLocalHooks(true);
    expect(await here.run()).toMatchObject({ code: 0 });
    forge.setLocalHooks(false);
    const again = await here.run();
    expect(again.code).toBe(1);
    expect(again.said).toMatch(kind === 'gitlab' ? /URL is blocked.*\n.*Outbound requests/ : /ALLOWED_HOST_LIST/);
    expect(await here.run({ remove: true })).toMatchObject({ code: 0 });
    expect(forge.hooks()).toEqual([]);
  });

  test('remove with a weak token takes nothing back, and can be run again', async () => {
    await here.run();
    const { code, error } = await here.run({ remove: true }, { env: { FIXPOINT_SETUP_TOKEN: forge.reader } });
    expect({ code, error }).toEqual({ code: 2, error: expect.stringContaining('cannot manage webhooks') });
    expect(forge.hooks()).toHaveLength(1);
    expect(await here.run({ remove: true })).toMatchObject({ code: 0 });
    expect(forge.hooks()).toEqual([]);
  });

  test('remove leaves a file that was changed since', async () => {
    await here.run();
    const toml = await here.file('fixpoint.toml');
    await writeFile(path.join(here.folder, 'fixpoint.toml'), `${toml}\n[review]\ndrafts = true\n`);
    const { said } = await here.run({ remove: true });
    expect(said).toContain('stays, because it has been changed since setup');
    expect(await here.file('fixpoint.toml')).toContain('drafts = true');
    expect(await here.file('.env')).toBe(null);
  });
});

describe('before a forge is known', () => {
  let forge: StageForge;
  let here: Installation;
  let other: Server;
  beforeAll(async () => {
    forge = await startStageForge('forgejo', path.join(folder.path, 'forge-alone'));
    here = await makeInstallation(forge, { folder: folder.path, redisUrl: redis.url });
    other = createServer(
      (_request, response) => void response.writeHead(200, { 'content-type': 'text/html' }).end('<p>hello'),
    );
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
  });
  afterAll(async () => {
    await forge.close();
    await new Promise<void>((resolve) => other.close(() => resolve()));
  });

  const otherUrl = (): string => {
    const address = other.address();
    return `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  };

  test.each([
    ['an address that is none', { url: 'git.example.com' }, /--url: expected an http\(s\) URL/],
    ['an address with a password', { url: 'https://a:b@git.example.com' }, /--url: expected an http\(s\) URL/],
    [
      'an address of a project that does not exist',
      { project: ['shop-team/none'] },
      /shop-team\/none does not exist, or is not visible/,
    ],
    [
      'a group that does not exist',
      { project: ['nobody/*'] },
      /nobody\/\*: the group does not exist, or is not visible/,
    ],
    ['a project without an owner', { project: ['shop'] }, /--project: "shop" is neither/],
    ['a kind that is none', { kind: 'github' }, /--kind: expected forgejo, gitea or gitlab/],
    ['a wait that is none', { wait: 'long' }, /--wait: expected seconds/],
    ['an address to listen that is none', { listen: '8080' }, /--listen: expected HOST:PORT/],
    ['a check that would change something', { check: true, dryRun: true }, /--check cannot be combined/],
  ])('%s is refused', async (_what, options, message) => {
    expect(await here.run(options)).toMatchObject({ code: 2, error: expect.stringMatching(message) });
  });

  test('an address where nothing listens is told as unreachable', async () => {
    const { code, error } = await here.run({ url: `http://127.0.0.1:${await freePort()}` });
    expect({ code, error }).toEqual({ code: 2, error: expect.stringContaining('could not be reached; check --url') });
  });

  test('an address of something else is told as no forge', async () => {
    const { code, error } = await here.run({ url: otherUrl() });
    expect({ code, error }).toEqual({
      code: 2,
      error: expect.stringContaining('but is not Forgejo, Gitea or GitLab'),
    });
  }, 30_000);
});
