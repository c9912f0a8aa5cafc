import { expect, it } from 'vitest';
import { announcement } from '../../../../services/cli/up/announce.ts';
import { loadConfig } from '../../../../shared/config/load.ts';

const forge = (id: string): string =>
  `[[forge]]\nid = "${id}"\nkind = "gitlab"\nbase_url = "https://${id}.example.com"\ntoken_env = "T"\nwebhook_secret_envs = ["W"]\nprojects = ["a/b"]\n`;

const configOf = (more: string) => {
  const loaded = loadConfig({ text: `${forge('one')}${forge('two')}${more}`, env: {}, needs: [] });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return loaded.config;
};

it('says where webhooks of each forge arrive, where Redis is, and what comes next', () => {
  const config = configOf('[ingress]\nhost = "0.0.0.0"\nport = 9000\n');
  expect(announcement(config, { url: 'redis://127.0.0.1:7000', folder: '/data/redis' })).toEqual([
    'all services are ready: ingress, guard, reviewer, explorer, poster',
    'Redis: redis://127.0.0.1:7000, started here, with its data in /data/redis; the other commands find it there',
    'webhooks of "one": http://127.0.0.1:9000/webhooks/one',
    'webhooks of "two": http://127.0.0.1:9000/webhooks/two',
    'next: forward the public URL of the webhook to the ingress, run "fixpoint doctor", and open a change request',
  ]);
});

it('says where the page of the operator is, if there is one', () => {
  const config = configOf('[console]\nenabled = true\nport = 9001\n');
  expect(announcement(config, null)).toContain("operator's page: http://127.0.0.1:9001");
});

it('names only the variable of a configured Redis, whose address may hold a password', () => {
  expect(announcement(configOf('[redis]\nurl_env = "MY_REDIS"\n'), null)[1]).toBe('Redis: the URL in MY_REDIS');
});

it('claims no more than it knows when workers cannot be asked', () => {
  const [first] = announcement(configOf('[health]\nenabled = false\n'), null);
  expect(first).toBe('the ingress is ready, and these are running: ingress, guard, reviewer, explorer, poster');
});
