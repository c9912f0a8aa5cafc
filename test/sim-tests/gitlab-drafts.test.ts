/** GL lib/api/draft_notes.rb, app/models/draft_note.rb, app/services/draft_notes/*.rb; forges.md 3.4, 7 row 21. */
import { describe, expect, it } from 'vitest';
import { discussionOf, mrPath, positionAt, postThread, project, rowOf, rowsOf, useScene } from './gitlab-support.ts';

const current = useScene();
const drafts = `${mrPath}/draft_notes`;

const draft = (body: Record<string, unknown>) => current().api(current().bot, 'POST', drafts, body);
const publish = () => current().api(current().bot, 'POST', `${drafts}/bulk_publish`);
const listed = async () => rowsOf(await current().api(current().bot, 'GET', drafts));
const threads = () => current().sim.snapshot(project, 1).threads;

describe('draft notes', () => {
  it('are seen by nobody but their author, and not in pages', async () => {
    const { api, owner, bot } = current();
    for (let count = 0; count < 25; count += 1) await draft({ note: `draft ${count}` });
    expect((await api(bot, 'GET', `${drafts}?per_page=5`)).json).toHaveLength(25);
    expect(rowsOf(await api(owner, 'GET', drafts))).toEqual([]);
    const id = (await listed())[0]?.['id'];
    expect((await api(owner, 'DELETE', `${drafts}/${String(id)}`)).status).toBe(404);
    expect((await api(bot, 'DELETE', `${drafts}/${String(id)}`)).status).toBe(204);
    expect(await listed()).toHaveLength(24);
    expect(threads()).toEqual([]);
  });

  it('are published together as threads, one note event each, without telling any id', async () => {
    const { sim, bot } = current();
    sim.addProjectHook({ project, url: 'http://127.0.0.1:9/', events: ['note_events'] });
    await draft({ note: 'general' });
    await draft({ note: 'on a line', position: await positionAt(current(), { new: 4 }) });
    const answer = await publish();
    expect([answer.status, answer.text]).toEqual([204, '']);
    expect(threads()).toEqual([
      { place: null, resolved: false, notes: [{ author: bot.login, body: 'general' }] },
      {
        place: { path: 'a.txt', oldLine: null, newLine: 4 },
        resolved: false,
        notes: [{ author: bot.login, body: 'on a line' }],
      },
    ]);
    expect([await listed(), sim.deliveries.map((delivery) => delivery.event)]).toEqual([
      [],
      ['Note Hook', 'Note Hook'],
    ]);
  });

  it('can be published alone', async () => {
    const { api, bot } = current();
    const { id } = rowOf(await draft({ note: 'one' }));
    await draft({ note: 'two' });
    expect((await api(bot, 'PUT', `${drafts}/${String(id)}/publish`)).status).toBe(204);
    expect([threads().length, (await listed()).map((one) => one['note'])]).toEqual([1, ['two']]);
  });

  it.each([
    [undefined, false],
    [false, false],
    [true, true],
  ])('that answer a resolved thread leave it resolved only with the flag: %s', async (flag, resolved) => {
    const { api, bot } = current();
    const { id } = discussionOf(await postThread(current(), { new: 4 }));
    await api(bot, 'PUT', `${mrPath}/discussions/${id}?resolved=true`);
    const more = flag === undefined ? {} : { resolve_discussion: flag };
    await draft({ note: 'answer', in_reply_to_discussion_id: id, ...more });
    expect(threads().map((one) => one.resolved)).toEqual([true]);
    await publish();
    expect(threads().map((one) => [one.resolved, one.notes.length])).toEqual([[resolved, 2]]);
  });

  it('with the flag resolve an open thread', async () => {
    const { id } = discussionOf(await postThread(current(), { new: 4 }));
    await draft({ note: 'done', in_reply_to_discussion_id: id, resolve_discussion: true });
    await publish();
    expect(threads().map((one) => one.resolved)).toEqual([true]);
  });

  it('answer a thread once at a time', async () => {
    const { id } = discussionOf(await postThread(current(), { new: 4 }));
    expect((await draft({ note: 'one', in_reply_to_discussion_id: id })).status).toBe(201);
    const second = await draft({ note: 'two', in_reply_to_discussion_id: id });
    expect([second.status, second.json]).toEqual([400, { message: { author_id: ['has already been taken'] } }]);
  });

  it('cannot answer a thread that does not exist', async () => {
    const answer = await draft({ note: 'x', in_reply_to_discussion_id: '0'.repeat(40) });
    expect([answer.status, answer.json]).toEqual([400, { message: { base: ['Thread to reply to cannot be found'] } }]);
  });

  it('are taken without text, and are lost when published', async () => {
    const { api, bot } = current();
    for (const note of ['', ' \n']) expect((await draft({ note })).status).toBe(201);
    await draft({ note: 'text' });
    expect((await publish()).status).toBe(204);
    expect([threads().flatMap((one) => one.notes.map((note) => note.body)), await listed()]).toEqual([['text'], []]);
    const { id } = rowOf(await draft({ note: 'more' }));
    const emptied = await api(bot, 'PUT', `${drafts}/${String(id)}`, { note: '' });
    expect([emptied.status, emptied.json]).toEqual([400, { error: 'note is empty' }]);
  });

  it('answer a system note, which begins a thread then', async () => {
    const { sim, api, bot } = current();
    await sim.editMergeRequest({ project, iid: 1, as: 'author', description: 'other' });
    const system = sim.mergeRequestAt({ project, iid: 1 }).notes.find((note) => note.system);
    const thread = system?.discussionId ?? '';
    expect((await draft({ note: 'why?', in_reply_to_discussion_id: thread })).status).toBe(201);
    await publish();
    const shown = rowOf(await api(bot, 'GET', `${mrPath}/discussions/${thread}`));
    expect(shown).toMatchObject({
      individual_note: false,
      notes: [
        { system: true, type: 'DiscussionNote' },
        { body: 'why?', type: 'DiscussionNote', resolvable: true },
      ],
    });
    const answered = await api(bot, 'POST', `${mrPath}/discussions/${thread}/notes`, { body: 'so' });
    expect(answered.status).toBe(201);
  });

  it('take a position that is no line of the diff, tell so by a missing line code, and are lost when published', async () => {
    const bad = rowOf(await draft({ note: 'bad', position: await positionAt(current(), { old: 3, new: 4 }) }));
    const good = rowOf(await draft({ note: 'good', position: await positionAt(current(), { new: 4 }) }));
    expect([bad['line_code'], typeof good['line_code']]).toEqual([null, 'string']);
    expect((await publish()).status).toBe(204);
    expect(threads().flatMap((one) => one.notes.map((note) => note.body))).toEqual(['good']);
    expect([await listed(), current().sim.effects.filter((effect) => effect.kind === 'draft.lost').length]).toEqual([
      [],
      1,
    ]);
  });

  it('keep their text and lose their position when only the text is changed', async () => {
    const { api, bot } = current();
    const { id } = rowOf(await draft({ note: 'x', position: await positionAt(current(), { new: 4 }) }));
    const changed = await api(bot, 'PUT', `${drafts}/${String(id)}`, { note: 'y' });
    expect(rowOf(changed)).toMatchObject({ note: 'y', position: null, line_code: null });
    expect((await api(bot, 'PUT', `${drafts}/${String(id)}`, {})).status).toBe(400);
  });

  it('make a reviewer one who has started, which publishing leaves and dropping the last one takes back', async () => {
    const { api, bot, sim } = current();
    await sim.editMergeRequest({ project, iid: 1, as: 'author', reviewers: [bot.login] });
    const state = async () => rowsOf(await api(bot, 'GET', `${mrPath}/reviewers`)).map((one) => one['state']);
    const before = await state();
    await draft({ note: 'x' });
    const during = await state();
    await publish();
    expect([before, during, await state()]).toEqual([['unreviewed'], ['review_started'], ['review_started']]);
    const { id } = rowOf(await api(bot, 'POST', `${mrPath}/draft_notes`, { note: 'y' }));
    await api(bot, 'DELETE', `${mrPath}/draft_notes/${String(id)}`);
    expect(await state()).toEqual(['unreviewed']);
  });

  it('survive a publishing that failed before it began', async () => {
    await draft({ note: 'x' });
    current().sim.fault({ path: 'bulk_publish' }, { kind: 'status', status: 500 });
    expect([(await publish()).status, (await listed()).length, threads().length]).toEqual([500, 1, 0]);
    expect([(await publish()).status, (await listed()).length, threads().length]).toEqual([204, 0, 1]);
  });
});
