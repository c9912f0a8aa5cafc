import { describe, expect, it } from 'vitest';
import { loadConfig } from '../../../shared/config/load.ts';
import { secretValues } from '../../../shared/config/loaded/secret-values.ts';
import { SERVICE_NEEDS, secretVariables, type ServiceName } from '../../../shared/config/service-needs.ts';
import { NotifyEventKind } from '../../../shared/vocabulary/notify.ts';

/** In pieces: a scanner takes it for a secret of ours. */
const SECRET = ['whsec', Buffer.alloc(24, 3).toString('base64')].join('_');
const URL_A = 'https://receiver.example/hooks/0123456789';
const ENV = { A_URL: URL_A, A_SECRET: SECRET, B_URL: 'http://chat.example/b' };

const hook = (patch: Readonly<Record<string, unknown>> = {}): string => {
  const fields = { name: 'on-call', kind: 'json', url_env: 'A_URL', secret_env: 'A_SECRET', ...patch };
  const lines = Object.entries(fields).flatMap(([key, value]) =>
    value === undefined ? [] : [`${key} = ${JSON.stringify(value)}`],
  );
  return `[[notify]]\n${lines.join('\n')}\n`;
};

const CHAT = hook({ name: 'chat', kind: 'slack', url_env: 'B_URL', secret_env: undefined });

const load = (
  hooks: string,
  env: Readonly<Record<string, string>> = ENV,
  needs: readonly ['notify'] | [] = ['notify'],
) =>
  loadConfig({
    text: `[[forge]]
      id = "code"
      kind = "gitlab"
      base_url = "https://code.example"
      token_env = "TOKEN"
      webhook_secret_envs = ["HOOK"]
      projects = ["a/b"]
      ${hooks}`,
    folder: '/',
    env,
    needs,
  });

const problems = (...args: Parameters<typeof load>): readonly string[] => {
  const loaded = load(...args);
  return loaded.ok ? [] : loaded.problems;
};

describe('receivers', () => {
  it('are read with their addresses and secrets, by name', () => {
    const loaded = load(hook() + CHAT);
    if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
    expect([...loaded.config.secrets.receivers]).toEqual([
      ['on-call', { url: URL_A, secret: SECRET }],
      ['chat', { url: ENV.B_URL, secret: null }],
    ]);
    expect(loaded.config.notify).toEqual([
      {
        name: 'on-call',
        kind: 'json',
        urlEnv: 'A_URL',
        secretEnv: 'A_SECRET',
        events: NotifyEventKind.options,
        forges: [],
        projects: [],
      },
      expect.objectContaining({ name: 'chat', kind: 'slack', secretEnv: null }),
    ]);
  });

  it('are blacked out whole, and by the path that makes them secret', () => {
    const loaded = load(hook() + CHAT);
    if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
    expect(secretValues(loaded.config.secrets)).toEqual([URL_A, '/hooks/0123456789', SECRET, ENV.B_URL]);
  });

  it('are demanded of nobody where there are none, and read by nobody who does not need them', () => {
    expect(problems('', {})).toEqual([]);
    expect(load(hook(), {}, [])).toMatchObject({ ok: true, config: { secrets: { receivers: new Map() } } });
  });

  it.each<ServiceName>(['ingress', 'guard', 'reviewer', 'explorer', 'author', 'poster'])(
    'are the business of the poster alone: %s',
    (name) => {
      const loaded = load(hook() + CHAT, {}, []);
      if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
      const variables = secretVariables(loaded.config, SERVICE_NEEDS[name]);
      const theirs = variables.filter((variable) => /^[AB]_/.test(variable));
      expect(theirs).toEqual(name === 'poster' ? ['A_URL', 'A_SECRET', 'B_URL'] : []);
    },
  );
});

describe('a start is refused for', () => {
  const at = 'notify[0]';
  it.each<[string, string, string]>([
    ['a signing secret of a chat', hook({ kind: 'matrix' }), `${at}.secret_env: required for kind "json"`],
    [
      'a program without a signing secret',
      hook({ secret_env: undefined }),
      `${at}.secret_env: required for kind "json"`,
    ],
    ['an address in the file', hook({ url_env: URL_A }), `${at}.url_env: expected the name of an environment variable`],
    ['a name that no job may have', hook({ name: 'a:b' }), `${at}.name: expected 1 to 32 lower-case letters`],
    ['a name of digits', hook({ name: '123' }), `${at}.name: expected 1 to 32 lower-case letters`],
    ['no events', hook({ events: [] }), `${at}.events`],
    ['an unknown event', hook({ events: ['merged'] }), `${at}.events[0]`],
    ['an unknown kind', hook({ kind: 'smtp' }), `${at}.kind`],
    ['a pattern that is none', hook({ projects: ['*/shop'] }), `${at}.projects[0]: expected "owner/name"`],
    ['an unknown forge', hook({ forges: ['code', 'other'] }), `${at}.forges[1]: expected the id of a [[forge]]`],
    ['a name twice', hook() + hook(), 'notify[1].name: another hook has this name; names must be unique'],
  ])('%s', (_what, hooks, problem) => {
    expect(problems(hooks)).toEqual(expect.arrayContaining([expect.stringContaining(problem)]));
    expect(problems(hooks).join()).not.toContain(URL_A);
  });

  it.each<[string, string | undefined, string]>([
    ['no address', undefined, 'is not set'],
    ['an empty address', '', 'is not set'],
    ['a word', 'receiver', 'is not an http(s) URL'],
    ['another protocol', 'ftp://receiver.example/x', 'is not an http(s) URL'],
    ['a user', 'https://ann@receiver.example/x', 'is not an http(s) URL'],
    ['a password', 'https://:secret@receiver.example/x', 'is not an http(s) URL'],
    ['a fragment', 'https://receiver.example/x#y', 'is not an http(s) URL'],
    ['a line break', 'https://receiver.example/x\n', 'is not an http(s) URL'],
    ['an address without end', `https://receiver.example/${'x'.repeat(2_000)}`, 'is not an http(s) URL'],
    ['a link-local address', 'http://169.254.169.254/latest', 'is a link-local address'],
    ['a link-local address of version 6', 'http://[fe80::1]/x', 'is a link-local address'],
  ])('%s', (_what, url, mistake) => {
    const env = { ...ENV, ...(url === undefined ? { A_URL: '' } : { A_URL: url }) };
    expect(problems(hook(), env)).toEqual([
      expect.stringMatching(/^notify\[0\]\.url_env: the environment variable A_URL /),
    ]);
    expect(problems(hook(), env)[0]).toContain(mistake);
  });

  it.each(['', 'secret', Buffer.alloc(24).toString('base64'), ['whsec', 'short'].join('_')])(
    'the signing secret %j',
    (secret) => {
      expect(problems(hook(), { ...ENV, A_SECRET: secret })).toEqual([
        expect.stringMatching(
          /^notify\[0\]\.secret_env: the environment variable A_SECRET is not (?:set|a signing token)/,
        ),
      ]);
    },
  );

  it('what is wrong here, beside what is wrong elsewhere', () => {
    expect(problems(`${hook()}\n[review]\nunknown = 1\n`, {})).toEqual([
      expect.stringContaining('review.unknown'),
      expect.stringContaining('A_URL is not set'),
      expect.stringContaining('A_SECRET is not set'),
    ]);
  });
});

it('an address may have a query, which may be what is secret', () => {
  expect(problems(hook(), { ...ENV, A_URL: 'http://127.0.0.1:8080/?token=0123456789' })).toEqual([]);
});
