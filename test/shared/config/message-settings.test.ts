import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../../shared/config/load.ts';

const TOKENS = { ANN: 'a'.repeat(32), REX: 'r'.repeat(32) };

const client = (patch: Readonly<Record<string, string | number>> = {}): string => {
  const fields = { name: 'ann', role: 'author', forge: 'code', project_id: 4, token_env: 'ANN', ...patch };
  const lines = Object.entries(fields).map(([key, value]) => `${key} = ${JSON.stringify(value)}`);
  return `[[messages.client]]\n${lines.join('\n')}\n`;
};

const REX = client({ name: 'rex', role: 'reviewer', token_env: 'REX' });

const load = (clients: string, env: Readonly<Record<string, string>> = TOKENS, projects = '"a/b"') =>
  loadConfig({
    text: `[[forge]]
      id = "code"
      kind = "forgejo"
      base_url = "https://code.example"
      token_env = "TOKEN"
      webhook_secret_envs = ["HOOK"]
      projects = [${projects}]
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

/** A client with patterns instead of an id. */
const broad = (name: string, role: string, match: readonly string[], more = ''): string =>
  `[[messages.client]]\nname = "${name}"\nrole = "${role}"\nmatch = ${JSON.stringify(match)}\ntoken_env = "REX"\n${more}`;

const LAB = `[[forge]]
  id = "lab"
  kind = "gitlab"
  base_url = "https://lab.example"
  token_env = "TOKEN"
  webhook_secret_envs = ["HOOK"]
  projects = ["x/*"]
`;

const BY_ID = client({ role: 'reviewer' });

const HIDDEN_ID =
  'messages.client[0].project_id: has no effect, because later reviewers take all projects of its forge (messages.client[1]); put the more general one first';

const SERVED = '"a/b", "acme/*", "acme/shop"';

const problemsOf = (text: string): readonly string[] => {
  const folder = text.replaceAll(/token_env = "REX"/g, () => `folder = "/f${(folders += 1)}"`);
  const loaded = load(folder, TOKENS, SERVED);
  return loaded.ok ? [] : loaded.problems;
};
let folders = 0;

describe('a client with patterns', () => {
  test.each<readonly [string, string, readonly string[]]>([
    [
      'a reviewer and an author of the same projects',
      broad('rex', 'reviewer', ['acme/*']) + broad('ann', 'author', ['*']),
      [],
    ],
    [
      'a general reviewer before a particular one',
      broad('r', 'reviewer', ['acme/*']) + broad('s', 'reviewer', ['acme/shop']),
      [],
    ],
    [
      'neither an id nor patterns',
      '[[messages.client]]\nname = "x"\nrole = "author"\nfolder = "/x"\n',
      ['messages.client[0]: expected project_id or match'],
    ],
    [
      'an id and patterns',
      broad('x', 'author', ['a/b'], 'forge = "code"\nproject_id = 4\n'),
      ['messages.client[0]: expected project_id or match, not both'],
    ],
    [
      'an id without its forge',
      '[[messages.client]]\nname = "x"\nrole = "author"\nproject_id = 4\nfolder = "/x"\n',
      ['messages.client[0].forge: is missing; project_id is an id of this forge'],
    ],
    [
      'an unknown forge',
      broad('x', 'author', ['a/b'], 'forge = "other"\n'),
      [
        'messages.client[0].forge: expected the id of a [[forge]]',
        'messages.client[0].match[0]: matches no project in the projects of any [[forge]] that it is for',
      ],
    ],
    [
      'a pattern without a project',
      broad('x', 'author', ['a/b', 'c/*']),
      ['messages.client[0].match[1]: matches no project in the projects of any [[forge]] that it is for'],
    ],
    [
      'two reviewers with one pattern',
      broad('r', 'reviewer', ['a/b']) + broad('s', 'reviewer', ['acme/*', 'a/b']),
      [
        'messages.client[1].match: an earlier reviewer has the same pattern (messages.client[0]); a project has one reviewer',
      ],
    ],
    [
      'a reviewer whose projects all belong to later ones',
      broad('r', 'reviewer', ['acme/shop']) + broad('s', 'reviewer', ['acme/*']),
      [
        'messages.client[0].match: has no effect, because later reviewers take all its projects (messages.client[1]); put the more general one first',
      ],
    ],
    ['a reviewer by id before one of all projects', BY_ID + broad('r', 'reviewer', ['*']), [HIDDEN_ID]],
    [
      'a reviewer by id before one of all projects of its forge',
      BY_ID + broad('r', 'reviewer', ['*'], 'forge = "code"\n'),
      [HIDDEN_ID],
    ],
    [
      'a reviewer by id before one of every pattern that is served',
      BY_ID + broad('r', 'reviewer', ['a/b', 'acme/*']),
      [HIDDEN_ID],
    ],
    ['a reviewer by id before one of some projects', BY_ID + broad('r', 'reviewer', ['acme/*']), []],
    ['a reviewer by id after one of all projects', broad('r', 'reviewer', ['*']) + BY_ID, []],
    ['a reviewer by id before an author of all projects', BY_ID + broad('r', 'author', ['*']), []],
    [
      'a reviewer by id before one of all projects of another forge',
      LAB + BY_ID + broad('r', 'reviewer', ['*'], 'forge = "lab"\n'),
      [],
    ],
    [
      'a general reviewer before one of a forge with the same pattern',
      LAB + broad('r', 'reviewer', ['*']) + broad('s', 'reviewer', ['*'], 'forge = "lab"\n'),
      [],
    ],
    [
      'a general reviewer after one of a forge with the same pattern',
      LAB + broad('r', 'reviewer', ['*'], 'forge = "lab"\n') + broad('s', 'reviewer', ['*']),
      [
        'messages.client[0].match: has no effect, because later reviewers take all its projects (messages.client[1]); put the more general one first',
      ],
    ],
    [
      'two reviewers of a forge with the same pattern',
      LAB + broad('r', 'reviewer', ['*'], 'forge = "lab"\n') + broad('s', 'reviewer', ['*'], 'forge = "lab"\n'),
      [
        'messages.client[1].match: an earlier reviewer has the same pattern (messages.client[0]); a project has one reviewer',
      ],
    ],
    [
      'one name with patterns and with an id',
      client() + broad('ann', 'author', ['acme/*']),
      ['messages.client[1].name: another client has this name; a client with match needs a name of its own'],
    ],
    [
      'one name with an id and with patterns',
      broad('ann', 'author', ['acme/*']) + client(),
      ['messages.client[1].name: another client has this name; a client with match needs a name of its own'],
    ],
    [
      'one name on two forges, once with patterns',
      LAB + client() + broad('ann', 'author', ['x/*'], 'forge = "lab"\n'),
      ['messages.client[1].name: another client has this name; a client with match needs a name of its own'],
    ],
  ])('%s', (_what, text, problems) => {
    expect(problemsOf(text)).toEqual(problems);
  });

  test('a wrong key is named', () => {
    expect(problemsOf(broad('x', 'author', ['a/b'], 'projects = ["a/b"]\n'))[0]).toMatch(
      /messages\.client\[0\]\.projects: /,
    );
  });

  test.each<readonly [string, string, readonly string[]]>([
    [
      'in a project that no reviewer matches',
      OUTSIDE + broad('r', 'reviewer', ['acme/*']),
      [
        'review.runner: is "messages" for code/a/b, which no [[messages.client]] with the role "reviewer" matches; set another runner there in a [[project]]',
      ],
    ],
    [
      'in the projects that reviewers match',
      `${broad('r', 'reviewer', ['acme/*'])}[[project]]\nmatch = ["acme/*"]\nreview.runner = "messages"\n`,
      [],
    ],
    [
      'on a forge where a reviewer is known by its id',
      OUTSIDE + broad('r', 'reviewer', ['acme/*']) + client({ role: 'reviewer' }),
      [],
    ],
  ])('with the runner "messages" %s: %j', (_what, text, problems) => {
    expect(problemsOf(text)).toEqual(problems);
  });
});

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
