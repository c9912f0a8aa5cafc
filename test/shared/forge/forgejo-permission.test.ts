/** Who may do what, as a token without admin rights finds out, against scripted answers. */
import { afterEach, describe, expect, it } from 'vitest';
import { DIALECTS } from '../../../shared/forge/kinds/forge-kind.ts';
import { createForgeHttp } from '../../../shared/forge/http.ts';
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
const project = (isPrivate: boolean, internal = false, more: object = {}) =>
  json(200, {
    ...more,
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
const WRITERS = { id: 2, permission: 'none', units_map: { 'repo.code': 'write', 'repo.pulls': 'write' } };
const PULL_READERS = { id: 3, permission: 'read', units_map: { 'repo.code': 'read', 'repo.pulls': 'read' } };
const ISSUE_READERS = { id: 3, permission: 'none', units_map: { 'repo.issues': 'read' } };
const writers = json(200, [WRITERS]);
const pullReaders = json(200, [PULL_READERS]);

type Answers = {
  readonly permission: Answer;
  readonly assignees?: Answer;
  readonly teams?: Answer;
  readonly project?: Answer;
  /** Of the author, in the team of those who write. */
  readonly membership?: Answer;
  readonly self?: Answer;
};

const ask = async (answers: Answers): Promise<unknown> => {
  const repo = '/api/v1/repos/acme/shop';
  const routes: Record<string, Answer | undefined> = {
    '/api/v1/version': json(200, { version: '15.0.3+gitea-1.22.0' }),
    '/api/v1/repositories/7': answers.project ?? project(true),
    [`${repo}/collaborators/author/permission`]: answers.permission,
    [`${repo}/assignees`]: answers.assignees,
    [`${repo}/teams`]: answers.teams,
    '/api/v1/teams/2/members/author': answers.membership,
    '/api/v1/user': answers.self,
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
  const mixed = json(200, [WRITERS, PULL_READERS]);

  // As Gitea 1.27 answers: what a team allows unit by unit is not in the direct answer.
  it.each<[string, Omit<Answers, 'permission'>, string]>([
    ['a member of a team that writes code', { assignees: json(200, [author]), teams: writers }, 'write'],
    ['somebody who is in no team', { assignees: json(200, []), teams: writers }, 'read'],
    [
      'somebody else with the same login',
      { assignees: json(200, [{ id: 43, login: 'author' }]), teams: writers },
      'read',
    ],
    ['an assignee where some team only reads', { assignees: json(200, [author]), teams: mixed }, 'read'],
    [
      'an assignee where some team only reads, who is in the one that writes',
      { assignees: json(200, [author]), teams: mixed, membership: json(200, author) },
      'write',
    ],
    [
      'an assignee where another account has the login in the team that writes',
      { assignees: json(200, [author]), teams: mixed, membership: json(200, { id: 43, login: 'author' }) },
      'read',
    ],
    [
      'an assignee where the members of the team may not be read',
      { assignees: json(200, [author]), teams: mixed, membership: forbidden },
      'read',
    ],
    ['an assignee where the teams may not be read', { assignees: json(200, [author]), teams: forbidden }, 'read'],
    ['an assignee where there is no team', { assignees: json(200, [author]), teams: json(200, []) }, 'read'],
    ['an assignee where no team writes', { assignees: json(200, [author]), teams: pullReaders }, 'read'],
    ['anybody where the assignees may not be read', { assignees: forbidden, teams: writers }, 'read'],
    ['an assignee of a project of a user', { assignees: json(200, [author]), teams: noOrganisation }, 'read'],
    [
      'the account of the token, which may push',
      { project: project(true, false, { permissions: { push: true } }), self: json(200, author) },
      'write',
    ],
    [
      'another account than that of the token, which may push',
      { project: project(true, false, { permissions: { push: true } }), self: json(200, { id: 1, login: 'bot' }) },
      'read',
    ],
    [
      'the account of the token, which may not push',
      { project: project(true, false, { permissions: { push: false } }), self: json(200, author) },
      'read',
    ],
  ])('does not take the direct answer "read" for the whole truth about %s', async (_name, answers, expected) => {
    expect(await ask({ permission: json(200, { permission: 'read', user: author }), ...answers })).toBe(expected);
  });

  it.each<[string, Omit<Answers, 'permission'>, string]>([
    [
      'an assignee of a project without an organisation',
      { assignees: json(200, [author]), teams: noOrganisation },
      'write',
    ],
    ['an assignee where all teams write code', { assignees: json(200, [author]), teams: writers }, 'write'],
    ['an assignee where some team only reads', { assignees: json(200, [author]), teams: pullReaders }, 'undetermined'],
    [
      'an assignee where some team only reads issues',
      { assignees: json(200, [author]), teams: json(200, [WRITERS, ISSUE_READERS]) },
      'undetermined',
    ],
    [
      'an assignee where some team only reads, who is in the one that writes',
      { assignees: json(200, [author]), teams: mixed, membership: json(200, author) },
      'write',
    ],
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
    const read = json(200, { permission: 'read', user: author });
    const lists = { assignees: json(200, [author]), teams: mixed };
    for (const broken of [{ teams: json(500, {}) }, { assignees: json(500, {}) }, { membership: json(500, {}) }])
      await expect(ask({ permission: read, ...lists, ...broken })).rejects.toMatchObject({ code: 'FORGE_UNAVAILABLE' });
  });
});

describe('the standing of the bot for setup', () => {
  const standing = async (answers: { readonly teams?: Answer; readonly collaborator?: Answer }): Promise<string> => {
    const repo = '/api/v1/repos/acme/shop';
    const routes: Record<string, Answer | undefined> = {
      [`${repo}/collaborators/author/permission`]: json(200, { permission: 'read', user: author }),
      [`${repo}/collaborators/author`]: answers.collaborator,
      [`${repo}/assignees`]: json(200, [author]),
      [`${repo}/teams`]: answers.teams,
    };
    const server = await startScriptedServer(({ url }) => routes[url] ?? json(404, { message: 'not found' }));
    started.push(server);
    const token = ['tok', 'en'].join('');
    const http = createForgeHttp({ forgeId: 'test', baseUrl: server.url, token, clock: manualClock() });
    const owner = { kind: 'project', project: { id: 7, path: 'acme/shop' } } as const;
    return (await DIALECTS.gitea.administer(http)).fetchStanding(owner, author, signal);
  };

  it.each<[string, Parameters<typeof standing>[0], string]>([
    ['enough in a team that writes code', { teams: writers }, 'enough'],
    ['less for a collaborator who reads', { teams: noOrganisation, collaborator: json(200, {}) }, 'less'],
    ['none outside of the teams that write', { teams: pullReaders }, 'none'],
  ])('is %s', async (_name, answers, expected) => {
    expect(await standing(answers)).toBe(expected);
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
