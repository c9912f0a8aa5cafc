import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { findConfigPath, loadConfig } from '../../../shared/config/load.ts';
import type { ConfigResult } from '../../../shared/config/load.ts';
import { demand, SecretNotDemandedError } from '../../../shared/config/secrets.ts';
import type { Need } from '../../../shared/config/secrets.ts';

const ALL: readonly Need[] = ['webhooks', 'read_token', 'post_token', 'git_token', 'marker_secret', 'redis'];

const fill = (letter: string, length: number): string => letter.repeat(length);

const FORGE = `
[[forge]]
id = "home"
kind = "forgejo"
base_url = "https://git.example.com/sub/"
token_env = "HOME_TOKEN"
webhook_secret_envs = ["HOME_HOOK"]
projects = ["owner/name"]
`;

const ENV = {
  HOME_TOKEN: fill('t', 40),
  HOME_HOOK: fill('w', 16),
  FIXPOINT_MARKER_SECRET: fill('m', 32),
  REDIS_URL: 'redis://127.0.0.1:6379',
};

const load = (text: string, env: Record<string, string> = ENV, needs = ALL): ConfigResult =>
  loadConfig({ text, env, needs, folder: '/srv' });

function problemsOf(result: ConfigResult): readonly string[] {
  return result.ok ? [] : result.problems;
}

test('a file with one forge is complete, and everything else has its default', () => {
  const result = load(FORGE);
  expect(problemsOf(result)).toEqual([]);
  if (!result.ok) return;
  const { secrets, forges, ...settings } = result.config;
  expect(settings).toMatchSnapshot();
  expect(forges).toEqual([
    {
      id: 'home',
      kind: 'forgejo',
      baseUrl: 'https://git.example.com/sub',
      tokenEnv: 'HOME_TOKEN',
      readTokenEnv: null,
      postTokenEnv: null,
      gitTokenEnv: null,
      pushTokenEnv: null,
      webhookSecretEnvs: ['HOME_HOOK'],
      signingTokenEnv: null,
      projects: ['owner/name'],
      proxy: null,
      previousBotUserIds: [],
      botUserIds: [],
      allowedBotUserIds: [],
      caFile: null,
      mention: null,
    },
  ]);
  expect(secrets).toEqual({
    redisUrl: ENV.REDIS_URL,
    sentinelPassword: null,
    console: null,
    marker: { current: ENV.FIXPOINT_MARKER_SECRET, previous: null },
    model: null,
    messageTokens: [],
    receivers: new Map(),
    forges: new Map([
      [
        'home',
        {
          webhookSecrets: [ENV.HOME_HOOK],
          signingToken: null,
          readToken: ENV.HOME_TOKEN,
          postToken: ENV.HOME_TOKEN,
          gitToken: ENV.HOME_TOKEN,
          pushToken: null,
        },
      ],
    ]),
  });
});

test('all mistakes of the file and of the environment are reported at once, and no value is repeated', () => {
  const leaked = ['kept', 'under', 'wraps'].join('-');
  const text = `
    data_dr = "x"
    dataDir = "${leaked}"
    "${leaked} ${leaked}" = 1
    [marker]
    secret_env = "${leaked}"
    [rounds]
    max = 10
    max_runs = "${leaked}"
    [review]
    runner = "${leaked}"
    triggers = ["pushed", "${leaked}"]
    exclude_paths = ["/${leaked}", "a/../${leaked}", "*a*a*a*a*a*a*a*a*${leaked}"]
    [[forge]]
    id = "Home ${leaked}"
    kind = "github"
    base_url = "https://user:${leaked}@git.example.com"
    projects = ["${leaked}"]
    [[forge]]
    id = "second"
    kind = "gitea"
    base_url = "http://10.0.0.1"
    webhook_secret_envs = ["SHORT_HOOK"]
    signing_token_env = "SIGN"
    projects = ["a/b"]
    read_token_env = "NOWHERE"
    [[forge]]
    id = "second"
    kind = "gitea"
    base_url = "http://10.0.0.2"
    webhook_secret_envs = ["SHORT_HOOK"]
    projects = ["a/b"]
    token_env = "TOKEN_WITH_BREAK"`;
  const env = { REDIS_URL: `mysql://${leaked}`, SHORT_HOOK: fill('s', 15), TOKEN_WITH_BREAK: `${leaked}\r\nx` };
  const problems = problemsOf(load(text, env));
  expect(problems).toMatchSnapshot();
  expect(problems.join('\n')).not.toContain(leaked);
});

test('an author that is off needs no CLI', () => {
  expect(problemsOf(load(`[author]\nagent = "claude-code"\n${FORGE}`))).toEqual([]);
});

test('a command that belongs into a cage is refused where there shall be none, unless the author is off', () => {
  const settings = (enabled: boolean): string =>
    `[author]\nenabled = ${enabled}\ncaged = true\ncommand = ["/opt/fix"]\n[sandbox]\nbackend = "none"\n${FORGE}`;
  expect(problemsOf(load(settings(true)))).toEqual(['author.caged: expected false, because sandbox.backend is "none"']);
  expect(problemsOf(load(settings(false)))).toEqual([]);
});

test('a missing CLI is reported beside the other mistakes, once for each that needs it', () => {
  const text = '[review]\nrunner = "claude-code"\n[author]\nenabled = true\nagent = "claude-code"\n[rounds]\nmax = 0';
  const missing = 'agent.claude_code.command: is missing; set the absolute path of the CLI, because';
  const problems = problemsOf(load(`${text}\n${FORGE}`));
  expect(problems).toEqual([
    expect.stringContaining('rounds.max:'),
    `${missing} review.runner is "claude-code"`,
    `${missing} author.agent is "claude-code"`,
  ]);
});

test.each<[name: string, add: string, problem: string]>([
  [
    'a model address with the version',
    '[agent]\nbase_url = "https://proxy.example/v1/"',
    'agent.base_url: leave out /v1, which Fixpoint adds to the address of a Messages API',
  ],
  [
    'a model address with the endpoint',
    '[agent]\nbase_url = "https://proxy.example/v1/messages"',
    'agent.base_url: leave out /v1',
  ],
  [
    'a misspelt key',
    '[rounds]\nthread_cuont = 2',
    'rounds.thread_cuont: is not a setting; did you mean "thread_count"?',
  ],
  ['a key in camel case', '[ingress]\nbodyLimitBytes = 2000', 'did you mean "body_limit_bytes"?'],
  [
    'F-C4: an unclosed brace',
    '[review]\ntarget_branches = ["{main,dev"]',
    'review.target_branches[0]: unclosed bracket',
  ],
  [
    'F-C4: a full ref',
    '[review]\ntarget_branches = ["refs/heads/main"]',
    'review.target_branches[0]: expected a branch name',
  ],
  ['F-C4: a folder of branches', '[review]\ntarget_branches = ["release/"]', 'such a name matches nothing'],
  ['F-C4: an unclosed bracket', '[review]\ninclude_paths = ["src/[a"]', 'review.include_paths[0]: unclosed bracket'],
  ['F-C4: braces in a path of the author', '[author]\nprotected_paths = ["{a"]', 'author.protected_paths[0]'],
  ['F-C4: an account that is no pattern', '[review]\nauthors = ["dev[1"]', 'review.authors[0]: unclosed bracket'],
  [
    'F-C4: a label that is also ignored',
    '[review]\nlabels = ["a"]\nignore_labels = ["a"]',
    'review.labels: expected a value',
  ],
  ['F-C4: all accounts ignored', '[review]\nignore_authors = ["*"]', 'review.authors: expected a value'],
  ['F-C4: all paths excluded', '[review]\nexclude_paths = ["**"]', 'review.include_paths: expected a value'],
  ['a key of nowhere', '[review]\nzebra = 1', 'review.zebra: is not a setting'],
  ['a missing table', 'limits = 3', 'limits: expected object, received number'],
  ['a wrong type', '[ingress]\nport = "80"', 'ingress.port: expected number, received string'],
  ['a fraction', '[rounds]\nmax = 2.5', 'rounds.max: expected int, received number'],
  [
    'too few runs',
    '[rounds]\nmax = 9\nmax_runs = 8',
    'rounds.max_runs: expected at least rounds.max, because every round uses a run',
  ],
  ['one count too many', '[rounds]\nthread_count = 5', 'rounds.thread_count: expected number to be <=4'],
  [
    'an unknown runner',
    '[review]\nrunner = "oracle"',
    'review.runner: expected one of "auto", "agent", "claude-code", "rules", "messages"',
  ],
  [
    'the CLI as the reviewer without its path',
    '[review]\nrunner = "claude-code"',
    'agent.claude_code.command: is missing; set the absolute path of the CLI',
  ],
  [
    'the CLI as the author without its path',
    '[author]\nenabled = true\nagent = "claude-code"',
    'because author.agent is "claude-code"',
  ],
  [
    'a CLI that would be looked up',
    '[review]\nrunner = "claude-code"\n[agent.claude_code]\ncommand = "claude"',
    'agent.claude_code.command: expected an absolute path',
  ],
  ['a prefix with a colon', '[redis]\nprefix = "a:b"', 'redis.prefix: expected 1 to 32 lower-case letters'],
])('refuses %s with the place and what is expected', (_, add, problem) => {
  const problems = problemsOf(load(`${add}\n${FORGE}`));
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(problem);
});

test.each<[name: string, from: string, to: string, problem: string]>([
  [
    'the address of an API of GitLab',
    'sub/',
    'sub/api/v4/',
    'forge[0].base_url: expected the URL of the forge itself: leave out /api/v4 or /api/v1',
  ],
  ['the address of an API of Forgejo', 'sub/', 'api/v1', 'forge[0].base_url: expected the URL of the forge itself'],
  ['no forge at all', FORGE, '', 'forge: is missing; expected array'],
  ['a forge without secret', 'webhook_secret_envs = ["HOME_HOOK"]', 'webhook_secret_envs = []', 'names no variable'],
  [
    'a forge without the key for it',
    'webhook_secret_envs = ["HOME_HOOK"]',
    '',
    'webhook_secret_envs: names no variable',
  ],
  [
    'a bot that may command and may not',
    'kind',
    'bot_user_ids = [3, 4]\nallowed_bot_user_ids = [5, 4]\nkind',
    'forge[0].allowed_bot_user_ids: contains an id that is also in bot_user_ids',
  ],
  ['a bot by name', 'kind', 'bot_user_ids = ["renovate"]\nkind', 'bot_user_ids[0]: expected number'],
  ['a forge without projects', '["owner/name"]', '[]', 'forge[0].projects: expected array to have >=1 items'],
  ['a query in the address', 'sub/"', 'sub?a=b"', 'forge[0].base_url: expected an http(s) URL without'],
  ['a password without user', '//git', '//:secret@git', 'forge[0].base_url: expected an http(s) URL without'],
  ['another scheme', 'https://git', 'ssh://git', 'forge[0].base_url: expected an http(s) URL without'],
  ['a project without owner', 'owner/name', 'name', 'forge[0].projects[0]: expected "owner/name"'],
  ['half a pattern', 'owner/name', 'own*/name', 'forge[0].projects[0]: expected "owner/name"'],
  ['two wildcards', 'owner/name', '*/*', 'forge[0].projects[0]: expected "owner/name"'],
  ['a group in a group elsewhere', 'owner/name', 'owner/sub/*', 'forge[0].projects: only GitLab has nested groups'],
  ['a mention with at sign', 'kind', 'mention = "@bot"\nkind', 'forge[0].mention: expected an account name'],
  ['a mention of dots', 'kind', 'mention = ".."\nkind', 'forge[0].mention: expected an account name'],
  ['a missing token', 'token_env', 'read_token_env', 'forge[0].post_token_env: is missing; set it, or set token_env'],
  ['a signing token elsewhere', 'kind', 'signing_token_env = "S"\nkind', 'only GitLab has signing tokens'],
])('refuses %s', (_, from, to, problem) => {
  expect(problemsOf(load(FORGE.replace(from, to))).join('\n')).toContain(problem);
});

test.each<[name: string, env: Record<string, string>, problem: string]>([
  ['no secret', { HOME_HOOK: '' }, 'forge[0].webhook_secret_envs[0]: the environment variable HOME_HOOK is not set'],
  ['7 characters', { HOME_HOOK: fill('x', 7) }, 'HOME_HOOK is too short; expected at least 16 characters'],
  ['15 characters', { HOME_HOOK: fill('x', 15) }, 'HOME_HOOK is too short; expected at least 16 characters'],
  ['white space around', { HOME_HOOK: `${fill('x', 20)}\n` }, 'HOME_HOOK has leading or trailing white space'],
  ['a short marker secret', { FIXPOINT_MARKER_SECRET: fill('x', 31) }, 'expected at least 32 characters'],
  ['a token with a space', { HOME_TOKEN: 'abcd efgh ijkl' }, 'forge[0].token_env: the environment variable HOME_TOKEN'],
  [
    'a token in quotation marks',
    { HOME_TOKEN: `"${ENV.HOME_TOKEN}"` },
    'HOME_TOKEN is in quotation marks, which would',
  ],
  ['a token in single quotation marks', { HOME_TOKEN: `'${ENV.HOME_TOKEN}'` }, 'HOME_TOKEN is in quotation marks'],
  ['a short token', { HOME_TOKEN: 'abcdefg' }, 'expected at least 8 characters'],
  [
    'not a Redis URL',
    { REDIS_URL: 'localhost:6379' },
    'redis.url_env: the environment variable REDIS_URL is not a Redis',
  ],
])('refuses an environment with %s', (_, env, problem) => {
  const problems = problemsOf(load(FORGE, { ...ENV, ...env }));
  expect(problems).toHaveLength(1);
  expect(problems[0]).toContain(problem);
});

test.each(['rediss://user:pass@redis.example.com:6380/1', 'unix:///run/redis.sock', 'redis://[::1]:6379'])(
  'accepts the Redis address %s',
  (url) => {
    expect(problemsOf(load(FORGE, { ...ENV, REDIS_URL: url }))).toEqual([]);
  },
);

test('a process reads only what it demands, and is not asked for anything else', () => {
  const result = load(FORGE, { HOME_HOOK: ENV.HOME_HOOK, HOME_TOKEN: ENV.HOME_TOKEN }, ['webhooks']);
  expect(problemsOf(result)).toEqual([]);
  if (!result.ok) return;
  const { secrets } = result.config;
  expect(JSON.stringify([secrets, [...secrets.forges]])).not.toContain(ENV.HOME_TOKEN);
  expect(demand(secrets.forges.get('home')?.webhookSecrets, 'webhooks')).toEqual([ENV.HOME_HOOK]);
  expect(() => demand(secrets.redisUrl, 'redis')).toThrow(SecretNotDemandedError);
  expect(() => demand(secrets.marker, 'marker_secret')).toThrow(SecretNotDemandedError);
});

test('a token for one purpose takes the place of the general one, and never falls back to it', () => {
  const text = FORGE.replace('token_env', 'post_token_env = "POST"\ntoken_env');
  const good = load(text, { ...ENV, POST: fill('p', 20) });
  if (!good.ok) throw new Error(good.problems.join());
  expect(good.config.secrets.forges.get('home')).toMatchObject({
    readToken: ENV.HOME_TOKEN,
    postToken: fill('p', 20),
    gitToken: ENV.HOME_TOKEN,
  });
  expect(problemsOf(load(text))).toEqual(['forge[0].post_token_env: the environment variable POST is not set']);
});

test('a webhook secret may not serve two forges', () => {
  const second = FORGE.replace('"home"', '"other"').replace('HOME_HOOK', 'OTHER_HOOK');
  expect(problemsOf(load(FORGE + second, { ...ENV, OTHER_HOOK: ENV.HOME_HOOK }))).toEqual([
    'forge "other": has the same webhook secret as forge "home"; each forge needs its own',
  ]);
  expect(problemsOf(load(FORGE + second, { ...ENV, OTHER_HOOK: fill('o', 16) }))).toEqual([]);
});

test('a GitLab signing token holds base64 of a sensible length behind its prefix', () => {
  const text = FORGE.replace('forgejo', 'gitlab').replace('token_env', 'signing_token_env = "SIGN"\ntoken_env');
  const token = (bytes: number): string => ['whsec', Buffer.alloc(bytes, 7).toString('base64')].join('_');
  const problems = (sign: string): readonly string[] => problemsOf(load(text, { ...ENV, SIGN: sign }));
  expect(problems(token(32))).toEqual([]);
  expect(problems(token(23))).toHaveLength(1);
  expect(problems(token(65))).toHaveLength(1);
  expect(problems(token(32).slice(6))).toHaveLength(1);
});

test('a GitLab signing token may stand alone, and may not serve two forges either', () => {
  const token = (byte: number): string => ['whsec', Buffer.alloc(32, byte).toString('base64')].join('_');
  const signed = (id: string, name: string): string =>
    FORGE.replace('"home"', `"${id}"`)
      .replace('forgejo', 'gitlab')
      .replace('webhook_secret_envs = ["HOME_HOOK"]', `signing_token_env = "${name}"`);
  const one = load(signed('home', 'SIGN'), { ...ENV, SIGN: token(7) });
  if (!one.ok) throw new Error(one.problems.join());
  expect(one.config.secrets.forges.get('home')).toMatchObject({ webhookSecrets: [], signingToken: token(7) });
  expect(problemsOf(load(signed('home', 'SIGN')))).toEqual([
    'forge[0].signing_token_env: the environment variable SIGN is not set',
  ]);
  const both = signed('home', 'SIGN') + signed('other', 'MORE');
  expect(problemsOf(load(both, { ...ENV, SIGN: token(7), MORE: token(8) }))).toEqual([]);
  expect(problemsOf(load(both, { ...ENV, SIGN: token(7), MORE: token(7) }))).toEqual([
    'forge "other": has the same webhook secret as forge "home"; each forge needs its own',
  ]);
});

test('a file that is not TOML is named by line and column only', () => {
  expect(problemsOf(load('a = 1\nb = "hush'))).toEqual([expect.stringMatching(/^line 2, column \d+: not valid TOML$/)]);
});

test.each([
  ['a key', 'a = "hush"\na = "hush"'],
  ['a table', '[review]\n[review]\nhush = 1'],
])('%s that is defined twice is named by line and column only', (_what, text) => {
  expect(problemsOf(load(text))).toEqual([
    expect.stringMatching(/^line 2, column \d+: the key or table is defined twice$/),
  ]);
});

test.each(['[__proto__]\nx = 1', '__proto__ = 1', '[forge.__proto__]\nid = "x"', '[rounds]\n__proto__.max = 9'])(
  'a key that means something to JavaScript is only an unknown key: %j',
  (text) => {
    expect(load(`${text}\n`).ok).toBe(false);
    expect(Reflect.get({}, 'max')).toBeUndefined();
  },
);

test('relative paths count from the folder of the file, and a missing certificate is a mistake', () => {
  const folder = mkdtempSync(join(tmpdir(), 'fixpoint-config-'));
  const path = join(folder, 'fixpoint.toml');
  writeFileSync(path, `data_dir = "data"\n${FORGE}\nca_file = "ca.pem"\n`);
  const missing = loadConfig({ path, env: ENV, needs: ALL });
  expect(problemsOf(missing)).toEqual(['forge[0].ca_file: file not found']);
  expect(loadConfig({ path, env: ENV, needs: ['redis'] }).ok).toBe(true);

  writeFileSync(join(folder, 'ca.pem'), '');
  const result = loadConfig({ path, env: ENV, needs: ALL });
  if (!result.ok) throw new Error(result.problems.join());
  expect([result.config.dataDir, result.config.forges[0]?.caFile]).toEqual([
    join(folder, 'data'),
    join(folder, 'ca.pem'),
  ]);
});

test('a file that cannot be read is one problem with its path', () => {
  expect(problemsOf(loadConfig({ path: '/nowhere/fixpoint.toml', env: ENV, needs: ALL }))).toEqual([
    '/nowhere/fixpoint.toml: cannot be read (ENOENT); see fixpoint.example.toml',
  ]);
});

test('the flag wins over the variable, and the variable over the working directory', () => {
  expect(findConfigPath('/a.toml', { FIXPOINT_CONFIG: '/b.toml' })).toBe('/a.toml');
  expect(findConfigPath(undefined, { FIXPOINT_CONFIG: '/b.toml' })).toBe('/b.toml');
  expect(findConfigPath(undefined, { FIXPOINT_CONFIG: '' })).toBe(join(process.cwd(), 'fixpoint.toml'));
});

test.each<[what: string, runner: string, env: Record<string, string>, model: unknown]>([
  ['no key is needed, and auto is content', 'auto', {}, null],
  ['a key is taken by auto', 'auto', { ANTHROPIC_API_KEY: 'a-model-key' }, { key: 'a-model-key', baseUrl: null }],
  ['no key is read for the rules', 'rules', { ANTHROPIC_API_KEY: 'a-model-key' }, null],
  [
    'the address comes with the key',
    'agent',
    { ANTHROPIC_API_KEY: 'a-model-key', ANTHROPIC_BASE_URL: 'http://127.0.0.1:9' },
    { key: 'a-model-key', baseUrl: 'http://127.0.0.1:9' },
  ],
])('%s', (_, runner, env, model) => {
  const result = loadConfig({ text: `${FORGE}\n[review]\nrunner = "${runner}"`, env, needs: ['model_key'] });
  expect(problemsOf(result)).toEqual([]);
  if (result.ok) expect(result.config.secrets.model).toEqual(model);
});

test.each<[what: string, toml: string, env: Record<string, string>, model: unknown]>([
  [
    'the CLI of a subscription reads its token and no key',
    '[review]\nrunner = "claude-code"',
    { CLAUDE_CODE_OAUTH_TOKEN: 'a-subscription-token', ANTHROPIC_API_KEY: 'a-model-key' },
    { key: '', baseUrl: null, subscription: 'a-subscription-token' },
  ],
  [
    'an author with a subscription leaves the key to the reviewer',
    '[author]\nenabled = true\nagent = "claude-code"\n[review]\nrunner = "agent"',
    { CLAUDE_CODE_OAUTH_TOKEN: 'a-subscription-token', ANTHROPIC_API_KEY: 'a-model-key' },
    { key: 'a-model-key', baseUrl: null, subscription: 'a-subscription-token' },
  ],
  [
    'a subscription without the CLI changes nothing',
    '[review]\nrunner = "agent"',
    { CLAUDE_CODE_OAUTH_TOKEN: 'a-subscription-token', ANTHROPIC_API_KEY: 'a-model-key' },
    { key: 'a-model-key', baseUrl: null },
  ],
])('%s', (_, toml, env, model) => {
  const cli = '[agent.claude_code]\ncommand = "/opt/claude"\nsubscription = true';
  const result = loadConfig({ text: `${FORGE}\n${toml}\n${cli}`, env, needs: ['model_key'] });
  expect(problemsOf(result)).toEqual([]);
  if (result.ok) expect(result.config.secrets.model).toEqual(model);
});

test('a subscription without its token is refused', () => {
  const cli = '[agent.claude_code]\ncommand = "/opt/claude"\nsubscription = true';
  const text = `${FORGE}\n[review]\nrunner = "claude-code"\n${cli}`;
  const problems = problemsOf(loadConfig({ text, env: { ANTHROPIC_API_KEY: 'a-model-key' }, needs: ['model_key'] }));
  expect(problems).toEqual([
    'agent.claude_code.subscription: the environment variable CLAUDE_CODE_OAUTH_TOKEN is not set',
  ]);
});

test.each<[what: string, env: Record<string, string>, problem: string]>([
  [
    'the agent without a key is refused',
    {},
    'agent.api_key_env: the environment variable ANTHROPIC_API_KEY is not set',
  ],
  [
    'an address with a password is refused, unrepeated',
    { ANTHROPIC_API_KEY: 'a-model-key', ANTHROPIC_BASE_URL: 'http://user:word@example.com' },
    'agent: the environment variable ANTHROPIC_BASE_URL is not an http(s) URL without user name, password, query or fragment',
  ],
  [
    'an address with the version is refused',
    { ANTHROPIC_API_KEY: 'a-model-key', ANTHROPIC_BASE_URL: 'https://proxy.example/v1/' },
    'agent: the environment variable ANTHROPIC_BASE_URL is not the address alone: leave out /v1, which Fixpoint adds to the address of a Messages API',
  ],
])('%s', (_, env, problem) => {
  const result = loadConfig({ text: `${FORGE}\n[review]\nrunner = "agent"`, env, needs: ['model_key'] });
  expect(problemsOf(result)).toEqual([problem]);
});
