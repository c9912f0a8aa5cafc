/** git over HTTP, pages for people, installations under a path, and the client library that the adapter uses. */
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Gitlab } from '@gitbeaker/rest';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { mrPath, openScene, postThread, project, refsOf, type Scene } from './gitlab-support.ts';

const run = promisify(execFile);
const at = { project, iid: 1 };

let scene: Scene;
let folder: string;
beforeEach(async () => {
  scene = await openScene();
  folder = await mkdtemp(join(tmpdir(), 'fixpoint-clone-'));
});
afterEach(async () => {
  await scene.end();
  await rm(folder, { recursive: true, force: true });
});

const address = (token: string | null, path = project): string =>
  `${scene.sim.url.replace('://', token === null ? '://' : `://x:${token}@`)}/${path}.git`;

const git = async (...args: readonly string[]): Promise<string> => {
  const env = { PATH: process.env['PATH'], HOME: folder, GIT_TERMINAL_PROMPT: '0', GIT_CONFIG_NOSYSTEM: '1' };
  const who = ['-c', 'user.name=author', '-c', 'user.email=author@localhost'];
  return (await run('git', [...who, ...args], { cwd: folder, env })).stdout.trim();
};

const pushOne = async (token: string): Promise<string> => {
  await git('clone', '--quiet', '--branch', 'feature', address(token), '.');
  await writeFile(join(folder, 'pushed.txt'), 'pushed\n');
  await git('add', '.');
  await git('commit', '--quiet', '-m', 'pushed');
  await git('push', '--quiet', 'origin', 'feature');
  return git('rev-parse', 'HEAD');
};

describe('git (forges.md 3.2)', () => {
  it('has the head of a merge request under its own ref, of a fork too', async () => {
    scene.sim.addMember(project, 'outsider', 20);
    await scene.sim.forkProject(project, 'outsider');
    const wish = { project: 'outsider/shop', branch: 'f', files: { f: 'f' }, message: 'f', author: 'outsider' };
    const head = await scene.sim.commitFiles(wish);
    const mr = { project, sourceProject: 'outsider/shop', sourceBranch: 'f', title: 'f', author: 'outsider' };
    await scene.sim.openMergeRequest(mr);
    const refs = await git('ls-remote', address(scene.bot.token), 'refs/merge-requests/*');
    expect(refs.split('\n')).toEqual([
      `${scene.sim.mergeRequestAt(at).headSha}\trefs/merge-requests/1/head`,
      `${head}\trefs/merge-requests/2/head`,
    ]);
  });

  it('declines a push to a protected branch, and takes it from who may push there', async () => {
    scene.sim.protectBranch({ project, pattern: 'feat*', push: 40, merge: 30 });
    const before = scene.sim.mergeRequestAt(at).headSha;
    await expect(pushOne(scene.bot.token)).rejects.toThrow('not allowed to push code to protected branches');
    expect(scene.sim.mergeRequestAt(at).headSha).toBe(before);
    scene.sim.protectBranch({ project, pattern: 'feature', push: 30, merge: 30 });
    await git('push', '--quiet', 'origin', 'feature');
    expect(scene.sim.mergeRequestAt(at).headSha).not.toBe(before);
  });

  it('gives any commit, also one that no branch holds any more', async () => {
    const before = scene.sim.mergeRequestAt(at).headSha;
    await scene.sim.moveBranch({ project, as: 'author', branch: 'feature', to: 'refs/heads/main' });
    await git('init', '--quiet');
    await git('fetch', '--quiet', '--depth=1', address(scene.bot.token), before);
    expect(await git('rev-parse', 'FETCH_HEAD')).toBe(before);
  });

  it('takes a push as one: a new version and an update with oldrev', async () => {
    scene.sim.addProjectHook({ project, url: 'http://127.0.0.1:9/', events: ['merge_requests_events', 'push_events'] });
    const before = scene.sim.mergeRequestAt(at).headSha;
    const head = await pushOne(scene.author.token);
    await scene.sim.until(() => scene.sim.deliveries.length === 2);
    const [push, update] = scene.sim.deliveries.map((delivery) => JSON.parse(delivery.body));
    expect(push).toMatchObject({ object_kind: 'push', before, after: head, user_username: 'author' });
    expect(update.object_attributes).toMatchObject({ action: 'update', oldrev: before, last_commit: { id: head } });
    expect((await refsOf(scene)).head_sha).toBe(head);
  });

  it.each<[string, () => string | null, RegExp]>([
    ['nobody', () => null, /could not read Username|Authentication failed/],
    ['a wrong token', () => 'wrong', /Authentication failed/],
    ['a stranger', () => scene.outsider.token, /not found/],
    ['a token of another scope', () => scene.sim.createToken('author', ['read_user']), /403/],
  ])('is closed to %s', async (_, token, words) => {
    await expect(git('ls-remote', address(token()))).rejects.toThrow(words);
  });

  it('is read, but not written, with read_repository', async () => {
    const reader = scene.sim.createProjectAccessToken(project, { scopes: ['read_repository'] });
    await expect(pushOne(reader.token)).rejects.toThrow(/403/);
    expect(await git('rev-parse', 'HEAD~1')).toBe(scene.sim.mergeRequestAt(at).headSha);
  });

  it('is read, but not written, by a reporter', async () => {
    scene.sim.addMember(project, 'outsider', 20);
    await expect(pushOne(scene.outsider.token)).rejects.toThrow(/403/);
    expect(scene.sim.mergeRequestAt(at).versions).toHaveLength(1);
  });

  it('lets nobody write the refs of merge requests', async () => {
    await git('clone', '--quiet', address(scene.owner.token), '.');
    await expect(git('push', '--quiet', 'origin', 'HEAD:refs/merge-requests/1/head')).rejects.toThrow(/hidden ref/);
  });
});

describe('the page of a merge request', () => {
  const page = async (path: string) => {
    const answer = await fetch(`${scene.sim.url}${path}`);
    return { status: answer.status, text: await answer.text() };
  };

  it('shows title, threads with their lines, notes and statuses, and no drafts', async () => {
    await postThread(scene, { new: 4 }, 'a **finding**');
    await scene.sim.comment({ ...at, as: 'author', body: '<script>plain</script>' });
    await scene.api(scene.bot, 'POST', `${mrPath}/draft_notes`, { note: 'unpublished' });
    const sha = scene.sim.mergeRequestAt(at).headSha;
    await scene.sim.setStatus({ project, sha, name: 'fixpoint', state: 'failed', as: scene.bot.login });
    const { status, text } = await page(`/${project}/-/merge_requests/1`);
    expect(status).toBe(200);
    for (const part of ['Change a', '!1', '<strong>finding</strong>', 'THREE', 'fixpoint', 'failed'])
      expect(text).toContain(part);
    for (const part of ['<script>', 'unpublished']) expect(text).not.toContain(part);
  });

  it('is reached from the list, has its diff beside it, and is a 404 where there is none', async () => {
    expect((await page('/')).text).toContain(`${scene.sim.url}/${project}/-/merge_requests/1`);
    expect((await page(`/${project}`)).text).toContain('Change a');
    expect((await page(`/${project}/-/merge_requests/1.diff`)).text).toContain('+THREE');
    expect((await page(`/${project}/-/merge_requests/9`)).status).toBe(404);
  });
});

it('an installation under a path answers there and names itself so', async () => {
  const inner = await openScene({ publicUrl: 'http://127.0.0.1:1/code' });
  const call = (path: string) =>
    fetch(`http://127.0.0.1:${inner.sim.port}/code${path}`, { headers: { 'private-token': inner.bot.token } });
  const mr = await (await call(`/api/v4${mrPath}`)).json();
  expect(mr).toMatchObject({ web_url: `http://127.0.0.1:1/code/${project}/-/merge_requests/1` });
  const listed = await call(`/api/v4${mrPath}/notes`);
  expect(listed.headers.get('link')).toContain('<http://127.0.0.1:1/code/api/v4/projects/1/');
  expect((await call(`/${project}.git/info/refs?service=git-upload-pack`)).status).toBe(401);
  await inner.end();
});

describe('gitbeaker (forges.md 3.8)', () => {
  const client = () => new Gitlab({ host: scene.sim.url, token: scene.bot.token });

  it('sends a discussion with a position as a form, whose line feeds arrive as CR LF', async () => {
    const refs = await refsOf(scene);
    await client().MergeRequestDiscussions.create(1, 1, 'two\nlines', {
      position: {
        baseSha: refs.base_sha,
        startSha: refs.start_sha,
        headSha: refs.head_sha,
        positionType: 'text',
        oldPath: 'a.txt',
        newPath: 'a.txt',
        newLine: '4',
        lineRange: {
          start: { type: 'new', lineCode: `${'0'.repeat(40)}_4_4`, newLine: 4 },
          end: { type: 'new', lineCode: `${'0'.repeat(40)}_4_4`, newLine: 4 },
        },
      },
    });
    expect(scene.sim.requests.at(-1)?.body).toContain('two\r\nlines');
    expect(scene.sim.snapshot(project, 1).threads).toMatchObject([
      { place: { path: 'a.txt', newLine: 4 }, notes: [{ body: 'two\nlines' }] },
    ]);
    expect(scene.sim.mergeRequestAt(at).notes[0]?.originalPosition?.line_range).toMatchObject({
      start: { type: 'new', new_line: 4 },
    });
  });

  it('reads merge request, discussions in pages, drafts and statuses', async () => {
    const { sim, bot } = scene;
    for (let count = 0; count < 25; count += 1) await sim.comment({ ...at, as: 'author', body: `${count}` });
    const api = client();
    const draft = await api.MergeRequestDraftNotes.create(1, 1, 'draft');
    await api.Commits.editStatus(1, sim.mergeRequestAt(at).headSha, 'pending', { name: 'fixpoint', ref: 'feature' });
    expect(await api.MergeRequests.show(1, 1)).toMatchObject({ iid: 1, diff_refs: await refsOf(scene) });
    expect(await api.MergeRequestDiscussions.all(1, 1)).toHaveLength(25);
    expect(await api.MergeRequestDraftNotes.all(1, 1)).toMatchObject([{ id: draft.id, note: 'draft' }]);
    expect(await api.Commits.allStatuses(1, sim.mergeRequestAt(at).headSha)).toMatchObject([{ status: 'pending' }]);
    await api.MergeRequestDraftNotes.publishBulk(1, 1);
    expect(await api.Users.showCurrentUser()).toMatchObject({ id: bot.id });
    expect(sim.snapshot(project, 1)).toMatchObject({ drafts: [], threads: [{ notes: [{ body: 'draft' }] }] });
  });
});

describe('faults on purpose', () => {
  const post = () => scene.api(scene.bot, 'POST', `${mrPath}/notes`, { body: 'x' });
  const written = () => scene.sim.snapshot(project, 1).comments.length;
  const outcome = (attempt: Promise<unknown>) =>
    attempt.then(
      () => 'answered',
      () => 'broken',
    );

  it.each([
    ['status', 'before', 0],
    ['status', 'after', 1],
    ['reset', 'before', 0],
    ['reset', 'after', 1],
  ] as const)('%s %s the effect leaves %i notes', async (kind, when, count) => {
    scene.sim.fault({ method: 'POST' }, kind === 'status' ? { kind, status: 502, when } : { kind, when });
    expect(await outcome(post())).toBe(kind === 'status' ? 'answered' : 'broken');
    expect(written()).toBe(count);
  });

  it('cut an answer in half', async () => {
    scene.sim.fault({ method: 'POST' }, { kind: 'truncate' });
    expect([await outcome(post()), written()]).toEqual(['broken', 1]);
  });

  it('push in between', async () => {
    const push = { project, branch: 'feature', files: { b: 'x' }, message: 'b', author: 'author' };
    const before = await refsOf(scene);
    scene.sim.fault({ path: mrPath }, { kind: 'meanwhile', task: () => scene.sim.commitFiles(push), when: 'after' });
    expect([await refsOf(scene), (await refsOf(scene)).head_sha === before.head_sha]).toEqual([before, false]);
  });

  it('leave the same story the same in two installations', async () => {
    const other = await openScene();
    const story = async ({ sim, bot, api }: Scene) => {
      const id = await sim.startDiscussion({ ...at, as: bot.login, body: 'x', on: { path: 'a.txt', newLine: 4 } });
      await sim.replyToDiscussion({ ...at, as: 'author', discussion: id, body: 'y' });
      await api(bot, 'POST', `${mrPath}/notes`, { body: 'z' });
      return [sim.effects, sim.snapshot(project, 1)];
    };
    const [first, second] = [await story(scene), await story(other)];
    await other.end();
    expect(first).toEqual(second);
  });
});
