import { expect, test } from 'vitest';
import { withForge } from '../../../../../services/cli/setup/plan/config-text.ts';
import { loadConfig } from '../../../../../shared/config/load.ts';

const wish = {
  forge: { id: 'work', kind: 'gitlab', baseUrl: 'https://git.example.com/gitlab', caFile: '/etc/ca "1".pem' },
  projects: ['team/shop', 'team/sub/*'],
  tokenEnv: 'WORK_TOKEN',
  secretEnvs: ['WORK_WEBHOOK_SECRET', 'WORK_WEBHOOK_SECRET_2'],
  listen: { host: '0.0.0.0', port: 9000 },
} as const;

const load = (text: string) => {
  const loaded = loadConfig({ text, env: {}, needs: [] });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return loaded.config;
};

test('a new file is what the services read', () => {
  const { forges, ingress } = load(withForge(null, wish));
  expect(forges).toEqual([
    expect.objectContaining({
      id: 'work',
      kind: 'gitlab',
      baseUrl: 'https://git.example.com/gitlab',
      tokenEnv: 'WORK_TOKEN',
      webhookSecretEnvs: wish.secretEnvs,
      projects: wish.projects,
      caFile: '/etc/ca "1".pem',
    }),
  ]);
  expect(ingress).toMatchObject({ host: '0.0.0.0', port: 9000 });
});

test('a forge is added behind what is there, which stays as it is', () => {
  const before =
    '# mine\n[log]\nlevel = "debug" # much\n[[forge]]\nid = "one"\nkind = "gitea"\nbase_url = "https://one.example"\ntoken_env = "ONE"\nwebhook_secret_envs = ["ONE_HOOK"]\nprojects = ["*"]';
  const after = withForge(before, wish);
  expect(after.startsWith(before)).toBe(true);
  expect(load(after).forges.map(({ id }) => id)).toEqual(['one', 'work']);
});
