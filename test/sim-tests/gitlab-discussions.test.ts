/** GL lib/api/discussions.rb, lib/api/notes.rb, app/services/{notes,discussions}; forges.md 3.1, 3.4. */
import { describe, expect, it } from 'vitest';
import { discussionOf, mrPath, positionAt, postThread, project, rowOf, rowsOf, useScene } from './gitlab-support.ts';

const current = useScene();
const at = { project, iid: 1 };

const thread = async (body = 'a finding'): Promise<string> =>
  discussionOf(await postThread(current(), { new: 4 }, body)).id;
const read = async (id: string) =>
  discussionOf(await current().api(current().bot, 'GET', `${mrPath}/discussions/${id}`));
const states = async (id: string) => (await read(id)).notes.map((note) => note.resolved);
const reply = (id: string, body: string) =>
  current().api(current().bot, 'POST', `${mrPath}/discussions/${id}/notes`, { body });
const resolve = (who: 'owner' | 'author' | 'bot' | 'outsider', id: string, resolved = true) =>
  current().api(current()[who], 'PUT', `${mrPath}/discussions/${id}?resolved=${resolved}`);

describe('a discussion', () => {
  it('is a thread that can be resolved, unlike a note', async () => {
    const { api, bot } = current();
    const made = discussionOf(await api(bot, 'POST', `${mrPath}/discussions`, { body: 'summary' }));
    await api(bot, 'POST', `${mrPath}/notes`, { body: 'plain' });
    const listed = rowsOf(await api(bot, 'GET', `${mrPath}/discussions`));
    expect(listed.map((one) => one['individual_note'])).toEqual([false, true]);
    expect(made).toMatchObject({
      id: expect.stringMatching(/^[0-9a-f]{40}$/),
      notes: [{ type: 'DiscussionNote', resolvable: true, resolved: false, resolved_by: null }],
    });
    expect(listed[1]?.['notes']).toMatchObject([{ type: null, resolvable: false }]);
    expect(Object.keys(Object(Object(listed[1]?.['notes'])[0]))).not.toContain('resolved');
  });

  it('takes multipart forms with brackets, and loses carriage returns when it looks for quick actions', async () => {
    const scene = current();
    const form = new FormData();
    form.set('body', 'first\nsecond');
    for (const [name, value] of Object.entries(await positionAt(scene, { new: 4 })))
      form.set(`position[${name}]`, String(value));
    form.set('position[line_range][start][type]', 'new');
    form.set('position[line_range][start][new_line]', '1');
    const answer = await scene.api(scene.bot, 'POST', `${mrPath}/discussions`, form);
    expect(answer.status).toBe(201);
    expect(discussionOf(answer).notes[0]).toMatchObject({
      body: 'first\nsecond',
      position: { new_line: 4, line_range: { start: { type: 'new', new_line: 1 } } },
    });
    expect(scene.sim.requests.at(-1)?.body).toContain('first\r\nsecond');
  });

  it('takes URL-encoded forms', async () => {
    const scene = current();
    const answer = await scene.api(scene.bot, 'POST', `${mrPath}/discussions`, new URLSearchParams({ body: 'a b' }));
    expect(discussionOf(answer).notes[0]?.body).toBe('a b');
  });

  it('hands its place on to its answers', async () => {
    const id = await thread();
    expect(rowOf(await reply(id, 'yes'))).toMatchObject({ type: 'DiffNote', position: { new_line: 4 } });
  });

  it('grows out of a single note that is answered', async () => {
    const { api, bot } = current();
    await api(bot, 'POST', `${mrPath}/notes`, { body: 'plain' });
    const [listed] = rowsOf(await api(bot, 'GET', `${mrPath}/discussions`));
    const id = String(listed?.['id']);
    expect(rowOf(await reply(id, 'answer'))).toMatchObject({ type: 'DiscussionNote' });
    expect(await read(id)).toMatchObject({ individual_note: false, notes: [{ body: 'plain' }, { body: 'answer' }] });
  });

  it('does not exist for an answer to an unknown id', async () => {
    expect((await reply('0'.repeat(40), 'x')).status).toBe(404);
  });

  it('needs a body', async () => {
    const { api, bot } = current();
    const missing = await api(bot, 'POST', `${mrPath}/discussions`, {});
    expect([missing.status, missing.json]).toEqual([400, { error: 'body is missing' }]);
    const blank = await api(bot, 'POST', `${mrPath}/discussions`, { body: ' \n' });
    expect([blank.status, blank.json]).toEqual([
      400,
      { message: `400 Bad request - Note {:note=>["can't be blank"]}` },
    ]);
  });
});

describe('resolving', () => {
  it('closes all notes of a thread, and an answer afterwards is stored resolved: the thread stays so', async () => {
    const id = await thread();
    await reply(id, 'first answer');
    expect((await resolve('bot', id)).status).toBe(200);
    expect(await states(id)).toEqual([true, true]);
    await reply(id, 'second answer');
    expect(await states(id)).toEqual([true, true, true]);
    expect((await read(id)).notes[2]).toMatchObject({ resolved_by: { username: current().bot.login } });
  });

  it('opens a thread again only when asked to', async () => {
    const id = await thread();
    await resolve('bot', id);
    await resolve('bot', id, false);
    expect(await states(id)).toEqual([false]);
  });

  it('is for developers, the author of the merge request, and who began the thread', async () => {
    const { sim, api, outsider } = current();
    sim.addMember(project, 'outsider', 20);
    const id = await thread();
    expect((await resolve('outsider', id)).status).toBe(403);
    expect((await resolve('author', id)).status).toBe(200);
    const own = discussionOf(await api(outsider, 'POST', `${mrPath}/discussions`, { body: 'mine' })).id;
    expect((await resolve('outsider', own)).status).toBe(200);
  });

  it('of the last open thread sends an update without changes; others send nothing', async () => {
    const { sim, owner } = current();
    sim.addProjectHook({ project, url: 'http://127.0.0.1:9/', events: ['merge_requests_events', 'note_events'] });
    const [first, second] = [await thread(), await thread('another')];
    await sim.settled();
    const before = sim.deliveries.length;
    await sim.resolveDiscussion({ ...at, as: owner.login, discussion: first });
    expect(sim.deliveries.length).toBe(before);
    await sim.resolveDiscussion({ ...at, as: owner.login, discussion: second });
    const sent = sim.deliveries.slice(before).map((delivery) => JSON.parse(delivery.body));
    expect(sent).toMatchObject([{ object_attributes: { action: 'update' }, changes: {} }]);
    expect(sent[0].object_attributes).not.toHaveProperty('oldrev');
  });

  it('of a note takes exactly one of body and resolved', async () => {
    const { api, bot } = current();
    const id = await thread();
    const note = `${mrPath}/discussions/${id}/notes/${(await read(id)).notes[0]?.id}`;
    expect((await api(bot, 'PUT', note, { body: 'x', resolved: true })).status).toBe(400);
    expect((await api(bot, 'PUT', note, {})).status).toBe(400);
    expect(rowOf(await api(bot, 'PUT', note, { resolved: true }))['resolved']).toBe(true);
    expect(rowOf(await api(bot, 'PUT', note, { body: 'edited' }))['body']).toBe('edited');
  });
});

describe('notes', () => {
  const post = (body: string, more: Record<string, unknown> = {}) =>
    current().api(current().bot, 'POST', `${mrPath}/notes`, { body, ...more });

  it('are listed newest first, with the system ones in between unless filtered', async () => {
    const { api, bot, sim, advance } = current();
    await post('one');
    advance(1_000);
    await sim.editMergeRequest({ ...at, as: 'author', title: 'Other title' });
    advance(1_000);
    await post('two');
    const bodies = async (query: string) =>
      rowsOf(await api(bot, 'GET', `${mrPath}/notes${query}`)).map((note) => [note['body'], note['system']]);
    const change = 'changed title from **Change a** to **Other title**';
    expect(await bodies('')).toEqual([
      ['two', false],
      [change, true],
      ['one', false],
    ]);
    expect(await bodies('?sort=asc&activity_filter=only_comments')).toEqual([
      ['one', false],
      ['two', false],
    ]);
  });

  it('are edited by their author and by maintainers only, and an edit that changes nothing tells nobody', async () => {
    const { api, bot, author, owner, sim } = current();
    sim.addProjectHook({ project, url: 'http://127.0.0.1:9/', events: ['note_events'] });
    const path = `${mrPath}/notes/${String(rowOf(await post('x'))['id'])}`;
    const edit = (who: typeof bot, body: string) => api(who, 'PUT', path, { body });
    expect((await edit(author, 'y')).status).toBe(403);
    expect((await edit(bot, 'x')).status).toBe(200);
    expect((await edit(owner, 'z')).status).toBe(200);
    await sim.settled();
    const sent = sim.deliveries.map((delivery) => JSON.parse(delivery.body));
    // `user` is the note's author, also when somebody else has edited it (forges.md 2.5).
    expect(sent.map(({ object_attributes: { action, note }, user }) => [action, note, user.id])).toEqual([
      ['create', 'x', bot.id],
      ['update', 'z', bot.id],
    ]);
  });

  it('are deleted without an event', async () => {
    const { api, bot, sim } = current();
    const path = `${mrPath}/notes/${String(rowOf(await post('x'))['id'])}`;
    sim.addProjectHook({ project, url: 'http://127.0.0.1:9/', events: ['note_events'] });
    expect((await api(bot, 'DELETE', path)).status).toBe(204);
    expect([(await api(bot, 'GET', path)).status, sim.deliveries]).toEqual([404, []]);
  });

  it('that are internal are unknown to whoever is no reporter', async () => {
    const { api, bot, outsider, sim } = current();
    sim.addMember(project, 'outsider', 15);
    const { id } = rowOf(await post('secret', { internal: true }));
    const bodies = async (who: typeof bot) =>
      rowsOf(await api(who, 'GET', `${mrPath}/notes`)).map((note) => note['body']);
    expect([await bodies(bot), await bodies(outsider)]).toEqual([['secret'], []]);
    expect((await api(outsider, 'GET', `${mrPath}/notes/${String(id)}`)).status).toBe(404);
    expect(rowsOf(await api(outsider, 'GET', `${mrPath}/discussions`))).toEqual([]);
  });

  it('stop at 5,000 that people wrote, whatever the forge adds of its own', async () => {
    const { sim } = current();
    const mr = sim.mergeRequestAt(at);
    await post('first');
    const [note] = mr.notes;
    if (note === undefined) throw new Error('no note');
    mr.notes.push(...Array.from({ length: 4_998 }, (_, index) => ({ ...note, id: 10_000 + index })));
    mr.notes.push({ ...note, id: 99_999, system: true });
    expect((await post('the last')).status).toBe(201);
    const answer = await post('one too many');
    expect([answer.status, answer.json]).toEqual([
      400,
      { message: '400 Bad request - Note {:base=>["Maximum number of comments exceeded"]}' },
    ]);
  });

  it('are no longer than a million characters', async () => {
    expect((await post('x'.repeat(1_000_001))).status).toBe(400);
  });

  it('of outsiders are refused in a locked discussion of a public project', async () => {
    const { sim, api, outsider } = current();
    await sim.createProject('acme/open', { visibility: 'public' });
    const commit = { project: 'acme/open', message: 'm', author: 'owner' };
    await sim.commitFiles({ ...commit, branch: 'main', files: { a: 'a' } });
    await sim.commitFiles({ ...commit, branch: 'b', files: { b: 'b' } });
    await sim.openMergeRequest({ project: 'acme/open', sourceBranch: 'b', title: 'b', author: 'owner' });
    const say = () => api(outsider, 'POST', '/projects/2/merge_requests/1/notes', { body: 'hi' });
    expect((await say()).status).toBe(201);
    await sim.editMergeRequest({ project: 'acme/open', iid: 1, as: 'owner', locked: true });
    expect((await say()).status).toBe(403);
  });
});

it('pages count what their reader may not see, and are shorter for it', async () => {
  const { sim, api, owner, author, outsider } = current();
  sim.addMember(project, outsider.login, 15);
  for (const internal of [true, false, true])
    await sim.comment({ project, iid: 1, as: author.login, body: 'x', internal });
  for (const list of ['discussions', 'notes']) {
    const path = `${mrPath}/${list}?per_page=2&page=1`;
    const [all, some] = [await api(owner, 'GET', path), await api(outsider, 'GET', path)];
    expect([rowsOf(all).length, rowsOf(some).length]).toEqual([2, 1]);
    expect(some.headers.get('x-total')).toBe(all.headers.get('x-total'));
  }
});
