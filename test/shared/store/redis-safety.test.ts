import { afterEach, describe, expect, it } from 'vitest';
import { assertRedisIsSafe, judgeRedis, type RedisFacts } from '../../../shared/store/redis-safety.ts';
import { connectRedis } from '../../../shared/store/redis.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';

const strict = { allowEviction: false, allowNoPersistence: false, allowNoPassword: false };
const safe: RedisFacts = {
  version: '7.0.15',
  maxmemoryPolicy: 'noeviction',
  appendonly: 'yes',
  hasPassword: false,
  onLoopback: true,
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
      { version: '5.0.0', maxmemoryPolicy: 'volatile-ttl', appendonly: 'no', hasPassword: false, onLoopback: false },
      strict,
      4,
    ],
  ])('%s', (_name, facts, overrides, problems) => {
    expect(judgeRedis(facts, overrides)).toHaveLength(problems);
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
});
