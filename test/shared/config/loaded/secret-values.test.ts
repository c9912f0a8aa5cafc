import { expect, test } from 'vitest';
import { secretValues } from '../../../../shared/config/loaded/secret-values.ts';

const NOTHING = {
  webhookSecrets: [],
  signingToken: null,
  readToken: null,
  postToken: null,
  gitToken: null,
  pushToken: null,
};

test('lists every loaded secret once, with the password of the Redis address in both spellings', () => {
  const values = secretValues({
    redisUrl: 'redis://user:p%40ss@127.0.0.1:6379',
    sentinelPassword: null,
    marker: { current: 'current', previous: 'previous' },
    model: { key: 'model-key', baseUrl: null },
    messageTokens: ['client'],
    console: { read: 'console-read', write: 'console-write', login: 'console-login' },
    receivers: new Map(),
    forges: new Map([
      [
        'a',
        {
          ...NOTHING,
          webhookSecrets: ['one', 'two'],
          readToken: 'token',
          postToken: 'token',
          gitToken: 'git',
          pushToken: 'push',
        },
      ],
      ['b', { ...NOTHING, signingToken: 'signing' }],
    ]),
  });
  expect(values).toEqual([
    'redis://user:p%40ss@127.0.0.1:6379',
    'p%40ss',
    'p@ss',
    'current',
    'previous',
    'model-key',
    'client',
    'console-read',
    'console-write',
    'console-login',
    'one',
    'two',
    'token',
    'git',
    'push',
    'signing',
  ]);
});

test('a process without secrets has none to hide', () => {
  expect(
    secretValues({
      redisUrl: 'redis://127.0.0.1',
      sentinelPassword: null,
      marker: null,
      model: null,
      messageTokens: [],
      console: null,
      receivers: new Map(),
      forges: new Map([['a', NOTHING]]),
    }),
  ).toEqual(['redis://127.0.0.1']);
});
