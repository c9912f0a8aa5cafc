/** What is made of answers that the simulated GitLab does not give, or not easily. */
import { afterEach, describe, expect, it } from 'vitest';
import { connectForge } from '../../../shared/forge/kinds/connect.ts';
import type { Forge } from '../../../shared/forge/port.ts';
import { CommitSha, ForgeId } from '../../../shared/vocabulary/ids.ts';
import { failureOf, signal } from './conformance-bench.ts';
import { manualClock } from './manual-clock.ts';
import { type Answer, type ScriptedServer, startScriptedServer } from './scripted-server.ts';

const servers: ScriptedServer[] = [];
afterEach(async () => {
  await Promise.all(servers.splice(0).map((server) => server.close()));
});

const id = ForgeId.parse('lab');
const of = { forge: id, projectId: 5, number: 7 };
const head = CommitSha.parse('a'.repeat(40));
const other = CommitSha.parse('b'.repeat(40));
const author = { id: 3, username: 'author' };
const at = '2026-01-01T00:00:00.000Z';
const json = (body: unknown, status = 200): Answer => ({ kind: 'json', status, body });

/** A GitLab that knows these paths below the project. */
const open = async (answers: Readonly<Record<string, Answer>>): Promise<Forge> => {
  const all: Readonly<Record<string, Answer>> = {
    '/api/v4/metadata': json({ version: '18.9.0' }),
    '/api/v4/user': json({ id: 9, username: 'bot' }),
    ...Object.fromEntries(Object.entries(answers).map(([path, answer]) => [`/api/v4/projects/5${path}`, answer])),
  };
  const server = await startScriptedServer(({ method, url }) => {
    const [path = ''] = url.split('?');
    return all[`${method} ${path}`.replace(/^GET /, '')] ?? json({ message: '404 Not Found' }, 404);
  });
  servers.push(server);
  const token = ['tok', 'en'].join('');
  return connectForge({ id, kind: 'gitlab', baseUrl: server.url, token, clock: manualClock() }, signal);
};

const mergeRequest = (more: object = {}) => ({
  iid: 7,
  title: 'A change',
  sha: head,
  updated_at: at,
  state: 'opened',
  source_branch: 'feature',
  target_branch: 'main',
  source_project_id: 5,
  target_project_id: 5,
  diff_refs: { base_sha: other, head_sha: head, start_sha: other },
  web_url: 'https://lab.example/x',
  ...more,
});

describe('a redirect, for example to a login page', () => {
  const elsewhere: Answer = { kind: 'json', status: 302, body: {}, headers: { location: 'https://login.example/' } };
  const status = { head, state: 'success', context: 'fixpoint', description: '', targetUrl: null } as const;

  it.each<[string, (forge: Forge) => Promise<unknown>]>([
    ['a change request', ({ read }) => read.fetchChangeRequest(of, signal)],
    ['a project', ({ read }) => read.fetchProject(5, signal)],
    ['a branch', ({ read }) => read.fetchBranch(5, 'main', signal)],
    ['the statuses', ({ read }) => read.fetchStatuses(of, head, signal)],
    [
      'the CI',
      ({ read }) => read.fetchChecks({ changeRequest: of, head, targetBranch: 'main', botIds: new Set() }, signal),
    ],
    ['the thumbs', ({ read }) => read.fetchThumbs(of, '1', signal)],
    ['a status that is written', ({ write }) => write.writeStatus(of, { ...status, sourceBranch: 'feature' }, signal)],
  ])('does not say that the object of a look-up by id is gone: %s', async (_name, look) => {
    const forge = await open({
      '': elsewhere,
      '/repository/branches/main': elsewhere,
      '/merge_requests/7': elsewhere,
      '/merge_requests/7/notes/1/award_emoji': elsewhere,
    });
    expect((await failureOf(look(forge))).code).toBe('FORGE_REDIRECTED');
  });
});

describe('a project whose path has parts that begin with a dot', () => {
  const path = '.group/.github';
  const project = { id: 5, path_with_namespace: path, web_url: `https://lab.example/${path}`, default_branch: 'main' };

  it('is found by its path, and git gets its address', async () => {
    const forge = await open({ '': json(project) });
    expect((await forge.read.fetchProject(5, signal))?.path).toBe(path);
    const server = servers.at(-1);
    const { url } = await forge.read.locateGit(of, signal);
    expect(url).toBe(`${server?.url}/${path}.git`);
    await forge.read.findProject(path, signal);
    expect(server?.requests.at(-1)?.url).toBe('/api/v4/projects/.group%2F.github');
  });

  it.each(['group/..', './project', '../..', 'group/'])(
    'has no part that a URL parser would remove: %s',
    async (odd) => {
      const forge = await open({});
      const server = servers.at(-1);
      const before = server?.requests.length;
      expect(await forge.read.findProject(odd, signal)).toBeNull();
      expect(server?.requests.length).toBe(before);
    },
  );
});

describe('the CI of a change request', () => {
  it('that is gone is not read as that of a project without CI', async () => {
    const ask = { changeRequest: of, head, targetBranch: 'main', botIds: new Set<number>() };
    expect((await failureOf((await open({})).read.fetchChecks(ask, signal))).code).toBe('FORGE_NOT_FOUND');
  });
});

describe('a change request', () => {
  const read = async (more: object, answers: Readonly<Record<string, Answer>> = {}) =>
    (await open({ '/merge_requests/7': json(mergeRequest(more)), ...answers })).read.fetchChangeRequest(of, signal);

  it.each([
    ['opened', 'open'],
    ['locked', 'open'],
    ['closed', 'closed'],
    ['merged', 'merged'],
    ['unheard of', 'closed'],
  ])('that is %s counts as %s', async (state, expected) => {
    expect(await read({ state })).toMatchObject({ state: expected });
  });

  it('of which little is known still has its facts', async () => {
    expect(await read({ author: null, description: null })).toMatchObject({
      author: { id: -1, login: 'ghost' },
      description: '',
      labels: [],
      reviewers: [],
      head,
      targetHead: other,
    });
  });

  it.each([{ diff_refs: null }, { diff_refs: { base_sha: head, head_sha: other, start_sha: head } }])(
    'with the stale %j asks the branch for its tip',
    async (stale) => {
      const tip = CommitSha.parse('c'.repeat(40));
      const facts = await read(stale, { '/repository/branches/main': json({ commit: { id: tip } }) });
      expect(facts).toMatchObject({ head, targetHead: tip });
    },
  );

  it('without any commit is read again later', async () => {
    const error = await failureOf(read({ sha: null, diff_refs: null }));
    expect([error.code, error.disposition]).toEqual(['FORGE_BAD_ANSWER', { kind: 'retry' }]);
  });

  it('without a commit stands in no list', async () => {
    const forge = await open({ '/merge_requests': json([mergeRequest(), mergeRequest({ iid: 8, sha: null })]) });
    const listed = await forge.read.readOpenPage({ id: 5, path: 'a/b' }, { page: 1, tag: null }, signal);
    expect(listed?.open.map(({ changeRequest }) => changeRequest.number)).toEqual([7]);
  });
});

describe('a thread', () => {
  const note = (number: number, more: object = {}) => ({
    id: number,
    body: `note ${number}`,
    author,
    system: false,
    resolvable: true,
    resolved: false,
    created_at: at,
    updated_at: at,
    ...more,
  });
  const read = async (notes: readonly object[], more: object = {}) => {
    const thread = { id: 'c'.repeat(40), individual_note: false, notes, ...more };
    const project = { id: 5, path_with_namespace: 'g/p', web_url: 'https://lab.example/g/p', default_branch: null };
    const forge = await open({ '': json(project), '/merge_requests/7/discussions': json([thread]) });
    return forge.read.fetchComments(of, signal);
  };

  it.each([
    [[true, true], true],
    [[true, false], false],
    [[false, false], false],
  ])('whose notes are resolved %j is resolved: %s', async (states, expected) => {
    const comments = await read(states.map((resolved, index) => note(index + 1, { resolved })));
    expect(comments.map(({ resolved }) => resolved)).toEqual(states.map(() => expected));
  });

  it('has no such state where nothing can be resolved, or it is a single note', async () => {
    expect((await read([note(1, { resolvable: false })]))[0]?.resolved).toBeNull();
    expect((await read([note(1)], { individual_note: true }))[0]?.resolved).toBeNull();
  });

  it.each([
    [{ position_type: 'text', new_path: 'n', old_path: 'o', new_line: 4, old_line: null }, 'n new 4'],
    [{ position_type: 'text', new_path: 'n', old_path: 'o', new_line: null, old_line: 5 }, 'o old 5'],
    [{ position_type: 'text', new_path: 'n', old_path: 'o', new_line: 4, old_line: 5 }, 'n new 4'],
    [{ position_type: 'file', new_path: 'n', old_path: 'o' }, null],
    [{ position_type: 'image', new_path: 'n', old_path: 'o' }, null],
  ])('at %j stands on %s', async (position, expected) => {
    const [comment] = await read([note(1, { position })]);
    const place = comment?.place ?? null;
    expect(place === null ? null : `${place.path} ${place.side} ${place.line}`).toBe(expected);
    expect(comment?.kind).toBe('inline');
  });
});

describe('a status', () => {
  it.each([
    ['created', {}, 'pending'],
    ['running', {}, 'pending'],
    ['success', {}, 'success'],
    ['failed', {}, 'failure'],
    ['failed', { allow_failure: true }, 'warning'],
    ['canceled', {}, 'error'],
    ['canceled', { allow_failure: true }, 'warning'],
    ['skipped', {}, 'skipped'],
    ['manual', { allow_failure: true }, 'skipped'],
    ['manual', { allow_failure: false }, 'pending'],
    ['unheard of', {}, 'error'],
  ])('%s with %j is %s', async (status, more, expected) => {
    const row = { id: 1, name: 'job', status, description: null, created_at: at, ...more };
    const forge = await open({
      '/merge_requests/7': json(mergeRequest({})),
      [`/repository/commits/${head}/statuses`]: json([row]),
    });
    expect(await forge.read.fetchStatuses(of, head, signal)).toEqual([
      { context: 'job', state: expected, description: '', createdAtMs: Date.parse(at) },
    ]);
  });
});

describe('a permission', () => {
  const ask = async (answer: Answer) =>
    (await open({ '/members/all/3': answer })).read.fetchPermission(5, { id: 3, login: 'author' }, signal);

  it('is undetermined where the token may not ask, and no failure of the forge is taken for a no', async () => {
    expect(await ask(json({ message: '403 Forbidden' }, 403))).toBe('undetermined');
    expect((await failureOf(ask(json({}, 500)))).code).toBe('FORGE_UNAVAILABLE');
  });

  it('of somebody else is nobody', async () => {
    expect(await ask(json({ id: 4, access_level: 50 }))).toBe('none');
  });
});

describe('a project', () => {
  it.each(['../../etc', 'one', 'g/p x', 'g/.', '-x/..'])('called %j is fetched from nowhere', async (path) => {
    const forge = await open({ '': json({ id: 5, path_with_namespace: path, web_url: 'x', default_branch: 'main' }) });
    expect((await failureOf(forge.read.locateGit(of, signal))).code).toBe('FORGE_BAD_ANSWER');
  });
});

describe('a reaction that is refused as not found', () => {
  const react = async (awards: readonly object[]) =>
    (await open({ '/merge_requests/7/notes/1/award_emoji': json(awards) })).write.react(of, '1', '+1', signal);

  it('is done when it is there', async () => {
    await react([{ id: 1, name: 'thumbsup', user: { id: 9, username: 'bot' } }]);
  });

  it.each([[{ id: 1, name: 'thumbsup', user: author }], [{ id: 1, name: 'eyes', user: { id: 9, username: 'bot' } }]])(
    'is an error when only %j is',
    async (award) => {
      expect((await failureOf(react([award]))).code).toBe('FORGE_NOT_FOUND');
    },
  );
});

describe('a webhook', () => {
  it.each<[told: object, state: string, untilMs: number | null]>([
    [{ alert_status: 'executable', disabled_until: null }, 'working', null],
    [{ alert_status: 'temporarily_disabled', disabled_until: at }, 'paused', Date.parse(at)],
    [{ alert_status: 'disabled', disabled_until: null }, 'off', null],
    // Before GitLab 15, and a status that comes some day: no alarm without a known reason.
    [{}, 'working', null],
    [{ alert_status: 'something_new', disabled_until: null }, 'working', null],
  ])('that is told as %j is %s until %s', async (told, state, untilMs) => {
    const url = 'https://review.example/webhooks/lab';
    const forge = await open({ '/hooks': json([{ id: 1, url, ...told }]) });
    const owner = { kind: 'project' as const, project: { id: 5, path: 'a/b' } };
    expect(await forge.read.fetchHooks(owner, signal)).toEqual([{ url, state, untilMs, lacks: [], unfit: null }]);
  });

  it.each<[told: object, lacks: readonly string[], isUnfit: boolean]>([
    [
      { push_events: true, merge_requests_events: false, note_events: false },
      ['merge_requests_events', 'note_events'],
      false,
    ],
    [
      { merge_requests_events: true, note_events: true, emoji_events: false, pipeline_events: true },
      ['emoji_events'],
      false,
    ],
    [{ token_present: false, signing_token_present: false }, [], true],
    [{ token_present: false }, [], true],
    [{ token_present: false, signing_token_present: true }, [], false],
    [{ token_present: true, signing_token_present: false }, [], false],
  ])('F-R4: that is told as %j lacks %j, and is unfit: %s', async (told, lacks, isUnfit) => {
    const forge = await open({ '/hooks': json([{ id: 1, url: 'https://review.example/', ...told }]) });
    const owner = { kind: 'project' as const, project: { id: 5, path: 'a/b' } };
    const [hook] = (await forge.read.fetchHooks(owner, signal)) ?? [];
    expect([hook?.lacks, hook?.unfit !== null]).toEqual([lacks, isUnfit]);
  });
});
