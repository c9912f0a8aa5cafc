/** Who may do what, as a token without admin rights finds out, against scripted answers. */
import { afterEach, describe, expect, it } from 'vitest';
import { connectForge } from '../../../shared/forge/kinds/connect.ts';
import { ForgeId } from '../../../shared/vocabulary/ids.ts';
import { manualClock } from './manual-clock.ts';
import { type Answer, type ScriptedServer, startScriptedServer } from './scripted-server.ts';

const signal = new AbortController().signal;
const started: ScriptedServer[] = [];
afterEach(async () => {
  await Promise.all(started.splice(0).map((server) => server.close()));
});

const json = (status: number, body: unknown): Answer => ({ kind: 'json', status, body });
const project = (isPrivate: boolean, internal = false) =>
  json(200, {
    id: 7,
    name: 'shop',
    owner: { login: 'acme' },
    full_name: 'acme/shop',
    html_url: 'https://forge.example/acme/shop',
    default_branch: 'main',
    private: isPrivate,
    internal,
  });
const author = { id: 42, login: 'author' };
const noOrganisation = json(405, { message: 'repo is not owned by an organization' });
const writers = json(200, [{ permission: 'write', units_map: { 'repo.code': 'write' } }]);
const pullReaders = json(200, [{ permission: 'read', units_map: { 'repo.code': 'read', 'repo.pulls': 'read' } }]);

type Answers = {
  readonly permission: Answer;
  readonly assignees?: Answer;
  readonly teams?: Answer;
  readonly project?: Answer;
};

const ask = async (answers: Answers): Promise<unknown> => {
  const repo = '/api/v1/repos/acme/shop';
  const routes: Record<string, Answer | undefined> = {
    '/api/v1/version': json(200, { version: '15.0.3+gitea-1.22.0' }),
    '/api/v1/repositories/7': answers.project ?? project(true),
    [`${repo}/collaborators/author/permission`]: answers.permission,
    [`${repo}/assignees`]: answers.assignees,
    [`${repo}/teams`]: answers.teams,
  };
  const server = await startScriptedServer(({ url }) => routes[url] ?? json(404, { message: 'not found' }));
  started.push(server);
  const token = ['tok', 'en'].join('');
  const id = ForgeId.parse('test');
  const forge = await connectForge({ id, kind: 'forgejo', baseUrl: server.url, token, clock: manualClock() }, signal);
  return forge.read.fetchPermission(7, author, signal);
};

describe('fetchPermission', () => {
  it.each([
    ['none', 'none'],
    ['read', 'read'],
    ['write', 'write'],
    ['admin', 'admin'],
    ['owner', 'admin'],
    ['something of a later release', 'undetermined'],
  ])('reads the direct answer %j as %j', async (permission, expected) => {
    expect(await ask({ permission: json(200, { permission, user: author }) })).toBe(expected);
  });

  it('does not believe an answer about another account', async () => {
    expect(await ask({ permission: json(200, { permission: 'admin', user: { id: 43, login: 'author' } }) })).toBe(
      'none',
    );
  });

  const forbidden = json(403, { message: 'only admins' });

  it.each<[string, Omit<Answers, 'permission'>, string]>([
    [
      'an assignee of a project without an organisation',
      { assignees: json(200, [author]), teams: noOrganisation },
      'write',
    ],
    ['an assignee where all teams write code', { assignees: json(200, [author]), teams: writers }, 'write'],
    ['an assignee where some team only reads', { assignees: json(200, [author]), teams: pullReaders }, 'undetermined'],
    [
      'an assignee where the teams may not be read',
      { assignees: json(200, [author]), teams: forbidden },
      'undetermined',
    ],
    [
      'an assignee with the same login and another id',
      { assignees: json(200, [{ id: 43, login: 'author' }]) },
      'undetermined',
    ],
    ['somebody else in a private project', { assignees: json(200, []) }, 'undetermined'],
    ['somebody else where the list is null', { assignees: json(200, null) }, 'undetermined'],
    ['somebody else in a public project', { assignees: json(200, []), project: project(false) }, 'read'],
    [
      'somebody else in an internal project',
      { assignees: json(200, []), project: project(false, true) },
      'undetermined',
    ],
    ['anybody where the assignees may not be read', { assignees: forbidden, project: project(false) }, 'undetermined'],
  ])('finds out about %s without admin rights', async (_name, answers, expected) => {
    expect(await ask({ permission: forbidden, ...answers })).toBe(expected);
  });

  it('does not take a failing forge for a no', async () => {
    await expect(ask({ permission: json(500, {}) })).rejects.toMatchObject({ code: 'FORGE_UNAVAILABLE' });
    const failing = { permission: forbidden, assignees: json(200, [author]), teams: json(500, {}) };
    await expect(ask(failing)).rejects.toMatchObject({ code: 'FORGE_UNAVAILABLE' });
  });
});

describe('locateGit', () => {
  const locate = async (owner: string, name: string, prefix = ''): Promise<unknown> => {
    const body = {
      id: 7,
      name,
      owner: { login: owner },
      full_name: 'x',
      html_url: 'https://evil.example/',
      default_branch: 'main',
      private: true,
      clone_url: 'https://evil.example/x.git',
    };
    const server = await startScriptedServer(({ url }) =>
      url.endsWith('/version')
        ? json(200, { version: '15.0.3+gitea-1.22.0' })
        : url.endsWith('/repositories/7')
          ? json(200, body)
          : json(404, {}),
    );
    started.push(server);
    const id = ForgeId.parse('test');
    const token = ['tok', 'en'].join('');
    const options = { id, kind: 'forgejo', baseUrl: `${server.url}${prefix}`, token, clock: manualClock() } as const;
    const forge = await connectForge(options, signal);
    const source = await forge.read.locateGit({ forge: id, projectId: 7, number: 3 }, signal);
    return { ...source, url: source.url.replace(server.url, 'BASE') };
  };

  it('builds the address from the configured one only', async () => {
    expect(await locate('acme', 'shop')).toEqual({ url: 'BASE/acme/shop.git', headRef: 'refs/pull/3/head' });
    expect(await locate('acme', '.github', '/git/')).toEqual({
      url: 'BASE/git/acme/.github.git',
      headRef: 'refs/pull/3/head',
    });
  });

  it.each([
    ['..', 'shop'],
    ['acme', '..'],
    ['acme', '.'],
    ['', 'shop'],
    ['acme/evil', 'shop'],
    ['acme', 'shop?x'],
    ['acme', 'shop#x'],
    ['acme', 'a b'],
    ['acme\n', 'shop'],
    ['acme', '%2e%2e'],
    ['x@evil', 'shop'],
    ['ext::sh -c', 'shop'],
  ])('refuses a project named %j/%j', async (owner, name) => {
    await expect(locate(owner, name)).rejects.toMatchObject({ code: 'FORGE_BAD_ANSWER' });
  });
});

describe('connectForge', () => {
  it('tells what it found out about the installation', async () => {
    const server = await startScriptedServer(({ url }) =>
      url.endsWith('/version') ? json(200, { version: '1.27.0' }) : json(404, {}),
    );
    started.push(server);
    const told: unknown[] = [];
    const token = ['tok', 'en'].join('');
    const id = ForgeId.parse('test');
    const onTraits = (traits: unknown): void => void told.push(traits);
    const forge = await connectForge(
      { id, kind: 'gitea', baseUrl: server.url, token, clock: manualClock(), onTraits },
      signal,
    );
    expect(told).toEqual([
      expect.objectContaining({ version: '1.27.0', source: 'version', replyRoute: 'comment_replies' }),
    ]);
    expect([forge.id, forge.threads !== null, forge.resolving !== null]).toEqual(['test', true, true]);
  });
});
