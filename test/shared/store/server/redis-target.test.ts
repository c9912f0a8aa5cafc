import { describe, expect, test } from 'vitest';
import { redisOptionsOf, type RedisTarget, targetOfUrl } from '../../../../shared/store/server/redis-target.ts';

const over = (url: string, more: Partial<RedisTarget> = {}) => redisOptionsOf({ ...targetOfUrl(url), ...more });

describe('the options of the driver', () => {
  test.each([
    ['redis://127.0.0.1', { host: '127.0.0.1', port: 6379, db: 0 }],
    ['redis://10.0.0.5:6380/3', { host: '10.0.0.5', port: 6380, db: 3 }],
    ['redis://[::1]:7000', { host: '::1', port: 7000, db: 0 }],
    ['redis://:p%40ss@cache', { host: 'cache', port: 6379, db: 0, password: 'p@ss' }],
    ['redis://ann:50%@cache', { host: 'cache', port: 6379, db: 0, username: 'ann', password: '50%' }],
    ['rediss://cache:6390/1', { host: 'cache', port: 6390, db: 1, tls: {} }],
    ['unix:///run/redis/redis.sock', { path: '/run/redis/redis.sock' }],
    [
      'unix://ann:secret@localhost/run/my%20redis.sock',
      { path: '/run/my redis.sock', username: 'ann', password: 'secret' },
    ],
  ])('of %s', (url, options) => {
    expect(over(url)).toEqual(options);
  });

  test('trust a private authority over TLS only', () => {
    expect(over('rediss://cache', { ca: 'PEM' }).tls).toEqual({ ca: 'PEM' });
    expect(over('redis://cache', { ca: 'PEM' }).tls).toBeUndefined();
  });

  const sentinels = [{ host: '10.0.0.1', port: 26379 }];

  test('take the host as the name of the primary, in its own spelling, when there are Sentinels', () => {
    expect(over('redis://:secret@MyPrimary/2', { sentinels, sentinelPassword: 'other' })).toEqual({
      name: 'MyPrimary',
      db: 2,
      password: 'secret',
      sentinels,
      sentinelPassword: 'other',
      sentinelRetryStrategy: expect.any(Function),
      failoverDetector: false,
    });
  });

  test('use TLS with the Sentinels too', () => {
    expect(over('rediss://main', { sentinels, ca: 'PEM' })).toMatchObject({
      tls: { ca: 'PEM' },
      sentinelTLS: { ca: 'PEM' },
      enableTLSForSentinelMode: true,
    });
  });

  test('ask all Sentinels again for ever', () => {
    const { sentinelRetryStrategy } = over('redis://main', { sentinels });
    expect([1, 2, 1_000].map((times) => sentinelRetryStrategy?.(times))).toEqual([1_000, 1_000, 1_000]);
  });
});
