import { describe, expect, test } from 'vitest';
import { findRedisProblems, RedisSettings } from '../../../shared/config/redis-settings.ts';

describe('the addresses of Sentinels', () => {
  test.each([
    ['10.0.0.1:26380', { host: '10.0.0.1', port: 26380 }],
    ['sentinel.example', { host: 'sentinel.example', port: 26379 }],
    ['[::1]:26381', { host: '::1', port: 26381 }],
    ['[fd00::7]', { host: 'fd00::7', port: 26379 }],
  ])('%s is read', (text, address) => {
    expect(RedisSettings.parse({ sentinels: [text] }).sentinels).toEqual([address]);
  });

  test.each(['', ':26379', 'host:', 'host:0', 'host:70000', '::1:26379', 'redis://host:1', 'a b', 'host:1:2'])(
    '%j is refused',
    (text) => {
      expect(RedisSettings.safeParse({ sentinels: [text] }).error?.issues[0]?.message).toBe(
        'expected "host" or "host:port" of a Sentinel',
      );
    },
  );

  test('are needed for a password of theirs', () => {
    const { error } = RedisSettings.safeParse({ sentinelPasswordEnv: 'SENTINEL_PASSWORD' });
    expect(error?.issues).toMatchObject([
      { path: ['sentinelPasswordEnv'], message: 'has no effect without redis.sentinels' },
    ]);
  });
});

describe('settings that do not fit the URL', () => {
  const sentinels = [{ host: 'a', port: 1 }];
  test.each([
    ['redis://h', { caFile: '/ca.pem', sentinels: [] }, [/ca_file: has no effect.*rediss/]],
    ['unix:///s', { caFile: '/ca.pem', sentinels: [] }, [/ca_file: has no effect/]],
    ['unix:///s', { caFile: null, sentinels }, [/sentinels: the URL of Redis must be redis:/]],
    ['rediss://h', { caFile: '/ca.pem', sentinels }, []],
    ['redis://h', { caFile: null, sentinels }, []],
    [null, { caFile: '/ca.pem', sentinels }, []],
  ] as const)('%s with %j', (url, settings, words) => {
    expect(findRedisProblems(settings, url)).toEqual(words.map((each) => expect.stringMatching(each)));
  });
});
