import { afterEach, describe, expect, it } from 'vitest';
import {
  assertRedisIsSafe,
  factsOfInfo,
  fetchRedisFacts,
  judgeRedis,
  type RedisFacts,
} from '../../../../shared/store/server/redis-safety.ts';
import { awaitRedis, connectRedis } from '../../../../shared/store/redis.ts';
import { startRedis, type TestRedis } from '../../../support/redis.ts';

const strict = { allowEviction: false, allowNoPersistence: false, allowNoPassword: false };
const safe: RedisFacts = {
  version: '7.0.15',
  product: null,
  maxmemoryPolicy: 'noeviction',
  appendonly: 'yes',
  hasPassword: false,
  onLoopback: true,
  mode: 'standalone',
};

describe('Q7: a Redis', () => {
  it.each([
    ['that is safe passes', safe, strict, 0],
    ['that evicts is refused', { ...safe, maxmemoryPolicy: 'allkeys-lru' }, strict, 1],
    [
      'that evicts passes by its override',
      { ...safe, maxmemoryPolicy: 'allkeys-lru' },
      { ...strict, allowEviction: true },
      0,
    ],
    ['without persistence is refused', { ...safe, appendonly: 'no' }, strict, 1],
    [
      'without persistence passes by its override',
      { ...safe, appendonly: 'no' },
      { ...strict, allowNoPersistence: true },
      0,
    ],
    ['open to other machines is refused', { ...safe, onLoopback: false }, strict, 1],
    [
      'open to other machines passes by its override',
      { ...safe, onLoopback: false },
      { ...strict, allowNoPassword: true },
      0,
    ],
    ['with a password may be elsewhere', { ...safe, onLoopback: false, hasPassword: true }, strict, 0],
    ['that is old is refused', { ...safe, version: '6.0.16' }, strict, 1],
    ['that does not tell its settings passes', { ...safe, maxmemoryPolicy: null, appendonly: null }, strict, 0],
    [
      'that does everything wrong is told everything',
      {
        ...safe,
        version: '5.0.0',
        maxmemoryPolicy: 'volatile-ttl',
        appendonly: 'no',
        onLoopback: false,
      },
      strict,
      4,
    ],
  ])('%s', (_name, facts, overrides, problems) => {
    expect(judgeRedis(facts, overrides)).toHaveLength(problems);
  });

  it.each([
    ['5.9.0', 1],
    ['6.1.9', 1],
    ['6.2.0', 0],
    ['7.0.0', 0],
    ['6', 1],
    ['0', 1],
  ])('of version %s has %i problems', (version, problems) => {
    expect(judgeRedis({ ...safe, version }, strict)).toHaveLength(problems);
  });

  it('is told with each problem what to set, or how to accept the risk', () => {
    const wrong = { version: '5.0.0', maxmemoryPolicy: 'volatile-ttl', appendonly: 'no', onLoopback: false };
    expect(judgeRedis({ ...safe, ...wrong }, strict)).toEqual([
      expect.stringMatching(/5\.0\.0.*6\.2/),
      expect.stringMatching(/maxmemory-policy is volatile-ttl.*noeviction.*redis\.allow_eviction = true/),
      expect.stringMatching(/appendonly.*redis\.allow_no_persistence = true/),
      expect.stringMatching(/password.*redis\.allow_no_password = true/),
    ]);
  });

  let server: TestRedis | null = null;
  afterEach(async () => server?.stop());

  it.each([
    [['--appendonly', 'yes', '--save', '', '--maxmemory-policy', 'noeviction'], null],
    [['--appendonly', 'no', '--save', '', '--maxmemory-policy', 'allkeys-lru'], 'REDIS_UNSAFE'],
  ])('is asked for real: %j', async (settings, code) => {
    server = await startRedis({ settings });
    const redis = connectRedis(server.url, 'worker');
    const outcome = await assertRedisIsSafe(redis, strict).then(
      () => null,
      (error: { code: string }) => error.code,
    );
    redis.disconnect();
    expect(outcome).toBe(code);
  });

  it.each([
    ['a node of a cluster', ['--cluster-enabled', 'yes'], /node of a Redis Cluster.*not part of a cluster/],
    [
      'a replica',
      ['--replicaof', '127.0.0.1 1', '--replica-serve-stale-data', 'yes'],
      /read-only replica: use the URL/,
    ],
  ])('F-F5: that is %s is refused in words, and nothing else is said of it', async (_name, more, words) => {
    server = await startRedis({ settings: ['--appendonly', 'no', ...more] });
    const redis = connectRedis(server.url, 'worker');
    await expect(assertRedisIsSafe(redis, strict)).rejects.toMatchObject({
      code: 'REDIS_UNSAFE',
      problems: [expect.stringMatching(words)],
    });
    redis.disconnect();
  });

  it('F-F5: that is a Sentinel is refused in words', () => {
    expect(
      judgeRedis({ ...safe, mode: 'sentinel', appendonly: null, hasPassword: false, onLoopback: false }, strict),
    ).toEqual([expect.stringMatching(/^it is a Sentinel/)]);
  });

  it('F-F5: that wants a password, or another one, is refused at once, in words', async () => {
    const secret = ['pass', 'word'].join('');
    server = await startRedis();
    const plain = connectRedis(server.url, 'worker');
    await plain.config('SET', 'requirepass', secret);
    plain.disconnect();
    const { port } = new URL(server.url);
    for (const [url, words] of [
      [server.url, /requires a password/],
      [`redis://:other@127.0.0.1:${port}`, /does not accept the user name or the password/],
    ] as const) {
      const redis = connectRedis(url, 'worker');
      const failure = awaitRedis(redis, 10_000, new AbortController().signal);
      await expect(failure).rejects.toMatchObject({ code: 'REDIS_REFUSED', message: expect.stringMatching(words) });
      redis.disconnect();
    }
  });

  const password = ['pass', 'word'].join('');
  const asUser = async (...rules: readonly string[]) => {
    server = await startRedis();
    const admin = connectRedis(server.url, 'worker');
    await admin.acl('SETUSER', 'limited', 'on', `>${password}`, ...rules);
    await admin.config('SET', 'maxmemory-policy', 'allkeys-lru');
    admin.disconnect();
    return connectRedis(`redis://limited:${password}@127.0.0.1:${server.port}`, 'worker');
  };

  it('that refuses CONFIG is judged by INFO, as managed servers are', async () => {
    const redis = await asUser('+ping', '+info');
    await expect(assertRedisIsSafe(redis, strict)).rejects.toMatchObject({
      problems: [expect.stringMatching(/^maxmemory-policy is allkeys-lru/)],
    });
    expect(await fetchRedisFacts(redis)).toMatchObject({ appendonly: 'yes', hasPassword: true });
    redis.disconnect();
  });

  it('that refuses INFO is refused, and the rule that is missing is named', async () => {
    const redis = await asUser('+ping');
    await expect(assertRedisIsSafe(redis, strict)).rejects.toMatchObject({
      code: 'REDIS_UNSAFE',
      problems: [expect.stringMatching(/does not answer INFO.*\+info/)],
    });
    redis.disconnect();
  });
});

/** The first lines of INFO of Valkey 8 and later, which writes `server_mode` unless it imitates Redis. */
const VALKEY = ['# Server', 'redis_version:7.2.4', 'server_name:valkey', 'valkey_version:9.0.0', 'server_mode:MODE'];

describe('INFO', () => {
  const info = (...lines: readonly string[]) => `${lines.join('\r\n')}\r\n`;

  it.each([
    ['standalone', 'master', 'standalone'],
    ['cluster', 'master', 'cluster'],
    ['sentinel', 'master', 'sentinel'],
    ['standalone', 'slave', 'replica'],
    ['standalone', 'replica', 'replica'],
  ])('of Valkey in the mode %s with the role %s is %s', (mode, role, found) => {
    const text = info(...VALKEY.map((line) => line.replace('MODE', mode)), `role:${role}`, 'aof_enabled:0');
    expect(factsOfInfo(text)).toEqual({
      version: '7.2.4',
      product: 'Valkey 9.0.0',
      maxmemoryPolicy: null,
      appendonly: 'no',
      mode: found,
    });
  });

  it('of Redis names no other product, and says what CONFIG would', () => {
    const text = info(
      'redis_version:7.0.15',
      'redis_mode:standalone',
      'role:master',
      'maxmemory_policy:noeviction',
      'aof_enabled:1',
    );
    expect(factsOfInfo(text)).toEqual({
      version: '7.0.15',
      product: null,
      maxmemoryPolicy: 'noeviction',
      appendonly: 'yes',
      mode: 'standalone',
    });
  });
});
