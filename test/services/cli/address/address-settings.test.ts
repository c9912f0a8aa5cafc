import { expect, test } from 'vitest';
import { adjustSettings } from '../../../../services/cli/address/adjust-settings.ts';
import { forgeIdOf, type ReviewWish, settingsFor } from '../../../../services/cli/address/address-settings.ts';
import { loadConfig } from '../../../../shared/config/load.ts';
import type { Environment, ModelAccess } from '../../../../shared/config/secrets.ts';

const FORGE = { kind: 'gitlab', baseUrl: 'https://forge.example.com/git', project: 'group/sub/project' } as const;
const WISH = { runner: 'auto' } as const;
const made = settingsFor({ forge: FORGE, tokenEnv: 'GITLAB_TOKEN', wish: WISH, env: {} });
const PRINTED = { dataDir: '/data', dryRun: true, waitForCi: false, botUserIds: [7] };

const load = (text: string) => {
  const loaded = loadConfig({ text, folder: '/', env: {}, needs: [] });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return loaded.config;
};

test('an address gives a whole configuration', () => {
  const { forges, review, gate, health } = load(made);
  expect(forges).toMatchObject([
    {
      id: 'forge-example-com',
      kind: 'gitlab',
      baseUrl: FORGE.baseUrl,
      tokenEnv: 'GITLAB_TOKEN',
      projects: [FORGE.project],
    },
  ]);
  expect({ quiet: review.quietSeconds, ci: gate.waitForCi, grace: gate.ciGraceS, health: health.enabled }).toEqual({
    quiet: 0,
    ci: true,
    grace: 0,
    health: false,
  });
});

test('the certificate authority is that of the forge', () => {
  const text = settingsFor({ forge: FORGE, tokenEnv: 'GITLAB_TOKEN', caFile: '/etc/hosts', wish: WISH, env: {} });
  expect(load(text).forges).toMatchObject([{ caFile: '/etc/hosts' }]);
  expect(load(made).forges).toMatchObject([{ caFile: null }]);
});

test('every option reaches its setting', () => {
  const prices = [{ model: 'mine', inputUsd: 1, outputUsd: 2.5 }];
  const models = { model: 'mine', explorerModel: 'small', maxTurns: 3, baseUrl: 'https://model.example.com' };
  const wish = {
    runner: 'claude-code',
    claudeCode: '/opt/cli',
    budgetUsd: 1.5,
    budgetTokens: 9_000,
    prices,
    ...models,
  } as const;
  const { agent, budgets, review } = load(settingsFor({ forge: FORGE, tokenEnv: 'GITLAB_TOKEN', wish, env: {} }));
  expect(review.runner).toBe('claude-code');
  expect(agent).toMatchObject({
    baseUrl: 'https://model.example.com',
    reviewer: { model: 'mine', maxTurns: 3 },
    explorer: { model: 'small' },
    price: [{ model: 'mine', inputUsd: 1, outputUsd: 2.5 }],
    claudeCode: { command: '/opt/cli' },
  });
  expect(budgets.model).toMatchObject({ runUsd: 1.5, runTokens: 9_000 });
});

const CLI = { runner: 'claude-code', claudeCode: '/opt/cli' } as const;
const KEY = ['model', 'key', '0123456789abcdef'].join('-');
const SUBSCRIPTION = ['oauth', 'token', '0123456789abcdef'].join('-');

/** The model's secrets of a review, or what is missing for it. */
const accessOf = (wish: ReviewWish, env: Environment) => {
  const text = settingsFor({ forge: FORGE, tokenEnv: 'GITLAB_TOKEN', wish, env });
  const loaded = loadConfig({ text, folder: '/', env, needs: ['model_key'] });
  return loaded.ok ? loaded.config.secrets.model : loaded.problems;
};

test.each<[string, ReviewWish, Environment, Partial<ModelAccess>]>([
  ['a subscription', CLI, { CLAUDE_CODE_OAUTH_TOKEN: SUBSCRIPTION }, { key: '', subscription: SUBSCRIPTION }],
  ['a key', CLI, { CLAUDE_CODE_OAUTH_TOKEN: SUBSCRIPTION, ANTHROPIC_API_KEY: KEY }, { key: KEY }],
  [
    'a key of its own variable',
    { ...CLI, keyEnv: 'OWN_KEY' },
    { CLAUDE_CODE_OAUTH_TOKEN: SUBSCRIPTION, OWN_KEY: KEY },
    { key: KEY },
  ],
])('the Claude Code CLI uses %s', (_name, wish, env, expected) => {
  expect(accessOf(wish, env)).toEqual({ ...expected, baseUrl: null });
});

test('without a key and a subscription the Claude Code CLI lacks the key', () => {
  expect(accessOf(CLI, {})).toEqual([expect.stringContaining('ANTHROPIC_API_KEY is not set')]);
});

test('no other runner uses a subscription', () => {
  const env = { CLAUDE_CODE_OAUTH_TOKEN: SUBSCRIPTION };
  expect(accessOf({ runner: 'agent' }, env)).toEqual([expect.stringContaining('ANTHROPIC_API_KEY is not set')]);
  expect(accessOf({ runner: 'auto' }, env)).toBeNull();
});

test('a variable that is named for the key must be set, unless the rules review', () => {
  const problem = [expect.stringContaining('OWN_KEY is not set')];
  expect(accessOf({ runner: 'auto', keyEnv: 'OWN_KEY' }, {})).toEqual(problem);
  expect(accessOf({ runner: 'auto', keyEnv: 'OWN_KEY' }, { OWN_KEY: KEY })).toEqual({ key: KEY, baseUrl: null });
  expect(accessOf({ runner: 'rules', keyEnv: 'OWN_KEY' }, {})).toBeNull();
});

test.each([
  ['https://forge.example.com', 'forge-example-com'],
  ['http://127.0.0.1:3000/git', '127-0-0-1-3000'],
  ['http://[::1]:3000', '1-3000'],
  [`https://${'long.'.repeat(10)}example.com`, 'long-long-long-long-long-long-lo'],
])('the forge at %s is called %s', (baseUrl, id) => {
  expect(forgeIdOf(baseUrl)).toBe(id);
});

const SERVER = `
[[forge]]
id = "main"
kind = "forgejo"
base_url = "https://forge.example.com"
read_token_env = "READ"
post_token_env = "POST"
git_token_env = "GIT"
webhook_secret_envs = ["HOOK"]
projects = ["*"]
previous_bot_user_ids = [3]

[author]
enabled = true

[gate]
ci_deadline_seconds = 60

[[notify]]
name = "ops"
url_env = "OPS_URL"
`;

test('what is only printed writes nothing, needs no token for posting, and does not wait for CI', () => {
  const { forges, review, gate, author, notify, dataDir } = load(adjustSettings(SERVER, PRINTED));
  expect(forges).toMatchObject([{ id: 'main', postTokenEnv: 'READ', previousBotUserIds: [3, 7] }]);
  expect({ review: review.dryRun, author: author.enabled, notify, dataDir }).toEqual({
    review: true,
    author: false,
    notify: [],
    dataDir: '/data',
  });
  expect(gate).toMatchObject({ waitForCi: false, ciDeadlineSeconds: 60 });
});

test('what is posted keeps the rules of the configuration, but pushes nothing', () => {
  const { forges, review, gate, author } = load(
    adjustSettings(SERVER, { ...PRINTED, dryRun: false, waitForCi: true, botUserIds: [] }),
  );
  expect(forges).toMatchObject([{ postTokenEnv: 'POST', previousBotUserIds: [3] }]);
  expect({ dryRun: review.dryRun, waits: gate.waitForCi, author: author.enabled }).toEqual({
    dryRun: false,
    waits: true,
    author: false,
  });
});
