import { expect, test } from 'vitest';
import { modelChecks } from '../../../../services/cli/doctor/model.ts';
import { loadConfig } from '../../../../shared/config/load.ts';

const SUBSCRIPTION = ['oauth', 'token', '0123456789abcdef'].join('-');

const look = async (toml: string) => {
  const env = { CLAUDE_CODE_OAUTH_TOKEN: SUBSCRIPTION, HOUSE_KEY: ['house', 'key', '0123456789'].join('-') };
  const loaded = loadConfig({ text: toml, folder: '/', env, needs: ['model_key'] });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  const found = await Promise.all(
    modelChecks(loaded.config, true).map(async (check) => check.look(new AbortController().signal)),
  );
  return found.flat().map(({ level, text }) => ({ level, text }));
};

/** Nothing listens at its address, so that any request fails. */
const CLI = `
[[forge]]
id = "main"
kind = "forgejo"
base_url = "https://forge.example.com"
token_env = "TOKEN"
webhook_secret_envs = ["HOOK"]
projects = ["a/b"]

[review]
runner = "claude-code"

[agent]
base_url = "http://127.0.0.1:1"

[agent.claude_code]
command = "/opt/claude"
subscription = true
`;

test('a subscription is named once, and the provider is not asked without a key', async () => {
  expect(await look(CLI)).toEqual([
    {
      level: 'ok',
      text: 'claude-sonnet-5-5, claude-haiku-5-5: the Claude Code CLI uses the subscription in CLAUDE_CODE_OAUTH_TOKEN',
    },
  ]);
});

test('beside a subscription, a model of another provider is asked, and a missing price is named', async () => {
  const house = `
[[agent.provider]]
name = "house"
kind = "openai"
base_url = "http://127.0.0.1:1/v1"
key_env = "HOUSE_KEY"
input_usd = 0
output_usd = 0

[agent.reviewer]
model = "unpriced"

[agent.explorer]
model = "house/small"
`;
  const found = await look(CLI + house);
  expect(found.slice(0, 3)).toEqual([
    { level: 'ok', text: 'unpriced: the Claude Code CLI uses the subscription in CLAUDE_CODE_OAUTH_TOKEN' },
    { level: 'fail', text: 'unpriced has no price, so its budget cannot be enforced' },
    { level: 'fail', text: 'http://127.0.0.1:1/v1 cannot be reached' },
  ]);
});

test('the models that only one project uses are checked too', async () => {
  const found = await look(`${CLI}\n[[project]]\nmatch = ["a/b"]\nagent.reviewer.model = "unpriced"\n`);
  expect(found).toContainEqual({ level: 'fail', text: 'unpriced has no price, so its budget cannot be enforced' });
});
