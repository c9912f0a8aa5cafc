import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { openScene, repo, type Scene } from './support.ts';

const at = { repo, number: 1 };
const project = '/repos/acme/shop';
const Ids = z.array(z.object({ id: z.number(), body: z.string() }));

let scene: Scene;
beforeEach(async () => {
  scene = await openScene();
});
afterEach(() => scene.end());

const inline = async (): Promise<number> => {
  const comments = [{ path: 'a.txt', line: 4, body: 'inline' }];
  await scene.sim.review({ ...at, as: 'fixpoint', event: 'COMMENT', body: 'review', comments });
  return scene.sim.pullAt(at).comments.find((comment) => comment.kind === 'code')?.id ?? 0;
};

describe('comments (Forgejo routers/api/v1/repo/issue_comment.go, forges.md 5.3 and 5.4)', () => {
  it('lists ordinary ones only, whole, whatever page and limit say', async () => {
    await inline();
    for (let count = 0; count < 60; count += 1) scene.sim.comment({ ...at, as: 'author', body: `c${count}` });
    const answer = await scene.api(scene.bot, 'GET', `${project}/issues/1/comments?page=2&limit=10`);
    expect(Ids.parse(answer.json).length).toBe(60);
    expect(answer.headers.get('x-total-count')).toBe('60');
  });

  it('answers 204 for an inline comment and pretends to delete it', async () => {
    const id = await inline();
    const path = `${project}/issues/comments/${id}`;
    const got = await scene.api(scene.bot, 'GET', path);
    const deleted = await scene.api(scene.bot, 'DELETE', path);
    expect([got.status, got.json, deleted.status]).toEqual([204, '', 204]);
    expect(scene.sim.snapshot(repo, 1).reviews[0]?.inline.length).toBe(1);
  });

  it('edits inline comments all the same, and deletes them through their review', async () => {
    const id = await inline();
    const edited = await scene.api(scene.bot, 'PATCH', `${project}/issues/comments/${id}`, { body: 'fixed' });
    expect([edited.status, scene.sim.snapshot(repo, 1).reviews[0]?.inline[0]?.body]).toEqual([200, 'fixed']);
    const deleted = await scene.api(scene.bot, 'DELETE', `${project}/pulls/1/reviews/1/comments/${id}`);
    expect([deleted.status, scene.sim.snapshot(repo, 1).reviews[0]?.inline]).toEqual([204, []]);
  });

  it('keeps those who only read from editing and deleting', async () => {
    const id = scene.sim.comment({ ...at, as: 'author', body: 'mine' });
    const path = `${project}/issues/comments/${id}`;
    scene.sim.addCollaborator(repo, 'outsider', 'read');
    expect((await scene.api(scene.outsider, 'PATCH', path, { body: 'yours' })).status).toBe(403);
    expect((await scene.api(scene.outsider, 'DELETE', path)).status).toBe(403);
    expect((await scene.api(scene.author, 'DELETE', path)).status).toBe(204);
  });

  it('takes a reaction once, from the allowed set', async () => {
    const path = `${project}/issues/comments/${scene.sim.comment({ ...at, as: 'author', body: 'x' })}/reactions`;
    const statuses = [];
    for (const content of ['eyes', 'eyes', 'thumbsup'])
      statuses.push((await scene.api(scene.bot, 'POST', path, { content })).status);
    expect(statuses).toEqual([201, 200, 403]);
  });

  it('refuses readers on a locked conversation', async () => {
    scene.sim.addCollaborator(repo, 'outsider', 'read');
    scene.sim.setLocked(at, true);
    const path = `${project}/issues/1/comments`;
    expect((await scene.api(scene.outsider, 'POST', path, { body: 'x' })).status).toBe(403);
    expect((await scene.api(scene.bot, 'POST', path, { body: 'x' })).status).toBe(201);
  });

  it('leaves inline comments out of the timeline', async () => {
    const id = await inline();
    const entries = z
      .array(z.object({ id: z.number(), type: z.string(), review_id: z.number() }))
      .parse((await scene.api(scene.bot, 'GET', `${project}/issues/1/timeline`)).json);
    expect(entries.filter((entry) => entry.id === id || entry.type === 'code')).toEqual([]);
    expect(entries.map((entry) => entry.type)).toContain('review');
  });

  it('hides what its reader has just written while reading lags', async () => {
    scene.sim.setReadLag(3000);
    const path = `${project}/issues/1/comments`;
    await scene.api(scene.bot, 'POST', path, { body: 'x' });
    const count = async (as = scene.bot) => Ids.parse((await scene.api(as, 'GET', path)).json).length;
    expect([await count(), await count(scene.author)]).toEqual([0, 1]);
    scene.advance(3000);
    expect(await count()).toBe(1);
  });
});

describe('statuses (Forgejo services/repository/commitstatus, forges.md 5.4)', () => {
  const head = () => scene.sim.pullAt(at).headSha;
  const post = (as: Scene['bot'], state: string, context = 'fixpoint') =>
    scene.api(as, 'POST', `${project}/statuses/${head()}`, { state, context, description: 'd' });

  it('need write access to the code', async () => {
    scene.sim.addCollaborator(repo, 'outsider', 'read');
    expect([(await post(scene.outsider, 'success')).status, (await post(scene.bot, 'success')).status]).toEqual([
      403, 201,
    ]);
  });

  it('are appended, newest first, and the newest per context counts', async () => {
    await post(scene.bot, 'failure');
    await post(scene.bot, 'success', 'ci');
    await post(scene.bot, 'success');
    const Row = z.object({ context: z.string(), status: z.string() });
    const rows = z.array(Row).parse((await scene.api(scene.bot, 'GET', `${project}/statuses/${head()}`)).json);
    expect(rows.map((row) => [row.context, row.status])).toEqual([
      ['fixpoint', 'success'],
      ['ci', 'success'],
      ['fixpoint', 'failure'],
    ]);
    const combined = (await scene.api(scene.bot, 'GET', `${project}/commits/${head()}/status`)).json;
    expect(combined).toMatchObject({ state: 'success', total_count: 2 });
  });

  it('set off a scheduled merge by success', async () => {
    scene.sim.scheduleMerge(at);
    await post(scene.bot, 'pending');
    expect(scene.sim.pullAt(at).merged).toBe(false);
    await post(scene.bot, 'success');
    expect(scene.sim.pullAt(at).merged).toBe(true);
  });

  it.each([
    ['forgejo-15', 'skipped', 201],
    ['gitea-1.26', 'skipped', 201],
    ['forgejo-15', 'failed', 201],
  ] as const)('on %s the state %s answers %i', async (flavour, state, status) => {
    const other = await openScene({ flavour });
    const sha = other.sim.pullAt(at).headSha;
    const answer = await other.api(other.bot, 'POST', `${project}/statuses/${sha}`, { state, context: 'x' });
    await other.end();
    expect(answer.status).toBe(status);
  });
});
