/** F-F2, F-R8: the Redis that `fixpoint up` starts itself, and how the other commands find it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdirSync, statSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import path from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { reviewAndPost } from '../../../../services/cli/api.ts';
import { type FoundRedis, findRedis } from '../../../../services/cli/redis/find-redis.ts';
import { makeRedisFolder, publishAddress, withOwnRedis } from '../../../../services/cli/redis/own-redis.ts';
import { readAddress } from '../../../../shared/runtime/embedded-redis.ts';
import { connectRedis } from '../../../../shared/store/redis.ts';
import { production, withoutComments } from '../../../conventions/source.ts';
import { temporaryFolder } from '../../../shared/workspace/repository.ts';
import { startRedis } from '../../../support/redis.ts';
import { eventually } from '../../../support/story-world.ts';
import { runCli } from '../run-cli.ts';

const TEST_MS = 120_000;

/** Nothing here is what a forge has, so that a command ends as soon as it talks to it. */
const noForge = createServer((_request, response) => void response.writeHead(404).end());
let forgeUrl = '';

beforeAll(async () => {
  noForge.listen(0, '127.0.0.1');
  await once(noForge, 'listening');
  const address = noForge.address();
  forgeUrl = typeof address === 'object' && address !== null ? `http://127.0.0.1:${address.port}` : '';
});
afterAll(async () => {
  noForge.close();
  await once(noForge, 'close');
});

let folder = temporaryFolder();
beforeEach(() => {
  folder = temporaryFolder();
  chmodSync(folder.path, 0o755);
});
afterEach(() => folder.dispose());

const configure = (): string => {
  const file = path.join(folder.path, 'fixpoint.toml');
  const forge = `[[forge]]\nid = "main"\nkind = "forgejo"\nbase_url = "${forgeUrl}"\ntoken_env = "TOKEN"`;
  writeFileSync(file, `data_dir = "data"\n${forge}\nwebhook_secret_envs = ["W"]\nprojects = ["a/b"]\n`);
  return file;
};

const modeOf = (...parts: readonly string[]): string =>
  (statSync(path.join(folder.path, ...parts)).mode & 0o777).toString(8);

const dataDir = (): string => path.join(folder.path, 'data');

const start = async (): Promise<FoundRedis> => {
  const found = await findRedis({ url: undefined, dataDir: dataDir() }, process.env['PATH'] ?? '');
  if (found === null) throw new Error('no redis-server is installed');
  return found;
};

const urlFor = (config: string, env: Record<string, string> = {}): string | undefined =>
  withOwnRedis({ path: config, env, needs: [] }).env['REDIS_URL'];

test('F-F2: its address is on disk while it runs, and a configured one goes before it', async () => {
  const config = configure();
  expect(urlFor(config)).toBeUndefined();
  const found = await start();
  expect(urlFor(config)).toBe(found.url);
  expect(urlFor(config, { REDIS_URL: 'redis://other' })).toBe('redis://other');
  await found.stop();
  expect(urlFor(config)).toBeUndefined();
});

const SECRETS = { TOKEN: 'a-token-of-a-test', W: 'w'.repeat(16), FIXPOINT_MARKER_SECRET: 'm'.repeat(32) };
const OF = 'main/4/7';
const NO_FORGE = /forge|fetch|ENOTFOUND|EAI_AGAIN/i;

type Command = {
  readonly name: string;
  readonly run: (config: string) => Promise<string>;
  /** What it says once it has a Redis. */
  readonly says: RegExp;
};

const command = (name: string, args: readonly string[], says: RegExp): Command => ({
  name,
  says,
  run: async (config) => {
    const { stdout, stderr } = await runCli([...args, '--config', config], { env: SECRETS });
    return stdout + stderr;
  },
});

const COMMANDS: readonly Command[] = [
  command('status', ['status'], /^0 of 0 known change requests in progress/),
  command('status of one', ['status', OF], /no state is stored for main\/4\/7/),
  command('why', ['why', OF], /no decisions are recorded for main\/4\/7/),
  command('replay', ['replay', '0123456789abcdef'], /not found: /),
  command('messages export', ['messages', 'export', OF], NO_FORGE),
  command('doctor', ['doctor'], /ok {4}redis: version/),
  {
    name: 'reviewAndPost',
    says: NO_FORGE,
    run: async (config) =>
      reviewAndPost({ reference: OF, configPath: config, env: SECRETS, timeoutMs: 20_000 }).then(
        () => 'a review',
        (error: unknown) => String(error),
      ),
  },
];

/** They load for others, or start the Redis themselves. */
const LOADERS = /\/(?:up|one-process|own-redis|load-or-throw)\.ts$/;

describe('F-F2: the Redis of `fixpoint up`', () => {
  test.each(COMMANDS)(
    'is found by $name, which without it says that the address is missing',
    async ({ run, says }) => {
      const config = configure();
      const without = await run(config);
      expect(without).toMatch(/REDIS_URL is not set/);
      const found = await start();
      const said = await run(config);
      await found.stop();
      expect(said).not.toMatch(/REDIS_URL|Redis does not answer/);
      expect(said).toMatch(says);
    },
    TEST_MS,
  );

  test('is looked for in one place, and every command that loads an address of Redis does so there', () => {
    const others = production
      .filter(({ path: file }) => file.startsWith('services/cli/') && !LOADERS.test(file))
      .flatMap(({ path: file, text }) =>
        [...withoutComments(text).matchAll(/load(?:Config|OrThrow)\((?<given>.*)\);/g)].map(({ groups }) => ({
          file,
          given: groups?.['given'] ?? '',
        })),
      )
      .filter(({ given }) => !/^withOwnRedis\(|needs: \[\]/.test(given));
    // The doctor is given its environment by withOwnRedis. The others need no address: one review embeds its store, and
    // containers have the Redis of the compose file.
    expect(others).toEqual([
      { file: 'services/cli/doctor/doctor.ts', given: '{ path, env, needs }' },
      {
        file: 'services/cli/remote/connect-target.ts',
        given: "{ text: settings, folder, env, needs: post ? [...needs, 'post_token'] : needs }",
      },
      { file: 'services/cli/setup/env-files.ts', given: '{ path: configPath, env, needs }' },
      { file: 'services/cli/setup/finish.ts', given: "{ path: situation.config.path, env, needs: ['webhooks'] }" },
    ]);
  });
});

test('F-R8: its folder is closed to others, and the data folder is open to the account of the cage', async () => {
  const found = await start();
  expect({ data: modeOf('data'), redis: modeOf('data', 'redis'), address: modeOf('data', 'redis', 'address') }).toEqual(
    {
      data: '755',
      redis: '700',
      address: '600',
    },
  );
  await found.stop();
});

const isAlive = async (url: string): Promise<boolean> => {
  const redis = connectRedis(url, 'producer');
  try {
    await new Promise<void>((resolve, reject) => redis.once('ready', () => resolve()).once('error', reject));
    return true;
  } catch {
    return false;
  } finally {
    redis.disconnect();
  }
};

describe('F-F2: the server of a `fixpoint up` that was killed', () => {
  const leaveOne = async () => {
    const own = await makeRedisFolder(dataDir());
    const left = await startRedis({
      settings: ['--dir', own, '--appendonly', 'yes', '--maxmemory-policy', 'noeviction'],
    });
    const redis = connectRedis(left.url, 'worker');
    await redis.set('kept', 'yes');
    await publishAddress(own, left.url);
    return { left, redis };
  };

  test(
    'is ended by the next start, which goes on with its data',
    async () => {
      const { left, redis } = await leaveOne();
      redis.disconnect();
      const found = await start();
      expect(found.url).not.toBe(left.url);
      expect(await isAlive(left.url)).toBe(false);
      const next = connectRedis(found.url, 'worker');
      expect(await next.get('kept')).toBe('yes');
      next.disconnect();
      await found.stop();
      await left.stop();
    },
    TEST_MS,
  );

  test(
    'is ended only when the services of that start have left it',
    async () => {
      const { left, redis } = await leaveOne();
      let ended = false;
      const found = start().finally(() => (ended = true));
      await eventually('the look at it', async () => String(await redis.client('LIST')).split('\n').length > 2);
      expect({ ended, alive: await isAlive(left.url) }).toEqual({ ended: false, alive: true });
      redis.disconnect();
      await (await found).stop();
      await left.stop();
    },
    TEST_MS,
  );

  test(
    'is told from one whose `fixpoint up` is alive: that one is left alone, and the second start is refused',
    async () => {
      const found = await start();
      await expect(start()).rejects.toThrow(/another "fixpoint up" is running with its Redis in /);
      expect(await isAlive(found.url)).toBe(true);
      expect(readAddress(path.join(dataDir(), 'redis'))).toBe(found.url);
      await found.stop();
    },
    TEST_MS,
  );

  test(
    "is told from somebody else's server at its old address, which is left alone",
    async () => {
      const other = await startRedis();
      await publishAddress(await makeRedisFolder(dataDir()), other.url);
      const found = await start();
      expect(await isAlive(other.url)).toBe(true);
      await found.stop();
      await other.stop();
    },
    TEST_MS,
  );

  test(
    'does not outlive it, and neither does its address',
    async () => {
      const starter = `
        import { findRedis } from ${JSON.stringify(path.resolve('services/cli/redis/find-redis.ts'))};
        const found = await findRedis({ url: '', dataDir: ${JSON.stringify(dataDir())} }, process.env.PATH ?? '');
        process.stdout.write(found.url + '\\n');
        setInterval(() => {}, 1000);`;
      const child = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', starter], {
        stdio: ['ignore', 'pipe', 'inherit'],
      });
      const url = await new Promise<string>((resolve) =>
        child.stdout.once('data', (text) => resolve(String(text).trim())),
      );
      expect(await isAlive(url)).toBe(true);
      child.kill('SIGKILL');
      await eventually('its end', async () => !(await isAlive(url)));
      expect(readAddress(path.join(dataDir(), 'redis'))).toBeNull();
    },
    TEST_MS,
  );
});

test(
  'a server that cannot read its file says so at once, with the words of the server',
  async () => {
    const own = await makeRedisFolder(dataDir());
    const files = path.join(own, 'appendonlydir');
    mkdirSync(files);
    writeFileSync(path.join(files, 'appendonly.aof.manifest'), 'file appendonly.aof.1.incr.aof seq 1 type i\n');
    writeFileSync(path.join(files, 'appendonly.aof.1.incr.aof'), 'damaged\n');
    const starting = findRedis({ url: undefined, dataDir: dataDir() }, process.env['PATH'] ?? '');
    await expect(starting).rejects.toMatchObject({
      code: 'USAGE',
      message: expect.stringMatching(
        /^the Redis in .*data\/redis ended with code 1 when it was started\n[^]*append only file/,
      ),
    });
    expect(readAddress(own)).toBeNull();
  },
  TEST_MS,
);
