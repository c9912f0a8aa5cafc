import { expect, test } from 'vitest';
import { loadConfig } from '../../../shared/config/load.ts';
import type { Need } from '../../../shared/config/secrets.ts';
import { SERVICE_NEEDS, secretVariables, servicesOf } from '../../../shared/config/service-needs.ts';
import type { ServiceName } from '../../../shared/config/service-needs.ts';

const TEXT = `
[marker]
previous_secret_env = "MARKER_BEFORE"
[[forge]]
id = "apart"
kind = "gitlab"
base_url = "https://gitlab.example.com"
read_token_env = "READ"
post_token_env = "POST"
git_token_env = "GIT"
webhook_secret_envs = ["HOOK_A", "HOOK_B"]
signing_token_env = "SIGN"
projects = ["a/b"]
[[forge]]
id = "together"
kind = "gitea"
base_url = "https://gitea.example.com"
token_env = "ONE"
webhook_secret_envs = ["HOOK_C"]
projects = ["a/b"]`;

const load = (env: Record<string, string>, needs: readonly Need[]) => loadConfig({ text: TEXT, env, needs });

function variablesOf(needs: readonly Need[]): readonly string[] {
  const result = load({}, []);
  return result.ok ? secretVariables(result.config, needs) : [];
}

test.each<[ServiceName, string[]]>([
  ['ingress', ['REDIS_URL', 'HOOK_A', 'HOOK_B', 'SIGN', 'HOOK_C']],
  ['guard', ['REDIS_URL', 'FIXPOINT_MARKER_SECRET', 'MARKER_BEFORE', 'READ', 'ONE']],
  ['reviewer', ['REDIS_URL', 'GIT', 'ONE', 'ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL']],
  ['explorer', ['REDIS_URL', 'GIT', 'ONE', 'ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL']],
  ['poster', ['REDIS_URL', 'FIXPOINT_MARKER_SECRET', 'MARKER_BEFORE', 'POST', 'ONE']],
  ['author', ['REDIS_URL', 'READ', 'ONE']],
  ['console', ['REDIS_URL']],
])('%s receives the variables of its needs and no other', (service, names) => {
  expect(variablesOf(SERVICE_NEEDS[service])).toEqual(names);
});

/** Not secrets, and read by every process: also by those that ask the ingress. */
const READ_BY_ALL = ['FIXPOINT_LISTEN', 'FIXPOINT_CONSOLE_LISTEN'];

test('the variables that are named are exactly those that loading asks for', () => {
  for (const needs of Object.values(SERVICE_NEEDS)) {
    const asked = new Set<string>();
    const env = new Proxy<Record<string, string>>({}, { get: (_, name) => (asked.add(String(name)), undefined) });
    load(env, needs);
    expect([...asked].toSorted()).toEqual([...variablesOf(needs), ...READ_BY_ALL].toSorted());
  }
});

const withAuthor = (author: string) => {
  const text = TEXT.replace('git_token_env', 'push_token_env = "PUSH"\ngit_token_env');
  const result = loadConfig({ text: `${author}\n${text}`, env: {}, needs: [] });
  if (!result.ok) throw new Error(result.problems.join('\n'));
  return result.config;
};

test.each<[string, string, string[]]>([
  ['off', '[author]\nenabled = false', ['REDIS_URL', 'READ', 'ONE']],
  ['a command', '[author]\nenabled = true\ncommand = ["/opt/fix"]', ['REDIS_URL', 'READ', 'ONE', 'PUSH']],
  [
    'a model',
    '[author]\nenabled = true\nagent = "agent"',
    ['REDIS_URL', 'READ', 'ONE', 'PUSH', 'ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'],
  ],
  [
    'the Claude Code CLI',
    '[author]\nenabled = true\nagent = "claude-code"\n[agent.claude_code]\ncommand = "/opt/claude"',
    ['REDIS_URL', 'READ', 'ONE', 'PUSH', 'ANTHROPIC_API_KEY', 'ANTHROPIC_BASE_URL'],
  ],
])('the author that is %s receives what it needs for that', (_what, author, names) => {
  const config = withAuthor(author);
  expect(secretVariables(config, SERVICE_NEEDS.author)).toEqual(names);
  expect(servicesOf(config).includes('author')).toBe(names.includes('PUSH'));
});

test('an author without a program is refused at start, and one with a relative path too', () => {
  for (const command of ['', 'command = ["fix"]']) {
    const result = loadConfig({ text: `[author]\nenabled = true\n${command}\n${TEXT}`, env: {}, needs: [] });
    expect(result).toMatchObject({ ok: false, problems: [expect.stringContaining('author.command')] });
  }
});

test('the pushing token is read where the author is on, and is demanded then', () => {
  const text = `[author]\nenabled = true\ncommand = ["/opt/fix"]\n${TEXT}`;
  const token = 'p'.repeat(20);
  const missing = loadConfig({ text, env: {}, needs: ['push_token'] });
  expect(missing).toMatchObject({
    ok: false,
    problems: [
      'forge[1].token_env: the environment variable ONE is not set',
      'forge[0].push_token_env: is missing; set it, or token_env for all purposes',
    ],
  });
  const found = loadConfig({
    text: text.replace('read_token_env', 'push_token_env = "PUSH"\nread_token_env'),
    env: { PUSH: token, ONE: token },
    needs: ['push_token'],
  });
  expect(found.ok && found.config.secrets.forges.get('apart')?.pushToken).toBe(token);
  const off = loadConfig({ text: TEXT, env: { ONE: token }, needs: ['push_token'] });
  expect(off.ok && off.config.secrets.forges.get('together')?.pushToken).toBeNull();
});

const CONSOLE = '[console]\nenabled = true\nwrite_token_env = "ACT"\n';

test('the console receives Redis and its own tokens, and runs only where it is enabled', () => {
  const on = withAuthor(CONSOLE);
  expect(secretVariables(on, SERVICE_NEEDS.console)).toEqual(['REDIS_URL', 'CONSOLE_TOKEN', 'ACT']);
  expect([servicesOf(on).includes('console'), servicesOf(withAuthor('')).includes('console')]).toEqual([true, false]);
});

test.each<[string, Record<string, string>, string]>([
  ['none', {}, 'console.token_env: the environment variable CONSOLE_TOKEN is not set'],
  [
    'a short one',
    { CONSOLE_TOKEN: 'x'.repeat(31), ACT: 'y'.repeat(32) },
    'CONSOLE_TOKEN is too short; expected at least 32',
  ],
  ['one for both', { CONSOLE_TOKEN: 'x'.repeat(32), ACT: 'x'.repeat(32) }, 'actions need a token of their own'],
])('a console with %s as its token does not start', (_what, env, words) => {
  const result = loadConfig({ text: `${CONSOLE}${TEXT}`, env, needs: ['console'] });
  expect(result).toMatchObject({ ok: false });
  expect(result.ok ? '' : result.problems.join('\n')).toContain(words);
});

test('the tokens of the console are read where it is on, and by no other process', () => {
  const env = { CONSOLE_TOKEN: 'x'.repeat(32), ACT: 'y'.repeat(32) };
  const read = (text: string, needs: readonly Need[]) => {
    const result = loadConfig({ text, env, needs });
    return result.ok ? result.config.secrets.console : result.problems;
  };
  expect(read(`${CONSOLE}${TEXT}`, ['console'])).toEqual({ read: env.CONSOLE_TOKEN, write: env.ACT, login: null });
  expect(read(`${CONSOLE}${TEXT}`, [])).toBeNull();
  expect(read(TEXT, ['console'])).toBeNull();
});

const LOGIN = `${CONSOLE}public_url = "https://page.example"
login = { forge = "together", client_id = "id", client_secret_env = "LOGIN" }
`;

test('the secret of a login by a forge is read with the tokens of the console', () => {
  const env = { CONSOLE_TOKEN: 'x'.repeat(32), ACT: 'y'.repeat(32), LOGIN: 'z'.repeat(20) };
  const result = loadConfig({ text: `${LOGIN}${TEXT}`, env, needs: ['console'] });
  if (!result.ok) throw new Error(result.problems.join('\n'));
  expect(result.config.secrets.console?.login).toBe(env.LOGIN);
  expect(secretVariables(result.config, SERVICE_NEEDS.console)).toEqual(['REDIS_URL', 'CONSOLE_TOKEN', 'ACT', 'LOGIN']);
});

test.each([
  ['an unknown forge', LOGIN.replace('"together"', '"other"'), 'console.login.forge: expected the id of a [[forge]]'],
  ['no address of the page', LOGIN.replace(/public_url.*\n/, ''), 'console.public_url: is missing'],
  [
    'an address below a path, where the pages would find nothing',
    LOGIN.replace('page.example', 'page.example/fixpoint'),
    'console.public_url: expected a URL without a path',
  ],
  ['an unknown key', LOGIN.replace('client_id', 'client'), 'console.login'],
])('a login by a forge with %s is refused at start', (_what, text, words) => {
  const result = loadConfig({ text: `${text}${TEXT}`, env: {}, needs: [] });
  expect(result.ok ? '' : result.problems.join('\n')).toContain(words);
});
