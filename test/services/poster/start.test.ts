import type { Redis } from 'ioredis';
import { pino } from 'pino';
import { expect, test } from 'vitest';
import { posterForges } from '../../../services/poster/start.ts';
import { loadConfig } from '../../../shared/config/load.ts';
import type { ServiceContext } from '../../../shared/runtime/service-context.ts';
import { useRedis } from '../../support/use-redis.ts';

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});

const SETTINGS = `
[[forge]]
id = "main"
kind = "forgejo"
base_url = "https://forge.example"
token_env = "TOKEN"
webhook_secret_envs = ["HOOK"]
previous_bot_user_ids = [901, 902]
projects = ["acme/shop"]
`;

const contextWith = (forges: ReadonlyMap<string, unknown>, signal: AbortSignal): ServiceContext => {
  const loaded = loadConfig({ text: SETTINGS, folder: '/', env: {}, needs: [] });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  // What the poster asks of a service's context and of a forge at its start.
  return { config: loaded.config, forges, redis, log: pino({ level: 'silent' }), signal } as unknown as ServiceContext;
};

test('F-T4: the accounts that the bot had before are its own, and only the present one writes', async () => {
  const leaving = new AbortController();
  const forge = { read: { fetchSelf: async () => ({ id: 900, login: 'fixpoint' }) } };
  const context = contextWith(new Map([['main', forge]]), leaving.signal);
  const found = (await posterForges(context)).get('main');
  leaving.abort();
  expect({ botIds: [...(found?.botIds ?? [])], selfId: found?.selfId }).toEqual({
    botIds: [900, 901, 902],
    selfId: 900,
  });
});

test('a forge to which there is no connection is not posted to', async () => {
  expect(await posterForges(contextWith(new Map(), new AbortController().signal))).toEqual(new Map());
});
