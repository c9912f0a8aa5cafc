import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterEach, describe, expect, it } from 'vitest';
import type { Redis } from 'ioredis';
import { awaitRedis, connectRedis, type RedisRole } from '../../../shared/store/redis.ts';
import { targetOfUrl } from '../../../shared/store/server/redis-target.ts';
import { hasOpenssl, makeCertificate } from '../../support/openssl.ts';
import { freePort, startRedis, type TestRedis } from '../../support/redis.ts';

const open: Redis[] = [];
const servers: TestRedis[] = [];
afterEach(async () => {
  for (const redis of open.splice(0)) redis.disconnect();
  for (const server of servers.splice(0)) await server.stop();
});

const connect = (url: string, role: RedisRole, onError?: (error: Error) => void): Redis => {
  const redis = connectRedis(url, role, onError);
  open.push(redis);
  return redis;
};

const start = async (port?: number): Promise<TestRedis> => {
  const server = await startRedis(port === undefined ? {} : { port });
  servers.push(server);
  return server;
};

const never = new AbortController().signal;

describe('a connection to Redis', () => {
  it('of a producer fails at once while Redis is away, and tells its listener', async () => {
    const errors: Error[] = [];
    const redis = connect(`redis://127.0.0.1:${await freePort()}`, 'producer', (error) => errors.push(error));
    await expect(redis.set('key', 'value')).rejects.toThrow(/isn't writeable/);
    await expect
      .poll(() => errors, { timeout: 5_000 })
      .toContainEqual(expect.objectContaining({ code: 'ECONNREFUSED' }));
  });

  it('of a worker waits for Redis', async () => {
    const port = await freePort();
    const waiting = connect(`redis://127.0.0.1:${port}`, 'worker').set('key', 'value');
    await start(port);
    expect(await waiting).toBe('OK');
  });

  it('is tried again soon at first, and every 2 s for as long as it takes', () => {
    const { retryStrategy } = connect('redis://127.0.0.1:1', 'worker').options;
    expect([1, 2, 3, 5, 6, 7, 1_000].map((times) => retryStrategy?.(times))).toEqual([
      100, 200, 400, 1_600, 2_000, 2_000, 2_000,
    ]);
  });

  it('sends a command again until the server can be written to, as after a failover', async () => {
    const server = await start();
    const operator = connect(server.url, 'worker');
    const redis = connect(server.url, 'worker');
    await operator.replicaof('127.0.0.1', await freePort());
    const begun = new Promise((resolve) => redis.once('reconnecting', resolve));
    const written = redis.set('key', 'value');
    await begun;
    await operator.replicaof('NO', 'ONE');
    expect(await written).toBe('OK');
  });

  it('stays open when a command is wrong', async () => {
    const redis = connect((await start()).url, 'worker');
    const again: string[] = [];
    redis.on('reconnecting', () => again.push('reconnecting'));
    await expect(redis.eval('return redis.error_reply("READONLYISH nonsense")', 0)).rejects.toThrow('READONLYISH');
    expect(await redis.ping()).toBe('PONG');
    expect(again).toEqual([]);
  });
});

describe('awaitRedis', () => {
  it.skipIf(!hasOpenssl)(
    'F-F4: rejects at once with the reason when nobody trusts the certificate (needs openssl)',
    async () => {
      const folder = mkdtempSync(path.join(tmpdir(), 'fixpoint-untrusted-'));
      const { key, cert } = makeCertificate(folder, ['IP:127.0.0.1']);
      const port = await freePort();
      const tls = ['--tls-port', `${port}`, '--tls-cert-file', cert, '--tls-key-file', key, '--tls-auth-clients', 'no'];
      servers.push(await startRedis({ settings: tls }));
      await expect(awaitRedis(connect(`rediss://127.0.0.1:${port}`, 'worker'), 20_000, never)).rejects.toMatchObject({
        code: 'REDIS_REFUSED',
        message: expect.stringMatching(/certificate.*redis\.ca_file.*DEPTH_ZERO_SELF_SIGNED_CERT/),
      });
      rmSync(folder, { recursive: true });
    },
  );

  it('rejects at once when no Sentinel knows the name', async () => {
    const port = await freePort();
    const folder = mkdtempSync(path.join(tmpdir(), 'fixpoint-sentinel-'));
    const conf = path.join(folder, 'sentinel.conf');
    writeFileSync(conf, `port ${port}\nbind 127.0.0.1\ndir ${folder}\n`);
    const sentinel = spawn('redis-server', [conf, '--sentinel'], { stdio: 'ignore' });
    try {
      const target = { ...targetOfUrl('redis://unknown'), sentinels: [{ host: '127.0.0.1', port }] };
      const redis = connectRedis(target, 'worker');
      open.push(redis);
      await expect(awaitRedis(redis, 20_000, never)).rejects.toMatchObject({
        code: 'REDIS_REFUSED',
        message: expect.stringMatching(/^no Sentinel knows a primary/),
      });
    } finally {
      sentinel.kill('SIGKILL');
      rmSync(folder, { recursive: true, force: true });
    }
  });

  it('resolves once Redis answers', async () => {
    const port = await freePort();
    const answers = awaitRedis(connect(`redis://127.0.0.1:${port}`, 'producer'), 20_000, never);
    await start(port);
    expect(await answers).toBeUndefined();
  });

  it.each<RedisRole>(['producer', 'worker'])('rejects a %s when Redis does not answer in time', async (role) => {
    const redis = connect(`redis://127.0.0.1:${await freePort()}`, role);
    await expect(awaitRedis(redis, 250, never)).rejects.toMatchObject({
      code: 'REDIS_UNREACHABLE',
      message: 'Redis does not answer',
      disposition: { kind: 'retry' },
    });
  });

  it.each([
    ['before it asks', AbortSignal.abort(new Error('enough'))],
    ['while it waits', AbortSignal.timeout(50)],
  ])('rejects when it is aborted %s', async (_name, signal) => {
    const redis = connect(`redis://127.0.0.1:${await freePort()}`, 'worker');
    await expect(awaitRedis(redis, 60_000, signal)).rejects.toMatchObject({ code: 'REDIS_UNREACHABLE' });
  });

  it('rejects at once when the user may not run the commands', async () => {
    const { url, port } = await start();
    const password = ['pass', 'word'].join('');
    await connect(url, 'worker').acl('SETUSER', 'reader', 'on', `>${password}`, '+get', '+info');
    const redis = connect(`redis://reader:${password}@127.0.0.1:${port}`, 'worker');
    await expect(awaitRedis(redis, 20_000, never)).rejects.toMatchObject({
      code: 'REDIS_REFUSED',
      message: expect.stringContaining('ACL'),
      disposition: { kind: 'fail' },
    });
  });
});
