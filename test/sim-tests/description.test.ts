import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { sharedData } from '../support/shared-data.ts';
import { minimalDescription } from '../sim/forgejo/description.ts';
import { routesFor } from '../sim/forgejo/router.ts';
import { flavours, isFlavour, traitsOf } from '../sim/forgejo/traits.ts';
import { openScene, repo, type Scene } from './support.ts';

const at = { repo, number: 1 };
const project = '/repos/acme/shop';
const absent = sharedData('openapi') === null;

/** Every route once, as a client would use them. */
const tour = async ({ sim, api, bot, owner, author }: Scene): Promise<Record<string, number>> => {
  const sha = sim.pullAt(at).headSha;
  const inline = { path: 'a.txt', body: 'b', new_position: 4, old_position: 0 };
  const comment = sim.comment({ ...at, as: 'fixpoint', body: 'x' });
  const steps: readonly [Scene['bot'], string, string, unknown?][] = [
    [bot, 'GET', '/version'],
    [bot, 'GET', '/settings/api'],
    [bot, 'GET', '/user'],
    [bot, 'GET', '/users/author'],
    [bot, 'GET', '/repositories/1'],
    [bot, 'GET', project],
    [bot, 'GET', `${project}/pulls?state=open&sort=recentupdate&limit=50`],
    [bot, 'GET', `${project}/pulls/1`],
    [bot, 'GET', `${project}/pulls/1.diff`],
    [bot, 'GET', `${project}/pulls/1/files`],
    [bot, 'POST', `${project}/pulls/1/reviews`, { event: 'COMMENT', body: 'x', commit_id: sha, comments: [inline] }],
    [bot, 'GET', `${project}/pulls/1/reviews`],
    [bot, 'GET', `${project}/pulls/1/reviews/1`],
    [bot, 'GET', `${project}/pulls/1/reviews/1/comments`],
    [bot, 'POST', `${project}/pulls/1/reviews`, { event: 'APPROVED', body: 'x', commit_id: sha, comments: [] }],
    [owner, 'POST', `${project}/pulls/1/reviews/2/dismissals`, { message: 'm', priors: false }],
    [author, 'POST', `${project}/pulls/1/requested_reviewers`, { reviewers: ['fixpoint'], team_reviewers: [] }],
    [author, 'DELETE', `${project}/pulls/1/requested_reviewers`, { reviewers: ['fixpoint'] }],
    [bot, 'GET', `${project}/reviewers`],
    [bot, 'GET', `${project}/assignees`],
    [bot, 'GET', `${project}/collaborators/fixpoint/permission`],
    [bot, 'GET', `${project}/branches`],
    [bot, 'GET', `${project}/branches/main`],
    [bot, 'GET', `${project}/raw/a.txt?ref=main`],
    [bot, 'GET', `${project}/contents/a.txt`],
    [bot, 'GET', `${project}/issues/1/comments`],
    [bot, 'POST', `${project}/issues/1/comments`, { body: 'x' }],
    [bot, 'GET', `${project}/issues/comments/${comment}`],
    [bot, 'PATCH', `${project}/issues/comments/${comment}`, { body: 'y' }],
    [bot, 'POST', `${project}/issues/comments/${comment}/reactions`, { content: 'eyes' }],
    [bot, 'GET', `${project}/issues/comments/${comment}/reactions`],
    [bot, 'DELETE', `${project}/issues/comments/${comment}/reactions`, { content: 'eyes' }],
    [bot, 'DELETE', `${project}/issues/comments/${comment}`],
    [bot, 'GET', `${project}/issues/1/timeline`],
    [bot, 'POST', `${project}/labels`, { name: 'bug', color: '#ee0701' }],
    [bot, 'POST', `${project}/issues/1/labels`, { labels: ['bug'] }],
    [bot, 'GET', `${project}/labels`],
    [bot, 'POST', `${project}/statuses/${sha}`, { state: 'pending', context: 'c', description: 'd', target_url: '' }],
    [bot, 'GET', `${project}/statuses/${sha}`],
    [bot, 'GET', `${project}/commits/${sha}/statuses`],
    [bot, 'GET', `${project}/commits/${sha}/status`],
    [
      owner,
      'POST',
      `${project}/hooks`,
      {
        type: sim.traits.product,
        config: { url: 'http://127.0.0.1:1/', content_type: 'json' },
        events: ['push'],
        active: false,
      },
    ],
    [owner, 'GET', `${project}/hooks`],
    [author, 'PATCH', `${project}/pulls/1`, { title: 'New title', body: 'New body', state: 'open' }],
  ];
  const statuses: Record<string, number> = {};
  for (const [as, method, path, body] of steps)
    statuses[`${method} ${path}`] = (await api(as, method, path, body)).status;
  return statuses;
};

// 1.25 and 1.27 are held against the file of 1.26.
const described = flavours.filter(isFlavour).filter((flavour) => !/1\.2[57]$/.test(flavour));

describe('the API description', () => {
  it.each(process.env['FIXPOINT_DEEP'] === '1' ? flavours.filter(isFlavour) : described)(
    'of %s fits a tour of all routes',
    async (flavour) => {
      const scene = await openScene({ flavour });
      const statuses = await tour(scene);
      // Ends by throwing when an exchange did not fit.
      await scene.end();
      expect(Object.entries(statuses).filter(([, status]) => status >= 300)).toEqual([]);
    },
  );

  it.skipIf(absent)('catches what clients get wrong (skipped without the shared data)', async () => {
    const scene = await openScene();
    const post = (path: string, body: unknown) => scene.api(scene.bot, 'POST', `${project}${path}`, body);
    await post('/pulls/1/reviews', { event: 'COMMENT', body: 'x', comment: [] });
    await post('/issues/1/comments', { body: 1 });
    await post('/pulls/1/comments/1/resolve', {});
    await scene.api(scene.bot, 'PUT', `${project}/pulls/1`, {});
    const { violations } = scene.sim;
    await scene.end('expected');
    expect(violations).toEqual([
      'POST /repos/{owner}/{repo}/pulls/{index}/reviews: request must NOT have additional properties',
      'POST /repos/{owner}/{repo}/issues/{index}/comments: request/body must be string',
      'POST /repos/acme/shop/pulls/1/comments/1/resolve: no such route here',
      'PUT /repos/acme/shop/pulls/1: other method',
    ]);
  });

  it.each(flavours.filter(isFlavour))('of %s tells what the release can do', async (flavour) => {
    const scene = await openScene({ flavour });
    const Served = z.object({ paths: z.record(z.string(), z.unknown()) });
    const served = Served.parse(await (await fetch(`${scene.sim.url}/swagger.v1.json`)).json());
    const own = (await fetch(`${scene.sim.url}/api/forgejo/v1/version`)).status;
    await scene.end();
    const pulls = '/repos/{owner}/{repo}/pulls';
    const { traits } = scene.sim;
    expect(Object.hasOwn(served.paths, `${pulls}/comments/{id}/resolve`)).toBe(traits.resolve);
    expect(Object.hasOwn(served.paths, `${pulls}/{index}/comments/{id}/replies`)).toBe(traits.replies);
    expect(Object.hasOwn(served.paths, `${pulls}/{index}/reviews/{id}/comments/{comment}`)).toBe(traits.reviewComments);
    expect(own).toBe(traits.product === 'forgejo' ? 200 : 404);
  });

  it('made without the real one lists the same routes and fields', () => {
    const traits = traitsOf('forgejo-16');
    const { paths, definitions } = minimalDescription(routesFor(traits), traits);
    expect(Object.keys(paths['/repos/{owner}/{repo}/pulls/{index}/reviews'] ?? {})).toEqual(['get', 'post']);
    expect(definitions).toMatchObject({ CreatePullReviewComment: { properties: { extra_lines_count: {} } } });
  });
});

describe('what only some releases have (forges.md 1)', () => {
  const withInline = async (flavour: 'forgejo-16' | 'gitea-1.25' | 'gitea-1.26' | 'gitea-1.27') => {
    const scene = await openScene({ flavour });
    const inline = { path: 'a.txt', body: 'b', new_position: 4, extra_lines_count: 1 };
    const { extra_lines_count: _, ...plain } = inline;
    const comments = [scene.sim.traits.extraLines ? inline : plain];
    await scene.api(scene.bot, 'POST', `${project}/pulls/1/reviews`, { event: 'COMMENT', body: 'x', comments });
    const id = scene.sim.pullAt(at).comments.find((comment) => comment.kind === 'code')?.id ?? 0;
    const read = async () => (await scene.api(scene.bot, 'GET', `${project}/pulls/1/reviews/1/comments`)).json;
    return { scene, id, read };
  };

  it('Gitea 1.26 resolves by API, and the resolver is what shows it', async () => {
    const { scene, id, read } = await withInline('gitea-1.26');
    const resolve = (verb: string) => scene.api(scene.bot, 'POST', `${project}/pulls/comments/${id}/${verb}`);
    expect((await resolve('resolve')).status).toBe(204);
    expect(await read()).toMatchObject([{ resolver: { login: 'fixpoint' } }]);
    await resolve('unresolve');
    expect(await read()).toMatchObject([{ resolver: null }]);
    await scene.end();
  });

  it('Gitea 1.25 and Forgejo have no such route, and only the web page resolves', async () => {
    for (const flavour of ['gitea-1.25', 'forgejo-16'] as const) {
      const { scene, id, read } = await withInline(flavour);
      expect((await scene.api(scene.bot, 'POST', `${project}/pulls/comments/${id}/resolve`)).status).toBe(405);
      scene.sim.resolveThread({ ...at, as: 'author', comment: id, resolved: true });
      expect(await read()).toMatchObject([{ resolver: { login: 'author' } }]);
      await scene.end('expected');
    }
  });

  it('Gitea 1.27 replies by its own route and deletes inline comments', async () => {
    const { scene, id, read } = await withInline('gitea-1.27');
    const reply = await scene.api(scene.author, 'POST', `${project}/pulls/1/comments/${id}/replies`, { body: 'r' });
    expect(reply.json).toMatchObject({ body: 'r', path: 'a.txt', position: 4 });
    await scene.api(scene.bot, 'DELETE', `${project}/issues/comments/${id}`);
    expect(await read()).toMatchObject([{ body: 'r' }]);
    await scene.end();
  });

  it('Forgejo 16 spans lines, up to a limit', async () => {
    const { scene, read } = await withInline('forgejo-16');
    expect(await read()).toMatchObject([{ extra_lines_count: 1 }]);
    const comments = [{ path: 'a.txt', body: 'b', new_position: 4, extra_lines_count: 1000 }];
    const refused = await scene.api(scene.bot, 'POST', `${project}/pulls/1/reviews`, { event: 'COMMENT', comments });
    expect(refused.status).toBe(422);
    await scene.end();
  });

  it.each([
    ['gitea-1.26', 422],
    ['forgejo-15', 200],
  ] as const)('%s answers %i to an approval of a closed pull request', async (flavour, status) => {
    const scene = await openScene({ flavour });
    scene.sim.setState({ ...at, as: 'author' }, 'closed');
    const answer = await scene.api(scene.bot, 'POST', `${project}/pulls/1/reviews`, { event: 'APPROVED' });
    await scene.end();
    expect(answer.status).toBe(status);
  });
});
