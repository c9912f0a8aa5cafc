import { expect, test } from 'vitest';
import { loadConfig } from '../../../shared/config/load.ts';

const TOKENS = { ANN: 'a'.repeat(32), REX: 'r'.repeat(32) };

const client = (patch: Readonly<Record<string, string | number>> = {}): string => {
  const fields = { name: 'ann', role: 'author', forge: 'code', project_id: 4, token_env: 'ANN', ...patch };
  const lines = Object.entries(fields).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  return `[[messages.client]]\n${lines.join('\n')}\n`;
};

const REX = client({ name: 'rex', role: 'reviewer', token_env: 'REX' });

const load = (clients: string, env: Readonly<Record<string, string>> = TOKENS) =>
  loadConfig({
    text: `[[forge]]
      id = "code"
      kind = "forgejo"
      base_url = "https://code.example"
      token_env = "TOKEN"
      webhook_secret_envs = ["HOOK"]
      projects = ["a/b"]
      ${clients}`,
    folder: '/',
    env,
    needs: ['messages'],
  });

test('clients are read with their tokens, in order', () => {
  const loaded = load(client() + REX);
  expect(loaded).toMatchObject({ ok: true, config: { secrets: { messageTokens: [TOKENS.ANN, TOKENS.REX] } } });
});

test('without clients nothing is demanded', () => {
  expect(load('', {})).toMatchObject({
    ok: true,
    config: { messages: { client: [] }, secrets: { messageTokens: [] } },
  });
});

test.each([
  ['an unknown forge', client({ forge: 'other' }), TOKENS, 'messages.client[0].forge: expected the id of a [[forge]]'],
  [
    'two of one name',
    client() + client({ token_env: 'REX' }),
    TOKENS,
    'messages.client[1].name: another client of this project has this name; names must be unique',
  ],
  [
    'two with one token',
    client() + REX,
    { ANN: TOKENS.ANN, REX: TOKENS.ANN },
    'messages.client[1].token_env: another client has the same token; each client needs its own',
  ],
  [
    'a short token',
    client(),
    { ANN: 'a'.repeat(31) },
    'messages.client[0].token_env: the environment variable ANN is too short; expected at least 32 characters',
  ],
  ['no token', client(), {}, 'messages.client[0].token_env: the environment variable ANN is not set'],
  [
    'one with our own name',
    client({ name: 'fixpoint' }),
    TOKENS,
    'messages.client[0].name: equals messages.name; choose another name',
  ],
  [
    'two with one folder',
    client({ folder: '/x' }) + client({ name: 'rex', token_env: 'REX', folder: '/x' }),
    TOKENS,
    'messages.client[1].folder: another client uses this folder; each client needs its own',
  ],
])('%s is refused', (_what, clients, env, problem) => {
  expect(load(clients, env)).toEqual({ ok: false, problems: [problem] });
});

test('one name may stand in two projects', () => {
  expect(load(client() + client({ project_id: 5, token_env: 'REX' })).ok).toBe(true);
});

test('a client without a token and without a folder could not speak', () => {
  const mute = '[[messages.client]]\nname = "ann"\nrole = "author"\nforge = "code"\nproject_id = 4\n';
  expect(load(mute)).toEqual({ ok: false, problems: ['messages.client[0]: expected token_env or folder'] });
});

test('a client with a folder needs no token, and its folder counts from the configuration file', () => {
  const folder = '[[messages.client]]\nname = "ann"\nrole = "author"\nforge = "code"\nproject_id = 4\nfolder = "ann"\n';
  expect(load(folder, {})).toMatchObject({
    ok: true,
    config: { messages: { client: [{ folder: '/ann', tokenEnv: null }] }, secrets: { messageTokens: [''] } },
  });
});

const OUTSIDE = '[review]\nrunner = "messages"\n';

test.each([
  ['one reviewer', REX, []],
  ['a reviewer in each of two projects', REX + client({ role: 'reviewer', project_id: 5 }), []],
  ['nobody', client(), ['review.runner: is "messages"; expected a [[messages.client]] with the role "reviewer"']],
  [
    'two reviewers of one project',
    REX + client({ role: 'reviewer' }),
    ['messages.client[1].role: this project already has a reviewer; only one is allowed'],
  ],
])('with the runner "messages", %s: %j', (_what, clients, problems) => {
  const loaded = load(OUTSIDE + clients);
  expect(loaded.ok ? [] : loaded.problems).toEqual(problems);
});
