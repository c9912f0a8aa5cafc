/** GL lib/gitlab/quick_actions/extractor.rb, app/services/notes/*.rb; forges.md 3.4, 3.5; trust.md A6. */
import { describe, expect, it } from 'vitest';
import { extractActions } from '../sim/gitlab/extract-actions.ts';
import { discussionOf, mrPath, openScene, postThread, project, rowOf, rowsOf, useScene } from './gitlab-support.ts';

const fence = '```';

describe('the lines taken for quick actions', () => {
  it.each<[string, string, readonly string[], string]>([
    ['at the start', '/approve', ['approve'], ''],
    ['in capitals', 'a\n/APPROVE', ['approve'], 'a'],
    ['with an argument', '/target_branch main\nb', ['target_branch'], 'b'],
    ['with a carriage return inside', 'a\n/ap\rprove', ['approve'], 'a'],
    ['after a carriage return and line feed', 'a\r\n/close\r\nb', ['close'], 'a\nb'],
    ['with spaces behind', 'a\n/close   \nb', ['close'], 'a\nb'],
    ['in a fence of tildes', '~~~\n/approve\n~~~', ['approve'], '~~~\n~~~'],
    ['in a fence that is never closed', `${fence}\n/approve`, ['approve'], fence],
    ['in a fence whose end has a space behind', `${fence}\n/approve\n${fence} `, ['approve'], `${fence}\n${fence}`],
    ['between two inline codes', '`a`\n/close\n`b`', ['close'], '`a`\n`b`'],
  ])('are those %s', (_, body, names, text) => {
    const found = extractActions(body);
    expect([found.calls.map((call) => call.name), found.text]).toEqual([names, text]);
  });

  it.each<[string, string]>([
    ['with a space in front', ' /approve'],
    ['behind a quote mark', '> /approve'],
    ['behind a list mark', '- /approve'],
    ['behind a backslash', String.raw`\/approve`],
    ['behind a zero-width space', '\u200b/approve'],
    ['with a zero-width space after the slash', '/\u200bapprove'],
    ['in a closed fence', `${fence}js\n/approve\n${fence}`],
    ['in a closed quote', '>>>\n/approve\n>>>'],
    ['in a block of HTML', '<details>\n/approve\n</details>'],
    ['with more letters', '/approved'],
    ['with an unknown name', '/usr/bin/env'],
  ])('are not those %s', (_, body) => {
    expect(extractActions(body)).toEqual({ text: body, calls: [] });
  });
});

describe('quick actions', () => {
  const current = useScene();
  const note = (body: string) => current().api(current().bot, 'POST', `${mrPath}/notes`, { body });
  const mr = () => current().sim.mergeRequestAt({ project, iid: 1 });

  it.each<[string, () => unknown, unknown]>([
    ['/merge', () => mr().state, 'merged'],
    ['/close', () => mr().state, 'closed'],
    [
      '/approve',
      () => mr().approvals.map(({ user }) => user.username),
      expect.arrayContaining([expect.stringContaining('bot')]),
    ],
    ['/draft', () => mr().title, 'Draft: Change a'],
    ['/title Other', () => mr().title, 'Other'],
    ['/label ~bug ~"to do"', () => mr().labels.map((label) => label.name), ['bug', 'to do']],
    ['/assign me', () => mr().assignees.length, 1],
    ['/reviewer @author', () => mr().reviewers.map(({ user }) => user.username), ['author']],
    ['/lock', () => mr().locked, true],
    ['/request_changes', () => mr().requestedChanges.size, 1],
    ['/react :eyes:', () => mr().awards.map((award) => award.name), ['eyes']],
  ])('%s takes effect and is not in the text', async (line, look, expected) => {
    const answer = await note(`Some text.\n${line}`);
    expect([answer.status, rowOf(answer)['body'], look()]).toEqual([201, 'Some text.', expected]);
    expect(current().sim.quickActions.map((action) => action.line)).toEqual([line]);
  });

  it('alone make no note: 202 with what they changed, and no event of a note', async () => {
    const { sim } = current();
    sim.addProjectHook({ project, url: 'http://127.0.0.1:9/', events: ['note_events', 'merge_requests_events'] });
    const answer = await note('/close');
    expect([answer.status, answer.json]).toEqual([
      202,
      { commands_changes: { close: true }, summary: ['Closed this merge request.'] },
    ]);
    expect(sim.snapshot(project, 1).comments).toEqual([]);
    expect(sim.deliveries.map((delivery) => delivery.event)).toEqual(['Merge Request Hook']);
  });

  it('alone that cannot be applied are a 400', async () => {
    const { sim, api, outsider } = current();
    sim.addMember(project, 'outsider', 20);
    const answer = await api(outsider, 'POST', `${mrPath}/notes`, { body: '/merge' });
    expect([answer.status, answer.json]).toEqual([
      400,
      { message: '400 Bad request - Could not apply merge command.' },
    ]);
    expect(mr().state).toBe('opened');
  });

  it('run in answers, in published drafts and in descriptions too', async () => {
    const { api, bot, author } = current();
    const { id } = discussionOf(await postThread(current(), { new: 4 }));
    expect((await api(bot, 'POST', `${mrPath}/discussions/${id}/notes`, { body: 'a\n/label ~reply' })).status).toBe(
      201,
    );
    await api(bot, 'POST', `${mrPath}/draft_notes`, { note: 'b\n/label ~draft' });
    expect(mr().labels.map((label) => label.name)).toEqual(['reply']);
    await api(bot, 'POST', `${mrPath}/draft_notes/bulk_publish`);
    await api(author, 'PUT', mrPath, { description: 'c\n/label ~description' });
    expect([mr().labels.map((label) => label.name), mr().description]).toEqual([
      ['reply', 'draft', 'description'],
      'c',
    ]);
  });

  it('in an edit run as well, and an edit that leaves nothing deletes the note', async () => {
    const { api, bot } = current();
    const path = `${mrPath}/notes/${String(rowOf(await note('text'))['id'])}`;
    expect(rowOf(await api(bot, 'PUT', path, { body: 'other\n/label ~one' }))['body']).toBe('other');
    expect((await api(bot, 'PUT', path, { body: '/label ~two' })).status).toBe(202);
    expect((await api(bot, 'GET', path)).status).toBe(404);
    expect(mr().labels.map((label) => label.name)).toEqual(['one', 'two']);
  });

  it('are put on record also where only a careless reader would see one', async () => {
    const { sim } = current();
    await note('> /merge\n- /approve\n\u200b/close\n\u2028/label ~x');
    expect(mr().state).toBe('opened');
    expect(sim.quickActions.map((action) => action.line)).toEqual([
      '> /merge',
      '- /approve',
      '\u200b/close',
      '/label ~x',
    ]);
  });

  it('alone were an error before 16, although they had run', async () => {
    const scene = await openScene({ version: '15.11.0-ee' });
    const answer = await scene.api(scene.bot, 'POST', `${mrPath}/notes`, { body: '/close' });
    expect([answer.status, answer.json]).toEqual([
      400,
      { message: '400 Bad request - Note {:commands_only=>["Closed this merge request."]}' },
    ]);
    expect(scene.sim.snapshot(project, 1).state).toBe('closed');
    expect(rowsOf(await scene.api(scene.bot, 'GET', `${mrPath}/notes?activity_filter=only_comments`))).toEqual([]);
    await scene.end();
  });
});
