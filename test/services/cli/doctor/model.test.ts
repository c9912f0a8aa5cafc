import { createServer } from 'node:http';
import { expect, onTestFinished, test } from 'vitest';
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

const serve = async (status: number, body: unknown): Promise<string> => {
  const server = createServer((_, response) => {
    response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  onTestFinished(() => void server.close());
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return `http://127.0.0.1:${address.port}`;
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

const ASKED = 'agent.base_url = "ADDRESS"\nreview.runner = "agent"\nagent.explorer.model = "claude-sonnet-5-5"\n';

const askMessages = async (body: unknown) => {
  const forge = CLI.slice(0, CLI.indexOf('[review]'));
  const env = { ANTHROPIC_API_KEY: ['house', 'key', '0123456789'].join('-') };
  const text = `${ASKED.replace('ADDRESS', await serve(404, body))}${forge}`;
  const loaded = loadConfig({ text, folder: '/', env, needs: ['model_key'] });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  const found = await Promise.all(modelChecks(loaded.config, false).map(async (check) => check.look(signal())));
  return found.flat().map(({ level, text: said }) => ({ level, said }));
};
const signal = (): AbortSignal => new AbortController().signal;

test('only the API itself can say that a model is unknown: another 404 is a wrong address, or a server without the list', async () => {
  const refusal = { type: 'error', error: { type: 'not_found_error', message: 'model: claude' } };
  expect(await askMessages(refusal)).toEqual([
    { level: 'fail', said: expect.stringMatching(/^claude-sonnet-5-5 is not known at http/) },
  ]);
  expect(await askMessages({ detail: 'Not Found' })).toEqual([
    { level: 'warn', said: expect.stringMatching(/^http.* does not list the model claude-sonnet-5-5$/) },
  ]);
});

test.each([
  ['', / ends in a version, such as \/v1/],
  ['/v1', /^check the URL and the name/],
])('a server with chat completions that answers 404 at "%s" may lack its version in the address', async (at, fix) => {
  const house = `
[[agent.provider]]
name = "house"
kind = "openai"
base_url = "${await serve(404, {})}${at}"
key_env = "HOUSE_KEY"
input_usd = 0
output_usd = 0
`;
  const forge = CLI.slice(0, CLI.indexOf('[review]'));
  const models = 'agent.reviewer.model = "house/small"\nagent.explorer.model = "house/small"\n';
  const env = { HOUSE_KEY: ['house', 'key', '0123456789'].join('-') };
  const text = `review.runner = "agent"\n${models}${house}${forge}`;
  const loaded = loadConfig({ text, folder: '/', env, needs: ['model_key'] });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  const found = await Promise.all(modelChecks(loaded.config, false).map(async (check) => check.look(signal())));
  expect(found.flat()).toEqual([expect.objectContaining({ level: 'warn', fix: expect.stringMatching(fix) })]);
});
