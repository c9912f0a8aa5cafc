import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { repo, useScene } from './support.ts';

const at = { repo, number: 1 };
const project = '/repos/acme/shop';

describe('who may see and do what (Forgejo routers/api/v1/api.go, forges.md 5.1)', () => {
  const scene = useScene('once');

  it.each([
    ['nobody', null, 404],
    ['an outsider', 'outsider', 404],
    ['a wrong token', 'wrong', 401],
    ['a collaborator', 'fixpoint', 200],
  ])('%s asking for a private pull request is answered %i', async (_, login, status) => {
    const token = login === null ? null : login === 'wrong' ? 'wrong' : scene().sim.createToken(login);
    expect((await scene().api(token, 'GET', `${project}/pulls/1`)).status).toBe(status);
  });

  it.each([
    ['Authorization: token', (token: string) => `token ${token}`],
    ['Authorization: Bearer', (token: string) => `Bearer ${token}`],
    ['basic authentication', (token: string) => `Basic ${Buffer.from(`any:${token}`).toString('base64')}`],
  ])('takes the token by %s', async (_, header) => {
    const headers = { authorization: header(scene().bot.token) };
    const answer = await fetch(`${scene().sim.url}/api/v1/user`, { headers });
    expect(await answer.json()).toMatchObject({ id: scene().bot.id, login: 'fixpoint' });
  });

  it.each([
    [['read:repository'], 'GET', `${project}/pulls/1`, 200],
    [['write:repository'], 'GET', `${project}/pulls/1`, 200],
    [['read:issue'], 'GET', `${project}/pulls/1`, 403],
    [['read:repository'], 'POST', `${project}/pulls/1/reviews`, 403],
    [['write:repository'], 'POST', `${project}/issues/1/comments`, 403],
    [['write:issue'], 'POST', `${project}/issues/1/comments`, 201],
    [['write:issue'], 'GET', '/user', 403],
    [['read:user'], 'GET', '/user', 200],
  ])('with the scopes %j %s %s answers %i', async (scopes, method, path, status) => {
    const token = scene().sim.createToken('fixpoint', scopes);
    const body = method === 'GET' ? undefined : { body: 'x' };
    expect((await scene().api(token, method, path, body)).status).toBe(status);
  });

  it.each([
    ['the owner about a writer', 'acme', 'author', 'write'],
    ['the owner about an outsider', 'acme', 'outsider', 'none'],
    ['a writer about itself', 'author', 'author', 'write'],
    ['a writer about another', 'fixpoint', 'author', 403],
    ['the owner about nobody', 'acme', 'nobody', 404],
  ])('lets %s ask for the permission', async (_, as, about, wanted) => {
    const token = scene().sim.createToken(as);
    const answer = await scene().api(token, 'GET', `${project}/collaborators/${about}/permission`);
    const found = z.object({ permission: z.string().optional() }).parse(answer.json);
    expect(found.permission ?? answer.status).toBe(wanted);
  });

  it('lists as assignees exactly those who may write', async () => {
    scene().sim.addCollaborator(repo, 'outsider', 'read');
    const answer = await scene().api(scene().bot, 'GET', `${project}/assignees`);
    const users = z.array(z.object({ login: z.string() })).parse(answer.json);
    expect(users.map((user) => user.login)).toEqual(['acme', 'author', 'fixpoint']);
  });

  it('stops at once for a revoked token and shows a removed account as Ghost', async () => {
    await scene().sim.review({ ...at, as: 'author', event: 'COMMENT', body: 'bye' });
    scene().sim.removeUser('author');
    expect((await scene().api(scene().author, 'GET', '/user')).status).toBe(401);
    const list = (await scene().api(scene().bot, 'GET', `${project}/pulls/1/reviews`)).json;
    expect(list).toMatchObject([{ user: { id: -1, login: 'Ghost' } }]);
  });
});

describe('paging (forges.md 5.1)', () => {
  const scene = useScene('each', { maxPageSize: 20 });

  it('cuts a large limit without a word and tells the end by X-Total-Count and Link', async () => {
    for (let count = 0; count < 45; count += 1)
      await scene().sim.review({ ...at, as: 'fixpoint', event: 'COMMENT', body: `r${count}` });
    const lengths: number[] = [];
    let path: string | undefined = `${project}/pulls/1/reviews?limit=100`;
    while (path !== undefined) {
      const answer = await scene().api(scene().bot, 'GET', path);
      lengths.push(z.array(z.unknown()).parse(answer.json).length);
      expect(answer.headers.get('x-total-count')).toBe('45');
      const next: string | undefined = /<([^>]+)>; rel="next"/.exec(answer.headers.get('link') ?? '')?.[1];
      path = next?.slice(`${scene().sim.url}/api/v1`.length);
    }
    expect(lengths).toEqual([20, 20, 5]);
    const beyond = await scene().api(scene().bot, 'GET', `${project}/pulls/1/reviews?page=4`);
    expect(beyond.json).toEqual([]);
  });

  it('sorts open pull requests by their last change', async () => {
    for (const title of ['two', 'three']) {
      await scene().sim.commitFiles({ repo, branch: title, files: { [title]: 'x' }, message: title, author: 'author' });
      scene().advance(1000);
      await scene().sim.openPullRequest({ repo, head: title, title, author: 'author' });
    }
    scene().advance(1000);
    scene().sim.comment({ ...at, as: 'author', body: 'x' });
    scene().sim.setState({ ...at, number: 2, as: 'author' }, 'closed');
    const numbers = async (query: string) =>
      z
        .array(z.object({ number: z.number() }))
        .parse((await scene().api(scene().bot, 'GET', `${project}/pulls?${query}`)).json)
        .map((pull) => pull.number);
    expect(await numbers('state=open&sort=recentupdate')).toEqual([1, 3]);
    expect(await numbers('state=all&sort=oldest')).toEqual([1, 2, 3]);
  });
});
