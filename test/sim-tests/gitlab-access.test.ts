/** Addressing, tokens, pages and limits: forges.md 3.1; GL doc/api/rest, lib/gitlab/rack_attack. */
import { describe, expect, it } from 'vitest';
import { sharedData } from '../support/shared-data.ts';
import { mrPath, openScene, project, rowOf, rowsOf, useScene } from './gitlab-support.ts';

const current = useScene();
const get = (who: string | null, path: string) => current().api(who, 'GET', path);

describe('a project', () => {
  it('is addressed by its number or its encoded path, and not by a path encoded twice', async () => {
    const { bot } = current();
    const encoded = encodeURIComponent(project);
    const status = async (id: string) => (await get(bot.token, `/projects/${id}/merge_requests/1`)).status;
    const statuses = await Promise.all(['1', encoded, encodeURIComponent(encoded), '2'].map(status));
    expect(statuses).toEqual([200, 200, 404, 404]);
  });

  it('keeps its number when it is renamed', async () => {
    const { sim, bot } = current();
    sim.renameProject(project, 'store');
    expect(rowOf(await get(bot.token, '/projects/1'))['path_with_namespace']).toBe('acme/web/store');
    expect((await get(bot.token, `/projects/${encodeURIComponent(project)}`)).status).toBe(404);
  });

  it('that is private does not exist for strangers, and asks nobody to sign in', async () => {
    const { outsider, sim } = current();
    const stranger = await get(outsider.token, mrPath);
    expect([stranger.status, stranger.json]).toEqual([404, { message: '404 Project Not Found' }]);
    expect((await get(null, mrPath)).status).toBe(401);
    sim.addMember(project, 'outsider', 10);
    // Guests see the project, but neither code nor merge requests of a private one.
    expect([(await get(outsider.token, '/projects/1')).status, (await get(outsider.token, mrPath)).status]).toEqual([
      200, 404,
    ]);
  });
});

describe('a token', () => {
  it('is taken from PRIVATE-TOKEN and as Bearer alike', async () => {
    const { sim, bot } = current();
    const status = async (headers: Record<string, string>) =>
      (await fetch(`${sim.url}/api/v4/user`, { headers })).status;
    expect(await status({ 'private-token': bot.token })).toBe(200);
    expect(await status({ authorization: `Bearer ${bot.token}` })).toBe(200);
    expect(await status({ authorization: 'Bearer wrong' })).toBe(401);
  });

  it('of read_api reads everything and cannot comment', async () => {
    const { sim, api } = current();
    const reader = sim.createProjectAccessToken(project, { scopes: ['read_api'] });
    expect((await get(reader.token, mrPath)).status).toBe(200);
    const refused = await api(reader, 'POST', `${mrPath}/notes`, { body: 'x' });
    expect([refused.status, rowOf(refused)['error']]).toEqual([403, 'insufficient_scope']);
    expect(sim.snapshot(project, 1).comments).toEqual([]);
  });

  it('of read_user knows who it is, and one of read_repository does not even that', async () => {
    const { sim } = current();
    const status = async (scope: 'read_user' | 'read_repository', path: string) =>
      (await get(sim.createToken('author', [scope]), path)).status;
    expect([await status('read_user', '/user'), await status('read_user', mrPath)]).toEqual([200, 403]);
    expect(await status('read_repository', '/user')).toBe(403);
  });

  it('for a project is a bot user of its own; rotation keeps the user, a second token is a second one', async () => {
    const { sim, bot } = current();
    const self = rowOf(await get(bot.token, '/user'));
    expect(self).toMatchObject({ bot: true, username: expect.stringMatching(/^project_1_bot_[0-9a-f]{32}$/) });
    const fresh = sim.rotateToken(bot.token);
    expect(rowOf(await get(fresh, '/user'))['id']).toBe(self['id']);
    const old = await get(bot.token, '/user');
    expect([old.status, rowOf(old)['error']]).toEqual([401, 'invalid_token']);
    expect(sim.createProjectAccessToken(project).id).not.toBe(self['id']);
    expect(() => sim.addMember('acme', bot.login, 30)).toThrow(/Invalid user/);
  });

  it('for a group is a bot with the rights of the group', async () => {
    const { sim, api } = current();
    const bot = sim.createGroupAccessToken('acme', { level: 40 });
    expect(bot.login).toMatch(/^group_1_bot_/);
    expect((await api(bot, 'GET', '/projects/1/hooks')).status).toBe(200);
  });

  it('of a removed account is worth nothing, and its notes are the ghost user’s', async () => {
    const { sim, bot, owner } = current();
    await sim.comment({ project, iid: 1, as: bot.login, body: 'x' });
    sim.removeUser(bot.login);
    expect((await get(bot.token, '/user')).status).toBe(401);
    const [note] = rowsOf(await get(owner.token, `${mrPath}/notes`));
    expect(note?.['author']).toMatchObject({ username: 'ghost', name: 'Ghost', id: expect.toSatisfy((id) => id > 0) });
  });
});

describe('members', () => {
  it('are found through the groups above, with the highest of their levels', async () => {
    const { sim, bot, owner, author, outsider } = current();
    const level = async (id: number) => {
      const answer = await get(bot.token, `/projects/1/members/all/${id}`);
      return answer.status === 200 ? rowOf(answer)['access_level'] : answer.status;
    };
    expect(await Promise.all([owner, author, outsider].map(({ id }) => level(id)))).toEqual([50, 30, 404]);
    sim.addMember('acme/web', 'author', 40);
    expect(await level(author.id)).toBe(40);
  });

  it('do not hold an admin who was never made one', async () => {
    const { sim, bot } = current();
    const admin = sim.createUser({ login: 'root', isAdmin: true });
    expect((await get(bot.token, `/projects/1/members/all/${admin.id}`)).status).toBe(404);
    expect((await get(admin.token, mrPath)).status).toBe(200);
  });
});

describe('pages', () => {
  it('hold 20 unless asked, never more than 100, and tell the next one', async () => {
    const { sim, bot } = current();
    for (let count = 0; count < 103; count += 1) await sim.comment({ project, iid: 1, as: 'author', body: `${count}` });
    const first = await get(bot.token, `${mrPath}/discussions`);
    expect(first.json).toHaveLength(20);
    const big = await get(bot.token, `${mrPath}/discussions?per_page=500`);
    const headers = ['x-total', 'x-total-pages', 'x-page', 'x-per-page', 'x-next-page'];
    expect(big.json).toHaveLength(100);
    expect(headers.map((name) => big.headers.get(name))).toEqual(['103', '2', '1', '100', '2']);
    const next = /<([^>]+)>; rel="next"/.exec(big.headers.get('link') ?? '')?.[1] ?? '';
    const last = await fetch(next, { headers: { 'private-token': bot.token } });
    expect([await last.json(), last.headers.get('x-next-page')]).toEqual([
      expect.objectContaining({ length: 3 }),
      null,
    ]);
  });

  it('of more than 10,000 records tell no totals', async () => {
    const { sim, bot } = current();
    const mr = sim.mergeRequestAt({ project, iid: 1 });
    await sim.comment({ project, iid: 1, as: 'author', body: 'x' });
    const [note] = mr.notes;
    if (note === undefined) throw new Error('no note');
    mr.notes.push(...Array.from({ length: 10_000 }, (_, at) => ({ ...note, id: at + 10 })));
    const answer = await get(bot.token, `${mrPath}/notes?per_page=1`);
    expect([answer.headers.get('x-total'), answer.headers.get('link')]).toEqual([
      null,
      expect.stringContaining('next'),
    ]);
    expect(answer.headers.get('link')).not.toContain('rel="last"');
  });
});

describe('merge requests', () => {
  it('are listed by state, time and order', async () => {
    const { sim, bot, advance } = current();
    advance(60_000);
    await sim.openMergeRequest({ project, sourceBranch: 'feature', title: 'Second', author: 'author' });
    advance(60_000);
    await sim.comment({ project, iid: 1, as: 'author', body: 'x' });
    await sim.closeMergeRequest({ project, iid: 2, as: 'author' });
    advance(60_000);
    await sim.comment({ project, iid: 1, as: 'author', body: 'y' });
    const list = async (query: string) =>
      rowsOf(await get(bot.token, `/projects/1/merge_requests?${query}`)).map((one) => one['iid']);
    expect(await list('')).toEqual([2, 1]);
    expect(await list('state=opened')).toEqual([1]);
    expect(await list('order_by=updated_at')).toEqual([1, 2]);
    expect(await list('order_by=updated_at&sort=asc')).toEqual([2, 1]);
    expect(await list('updated_after=2026-03-01T10:02:30Z')).toEqual([1]);
    expect((await get(bot.token, '/projects/1/merge_requests?state=open')).status).toBe(400);
  });

  it('show fewer files than there are without an error: only changes_count tells', async () => {
    const { sim, bot } = current();
    sim.setDiffLimits({ maxFiles: 1, maxPatchBytes: 200_000 });
    const files = rowsOf(await get(bot.token, `${mrPath}/diffs`));
    expect([files.length, rowOf(await get(bot.token, mrPath))['changes_count']]).toEqual([1, '1+']);
  });

  it('fold large files away, and leave out what is larger still', async () => {
    const { sim, bot } = current();
    const flags = async (maxPatchBytes: number) => {
      sim.setDiffLimits({ maxFiles: 10, maxPatchBytes });
      const [file] = rowsOf(await get(bot.token, `${mrPath}/diffs`));
      return [file?.['collapsed'], file?.['too_large'], file?.['diff'] === ''];
    };
    expect([await flags(100_000), await flags(500), await flags(10)]).toEqual([
      [false, false, false],
      [true, false, true],
      [false, true, true],
    ]);
  });

  it('that are drafts cannot be merged, nor can one by a SHA that is not the head', async () => {
    const { sim, api, owner, bot } = current();
    const merge = (body: object) => api(owner, 'PUT', `${mrPath}/merge`, body);
    expect((await merge({ sha: 'f'.repeat(40) })).status).toBe(409);
    await sim.editMergeRequest({ project, iid: 1, as: 'author', title: 'Draft: x' });
    expect((await merge({})).status).toBe(405);
    await sim.editMergeRequest({ project, iid: 1, as: 'author', title: 'x' });
    expect(rowOf(await merge({ sha: sim.mergeRequestAt({ project, iid: 1 }).headSha }))['state']).toBe('merged');
    const again = await api(bot, 'PUT', `${mrPath}/merge`, {});
    expect([again.status, sim.snapshot(project, 1).state]).toEqual([405, 'merged']);
  });

  it('give their whole diff as text', async () => {
    const raw = await get(current().bot.token, `${mrPath}/raw_diffs`);
    expect(raw.text).toMatch(/^diff --git a\/a\.txt b\/a\.txt\n/);
    expect(raw.text).toContain('+++ b/new.txt');
  });
});

describe('what a sweep reads', () => {
  it('are the projects of a group, with those below when asked, and those of its own membership', async () => {
    const { sim, owner, bot, outsider } = current();
    await sim.createProject('acme/tool');
    await sim.createProject('outsider/public', { visibility: 'public' });
    const names = async (token: string, path: string) =>
      rowsOf(await get(token, path)).map((one) => one['path_with_namespace']);
    expect(await names(owner.token, '/groups/acme/projects')).toEqual(['acme/tool']);
    // Newest first, as all lists of projects.
    expect(await names(owner.token, '/groups/acme/projects?include_subgroups=true')).toEqual(['acme/tool', project]);
    expect(await names(bot.token, '/groups/acme/projects?include_subgroups=true')).toEqual([project]);
    expect((await get(outsider.token, '/groups/acme/projects')).status).toBe(404);
    expect(await names(bot.token, '/projects')).toEqual(['outsider/public', project]);
    expect(await names(bot.token, '/projects?membership=true')).toEqual([project]);
  });

  it('is nothing when it has not changed since', async () => {
    const { sim, bot } = current();
    const path = '/projects/1/merge_requests?state=opened';
    const etag = (await get(bot.token, path)).headers.get('etag') ?? '';
    const again = async () => {
      const headers = { 'private-token': bot.token, 'if-none-match': etag };
      const answer = await fetch(`${sim.url}/api/v4${path}`, { headers });
      return [answer.status, (await answer.text()) === ''];
    };
    expect([etag, await again()]).toEqual([expect.stringMatching(/^W\/"/), [304, true]]);
    await sim.editMergeRequest({ project, iid: 1, as: 'author', title: 'Other' });
    expect(await again()).toEqual([200, false]);
  });
});

describe('limits', () => {
  it('of the whole API stand in headers; over them the answer is text and says when to come back', async () => {
    const { sim, bot, advance } = current();
    sim.setRateLimit({ perMinute: 2, name: 'throttle_authenticated_api' });
    const first = await get(bot.token, '/user');
    expect(first.headers.get('ratelimit-remaining')).toBe('1');
    expect(first.headers.get('retry-after')).toBe(null);
    await get(bot.token, '/user');
    advance(10_000);
    const over = await get(bot.token, '/user');
    expect([over.status, over.text, over.headers.get('retry-after')]).toEqual([429, 'Retry later\n', '50']);
    expect(over.headers.get('ratelimit-name')).toBe('throttle_authenticated_api');
    expect(Date.parse(over.headers.get('ratelimit-resettime') ?? '')).toBe(Date.parse('2026-03-01T10:01:00Z'));
    advance(50_000);
    expect((await get(bot.token, '/user')).status).toBe(200);
  });

  it('of notes are told by Retry-After alone, and hold neither for discussions nor for answers nor for drafts', async () => {
    const { sim, api, bot } = current();
    sim.setRateLimit({ perMinute: 1_000, name: 'throttle_authenticated_api' });
    sim.setNotesLimit(1);
    const post = (path: string, body: object) => api(bot, 'POST', `${mrPath}${path}`, body);
    expect((await post('/notes', { body: 'x' })).status).toBe(201);
    const over = await post('/notes', { body: 'y' });
    expect([over.status, over.headers.get('retry-after')]).toEqual([429, '60']);
    expect(Number(over.headers.get('ratelimit-remaining'))).toBeGreaterThan(900);
    const made = await post('/discussions', { body: 'x' });
    const thread = `/discussions/${String(rowOf(made)['id'])}/notes`;
    expect([made.status, (await post(thread, { body: 'y' })).status]).toEqual([201, 201]);
    expect((await post('/draft_notes', { note: 'z' })).status).toBe(201);
  });

  it.each([
    ['one account', 300, (id: number) => `/users/${id}`, '600'],
    ['one project', 400, () => '/projects/1', '60'],
  ])('of questions about %s are %s in a time that Retry-After tells whole', async (_what, most, path, wait) => {
    const { bot } = current();
    for (let asked = 1; asked <= most; asked += 1) expect((await get(bot.token, path(bot.id))).status).toBe(200);
    const over = await get(bot.token, path(bot.id));
    expect([over.status, over.headers.get('retry-after')]).toEqual([429, wait]);
  });
});

it('lists lag behind what their reader wrote, and only for that reader', async () => {
  const { sim, bot, owner, advance } = current();
  sim.setReadLag(5_000);
  await sim.comment({ project, iid: 1, as: bot.login, body: 'x' });
  const seen = async (who: typeof bot) => rowsOf(await get(who.token, `${mrPath}/notes`)).length;
  const before = [await seen(bot), await seen(owner)];
  advance(5_000);
  expect([before, await seen(bot)]).toEqual([[0, 1], 1]);
});

it('an emoji given twice is a 404 that says so (forges.md 3.7)', async () => {
  const { api, bot, author, sim } = current();
  const id = await sim.comment({ project, iid: 1, as: 'author', body: 'x' });
  const give = (who: typeof bot) => api(who, 'POST', `${mrPath}/notes/${String(id)}/award_emoji?name=eyes`);
  expect([(await give(bot)).status, (await give(author)).status]).toEqual([201, 201]);
  const again = await give(bot);
  expect([again.status, again.json]).toEqual([
    404,
    { message: '404 Award Emoji {:name=>["has already been taken"]} Not Found' },
  ]);
});

it('hooks never give their secrets back (forges.md 2.2)', async () => {
  const { api, owner, bot } = current();
  const word = ['some', 'secret'].join('-');
  const made = await api(owner, 'POST', '/projects/1/hooks', {
    url: 'http://127.0.0.1:9/',
    token: word,
    note_events: true,
  });
  expect(rowOf(made)).toMatchObject({
    token_present: true,
    signing_token_present: false,
    note_events: true,
    push_events: true,
  });
  expect(made.text).not.toContain(word);
  const path = `/projects/1/hooks/${String(rowOf(made)['id'])}`;
  expect(rowOf(await api(owner, 'PUT', path, { push_events: false }))).toMatchObject({
    push_events: false,
    note_events: true,
  });
  expect((await api(bot, 'GET', path)).status).toBe(403);
  expect((await api(owner, 'DELETE', path)).status).toBe(204);
});

const NOTICED = [
  ['a parameter that the forge does not know', 'GET', `${mrPath}/notes?sorted=asc`, undefined, /no parameter sorted/],
  ['a misspelt field', 'POST', `${mrPath}/notes`, { body: 'x', boddy: 'y' }, /must NOT have additional properties/],
  ['a route that does not exist', 'GET', `${mrPath}/comments`, undefined, /no such route here/],
] as const;

/** Parameters and fields are known from the forge's own description, which is not part of the project. */
const noticed = sharedData('openapi') === null ? NOTICED.slice(2) : NOTICED;

describe('what a test should notice', () => {
  it.each(noticed)('is %s', async (_, method, path, body, complaint) => {
    const scene = await openScene();
    await scene.api(scene.bot, method, path, body);
    expect(scene.sim.violations).toEqual([expect.stringMatching(complaint)]);
    await scene.end('expected');
  });

  it('is a note on a file that the merge request does not change', async () => {
    const scene = await openScene();
    const refs = Object(rowOf(await scene.api(scene.bot, 'GET', mrPath))['diff_refs']);
    const position = { ...refs, position_type: 'file', old_path: 'x', new_path: 'x' };
    expect((await scene.api(scene.bot, 'POST', `${mrPath}/discussions`, { body: 'x', position })).status).toBe(201);
    expect(scene.sim.violations).toEqual([expect.stringMatching(/does not change/)]);
    await scene.end('expected');
  });
});
