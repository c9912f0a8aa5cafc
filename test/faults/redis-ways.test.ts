/**
 * Each supported way to reach Redis (Sentinels, TLS, a restricted user, a socket), with SIGKILL of the primary in the middle
 * of a review: a reader of the change request sees no difference to a review without it.
 */
import { spawnSync } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectRedis } from '../../shared/store/redis.ts';
import { targetOfUrl } from '../../shared/store/server/redis-target.ts';
import { leastRights } from '../support/acl.ts';
import { type Fleet, type FleetRedis, startFleet } from '../support/fleet.ts';
import { awaitVerdict, commitBase, openStory, readerView, type Told } from '../support/fleet-story.ts';
import { hasOpenssl, makeCertificate } from '../support/openssl.ts';
import { freePort, startRedis, type TestRedis } from '../support/redis.ts';
import { type SentinelRedis, startSentinels } from '../support/sentinels.ts';
import type { ReaderView } from '../support/undisturbed.ts';

const START_MS = 240_000;
const TEST_MS = 240_000;
const VERDICT_MS = 120_000;
const PERSISTENT = ['--appendonly', 'yes', '--save', ''];

const hasValkey = spawnSync('valkey-server', ['--version']).status === 0;

/** Steps of a review on the forge at which Redis dies. */
const STEPS = {
  'its announcement': { method: 'POST', path: /\/statuses\// },
  'the fetch of git': { path: /info\/refs/ },
  'the post of the review': { method: 'POST', path: /\/reviews$/ },
} as const;

const endings = (
  server: Pick<TestRedis, 'kill' | 'restart' | 'stop'>,
): Pick<FleetRedis, 'kill' | 'restart' | 'stop'> => ({
  kill: async () => server.kill(),
  restart: async () => server.restart(),
  stop: async () => server.stop(),
});

type Way = { readonly redis: FleetRedis; readonly close?: () => void };

const overSentinels = async (): Promise<Way & { readonly sentinels: SentinelRedis }> => {
  const sentinels = await startSentinels();
  let killed: number | null = null;
  const redis: FleetRedis = {
    url: sentinels.url,
    toml: `sentinels = ${JSON.stringify(sentinels.sentinels)}\nsentinel_password_env = "SIM_SENTINEL_PASSWORD"\n`,
    env: { SIM_SENTINEL_PASSWORD: sentinels.sentinelPassword },
    connect: () => connectRedis(sentinels.target(), 'worker'),
    kill: async () => {
      killed = await sentinels.failOver();
    },
    restart: async () => {
      if (killed !== null) await sentinels.comeBack(killed);
      killed = null;
    },
    stop: async () => sentinels.stop(),
  };
  return { redis, sentinels };
};

const overTls = async (): Promise<Way> => {
  const folder = mkdtempSync(path.join(tmpdir(), 'fixpoint-redis-tls-'));
  const files = makeCertificate(folder, ['IP:127.0.0.1']);
  const port = await freePort();
  const tls = ['--tls-port', `${port}`, '--tls-cert-file', files.cert, '--tls-key-file', files.key];
  const server = await startRedis({ settings: [...PERSISTENT, ...tls, '--tls-auth-clients', 'no'] });
  const url = `rediss://127.0.0.1:${port}`;
  const target = { ...targetOfUrl(url), ca: readFileSync(files.cert, 'utf8') };
  return {
    redis: {
      url,
      toml: `ca_file = "${files.cert}"\n`,
      connect: () => connectRedis(target, 'worker'),
      ...endings(server),
    },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
};

const asUser = async (): Promise<Way> => {
  const password = randomBytes(12).toString('hex');
  const rights = leastRights('fixpoint').flatMap((rule) => rule.split(' '));
  const user = ['--user', 'reviews', 'on', `>${password}`, ...rights];
  const server = await startRedis({ settings: [...PERSISTENT, ...user] });
  const { url, port } = server;
  const connect = () => connectRedis(url, 'worker');
  return { redis: { url: `redis://reviews:${password}@127.0.0.1:${port}`, connect, ...endings(server) } };
};

const overSocket = async (): Promise<Way> => {
  const folder = mkdtempSync(path.join(tmpdir(), 'fixpoint-redis-socket-'));
  const socket = path.join(folder, 'redis.sock');
  const server = await startRedis({ settings: [...PERSISTENT, '--unixsocket', socket] });
  const connect = () => connectRedis(server.url, 'worker');
  return {
    redis: { url: `unix://${socket}`, connect, ...endings(server) },
    close: () => rmSync(folder, { recursive: true, force: true }),
  };
};

const onValkey = async (): Promise<Way> => {
  const server = await startRedis({ program: 'valkey-server', settings: PERSISTENT });
  const { url } = server;
  return { redis: { url, connect: () => connectRedis(url, 'worker'), ...endings(server) } };
};

const WAYS = [
  { name: 'Sentinels', open: overSentinels, possible: true },
  { name: 'TLS with a private authority (needs openssl)', open: overTls, possible: hasOpenssl },
  { name: 'a user with the least rights', open: asUser, possible: true },
  { name: 'a socket', open: overSocket, possible: true },
  { name: 'TCP and is a Valkey (needs valkey-server)', open: onValkey, possible: hasValkey },
];

describe.each(WAYS)('a Redis that is reached over $name', ({ open, possible }) => {
  describe.skipIf(!possible).sequential('dies in the middle of a review', () => {
    let way: Way;
    let fleet: Fleet;
    let undisturbed: ReaderView;

    const review = async (branch: string): Promise<Told> => {
      const told = await openStory(fleet, fleet.repos[0] ?? '', branch);
      await awaitVerdict(fleet, told, VERDICT_MS);
      return told;
    };

    beforeAll(async () => {
      way = await open();
      const knobs = { lockMs: 2_000, stalledMs: 500, sweepSeconds: 5 };
      fleet = await startFleet({ count: { explorer: 0 }, knobs, redis: way.redis });
      await commitBase(fleet);
      undisturbed = readerView(fleet, await review('undisturbed'));
    }, START_MS);
    afterAll(async () => {
      await fleet?.close();
      way?.close?.();
    }, START_MS);

    test.each(Object.entries(STEPS))(
      'at %s, and a reader sees no difference',
      async (step, at) => {
        const killed = fleet.sim.fault(at, {
          kind: 'meanwhile',
          task: async () => {
            await way.redis.kill();
            await way.redis.restart();
          },
        });
        const told = await review(`killed at ${step}`.replaceAll(' ', '-'));
        expect(killed.remaining()).toBe(0);
        expect(readerView(fleet, told)).toEqual(undisturbed);
        expect(fleet.sim.violations).toEqual([]);
      },
      TEST_MS,
    );
  });
});
