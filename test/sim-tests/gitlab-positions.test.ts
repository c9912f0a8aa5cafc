/** GL lib/gitlab/diff/file.rb, lib/gitlab/diff/position.rb, app/models/diff_note.rb, lib/api/discussions.rb; forges.md 3.3. */
import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import {
  discussionOf,
  type Line,
  mrPath,
  positionAt,
  postThread,
  project,
  refsOf,
  rowOf,
  rowsOf,
  useScene,
} from './gitlab-support.ts';

const current = useScene();
const lineCodeMessage = {
  message: `400 Bad request - Note {:line_code=>["can't be blank", "must be a valid line code"]}`,
};

describe('a position of a discussion', () => {
  it.each<[string, Line]>([
    ['an added line by its new number', { new: 1 }],
    ['another added line', { new: 4 }],
    ['a removed line by its old number', { old: 3 }],
    ['an unchanged line of a hunk by both', { old: 1, new: 2 }],
    ['an unchanged line outside of every hunk by both, when the pair is true', { old: 8, new: 9 }],
    ['a line of a new file with the same path twice', { path: 'new.txt', new: 1 }],
    ['an old path that is none, since paths only choose the file', { oldPath: 'b.txt', new: 4 }],
  ])('takes %s', async (_, line) => {
    const answer = await postThread(current(), line);
    expect(answer.status).toBe(201);
    const [note] = discussionOf(answer).notes;
    expect(note).toMatchObject({ type: 'DiffNote', resolvable: true, resolved: false });
    expect(note?.['position']).toMatchObject({ old_line: line.old ?? null, new_line: line.new ?? null });
  });

  it.each<[string, Line]>([
    ['an added line with both numbers', { old: 3, new: 4 }],
    ['a removed line with both numbers', { old: 3, new: 3 }],
    ['a context line with one number', { new: 2 }],
    ['an unchanged line outside of every hunk with one number', { old: 8 }],
    ['an unchanged line whose pair is not true', { old: 8, new: 8 }],
    ['a line behind the end of the file', { new: 99 }],
    ['a file that the merge request does not change', { path: 'other.txt', new: 1 }],
    ['the old path of a changed file that comes first', { oldPath: 'a.txt', path: 'new.txt', old: 1 }],
    ['no line at all', {}],
  ])('answers 400 with the line_code message for %s', async (_, line) => {
    const answer = await postThread(current(), line);
    expect([answer.status, answer.json]).toEqual([400, lineCodeMessage]);
    expect(current().sim.snapshot(project, 1).threads).toEqual([]);
  });

  it('on one path of a renamed file is one on a new file, saved under an error where the merge request shows no such line', async () => {
    const { sim } = current();
    const lines = Array.from({ length: 20 }, (_, index) => `line ${index}`);
    const before = `${lines.join('\n')}\n`;
    await sim.commitFiles({ project, branch: 'main', files: { 'old.txt': before }, message: 'm', author: 'owner' });
    const files = { 'old.txt': null, 'moved.txt': `${before}more\n` };
    await sim.commitFiles({ project, branch: 'move', files, message: 'move', author: 'author' });
    await sim.openMergeRequest({ project, sourceBranch: 'move', title: 'Move', author: 'author' });
    const post = async (oldPath: string, line: number) => {
      const refs = rowOf(await current().api(current().bot, 'GET', '/projects/1/merge_requests/2'))['diff_refs'];
      const position = {
        ...Object(refs),
        position_type: 'text',
        old_path: oldPath,
        new_path: 'moved.txt',
        new_line: line,
      };
      return current().api(current().bot, 'POST', '/projects/1/merge_requests/2/discussions', { body: 'x', position });
    };
    const tries = [await post('old.txt', 21), await post('moved.txt', 21), await post('moved.txt', 5)];
    expect(tries.map(({ status }) => status)).toEqual([201, 201, 500]);
    const notes = sim.mergeRequestAt({ project, iid: 2 }).notes.map(({ lineCode }) => lineCode?.replace(/^.*?_/, ''));
    expect(notes).toEqual(['21_21', '0_21', '0_5']);
  });

  it('has a line code of the path and both running counters, the old one 0 in a new file', async () => {
    const { sim } = current();
    const sha1 = (path: string): string => createHash('sha1').update(path).digest('hex');
    await postThread(current(), { new: 4 });
    await postThread(current(), { path: 'new.txt', new: 1 });
    const codes = sim.mergeRequestAt({ project, iid: 1 }).notes.flatMap((note) => note.lineCode ?? []);
    expect(codes).toEqual([`${sha1('a.txt')}_4_4`, `${sha1('new.txt')}_0_1`]);
  });

  it('only has the shape of its line range looked at', async () => {
    const scene = current();
    const position = { ...(await positionAt(scene, { new: 4 })) };
    const wrong = { start: { line_code: 'nonsense', type: 'new', new_line: 900 }, end: { line_code: 'x' } };
    const post = (range: unknown) =>
      scene.api(scene.bot, 'POST', `${mrPath}/discussions`, {
        body: 'x',
        position: { ...position, line_range: range },
      });
    const good = await post(wrong);
    expect([good.status, discussionOf(good).notes[0]?.['position']]).toMatchObject([201, { line_range: wrong }]);
    expect((await post({ start: { line_code: 'x'.repeat(101) } })).status).toBe(400);
  });

  it('may be a whole file, without lines', async () => {
    const scene = current();
    const position = { ...(await positionAt(scene, {})), position_type: 'file' };
    const answer = await scene.api(scene.bot, 'POST', `${mrPath}/discussions`, { body: 'x', position });
    expect(answer.status).toBe(201);
  });

  it.each(['base_sha', 'start_sha', 'head_sha', 'position_type'])(
    'is refused as a parameter without %s',
    async (name) => {
      const scene = current();
      const { [name]: _, ...position } = await positionAt(scene, { new: 4 });
      const answer = await scene.api(scene.bot, 'POST', `${mrPath}/discussions`, { body: 'x', position });
      expect([answer.status, answer.json]).toEqual([400, { error: `position[${name}] is missing` }]);
    },
  );

  it.each(['start_sha', 'head_sha'])('is refused when its %s is no commit of this project', async (name) => {
    const scene = current();
    const position = { ...(await positionAt(scene, { new: 4 })), [name]: 'f'.repeat(40) };
    const answer = await scene.api(scene.bot, 'POST', `${mrPath}/discussions`, { body: 'x', position });
    expect([answer.status, answer.json]).toEqual([400, lineCodeMessage]);
  });

  it('stores whatever base is sent, and looks at start and head', async () => {
    const scene = current();
    const position = { ...(await positionAt(scene, { new: 4 })), base_sha: 'f'.repeat(40) };
    const answer = await scene.api(scene.bot, 'POST', `${mrPath}/discussions`, { body: 'x', position });
    expect(answer.status).toBe(201);
    const [note] = scene.sim.mergeRequestAt({ project, iid: 1 }).notes;
    expect(note?.originalPosition).toMatchObject({ base_sha: 'f'.repeat(40), new_line: 4 });
  });

  it('is refused on every line of a file over the limit of a patch', async () => {
    const { sim } = current();
    sim.setDiffLimits({ maxFiles: 1_000, maxPatchBytes: 10 });
    expect((await postThread(current(), { new: 4 })).status).toBe(400);
  });
});

describe('a position on an older version', () => {
  const push = (files: Record<string, string>) =>
    current().sim.commitFiles({ project, branch: 'feature', files, message: 'more', author: 'author' });

  it('is taken and moved to where the line is now', async () => {
    const scene = current();
    const position = await positionAt(scene, { new: 4 });
    const text = 'first\nzero\none\ntwo\nTHREE\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\ntwelve\nend\n';
    const head = await push({ 'a.txt': text });
    const answer = await scene.api(scene.bot, 'POST', `${mrPath}/discussions`, { body: 'x', position });
    expect([answer.status, discussionOf(answer).notes[0]?.['position']]).toMatchObject([
      201,
      { new_line: 5, old_line: null, head_sha: head },
    ]);
  });

  it('is taken and kept as it is when the line is gone: outdated', async () => {
    const scene = current();
    const position = await positionAt(scene, { new: 4 });
    await push({ 'a.txt': 'zero\none\ntwo\nthree\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\ntwelve\n' });
    const answer = await scene.api(scene.bot, 'POST', `${mrPath}/discussions`, { body: 'x', position });
    expect([answer.status, discussionOf(answer).notes[0]?.['position']]).toMatchObject([
      201,
      { new_line: 4, head_sha: position['head_sha'] },
    ]);
    expect(scene.sim.mergeRequestAt({ project, iid: 1 }).notes.at(-1)?.outdated).toBe(true);
  });

  it('follows its line through pushes', async () => {
    const scene = current();
    await postThread(scene, { new: 14 });
    await postThread(scene, { old: 3 });
    await postThread(scene, { old: 8, new: 9 });
    await push({ 'a.txt': 'zero\none\nTHREE\nfour\nfive\nsix\nseven\neight\nnine\nten\neleven\ntwelve\nend\n' });
    const notes = rowsOf(await scene.api(scene.bot, 'GET', `${mrPath}/notes?sort=asc&activity_filter=only_comments`));
    const lines = notes.map((note) => Object(note['position'])).map(({ old_line, new_line }) => [old_line, new_line]);
    expect(lines).toEqual([
      [null, 13],
      [3, null],
      [8, 8],
    ]);
  });

  it('is outdated when a removed line is back, and stays so when it is removed again', async () => {
    const scene = current();
    const note = () => scene.sim.mergeRequestAt({ project, iid: 1 }).notes[0];
    const first = (await postThread(scene, { old: 3 })) && note()?.position;
    const rest = 'four\nfive\nsix\nseven\neight\nnine\nten\neleven\ntwelve\n';
    await push({ 'a.txt': `one\ntwo\nthree\n${rest}end\n` });
    expect([note()?.outdated, note()?.position]).toEqual([true, first]);
    // Only discussions that were active are traced on (MergeRequest#update_diff_discussion_positions).
    await push({ 'a.txt': `one\ntwo\n${rest}end\n` });
    expect([note()?.outdated, note()?.position]).toEqual([true, first]);
  });

  it('keeps the start of each version apart from the target that has moved on', async () => {
    const scene = current();
    const before = await refsOf(scene);
    await scene.sim.commitFiles({ project, branch: 'main', files: { m: 'x' }, message: 'm', author: 'owner' });
    expect(await refsOf(scene)).toEqual(before);
    await push({ b: 'x' });
    const after = await refsOf(scene);
    expect([after.base_sha, after.start_sha === before.start_sha]).toEqual([before.base_sha, false]);
    const versions = rowsOf(await scene.api(scene.bot, 'GET', `${mrPath}/versions`));
    expect(versions.map((version) => version['head_commit_sha'])).toEqual([after.head_sha, before.head_sha]);
  });
});
