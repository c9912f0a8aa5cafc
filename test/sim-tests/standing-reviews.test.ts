import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { useScene } from './support.ts';

const Review = z.object({
  id: z.number(),
  user: z.object({ login: z.string() }),
  state: z.string(),
  official: z.boolean(),
  dismissed: z.boolean(),
});

const pull = '/repos/acme/shop/pulls/1';
const inline = [{ path: 'a.txt', body: 'here', new_position: 1, old_position: 0 }];

/** As a real Gitea 1.26.5 answers; where Forgejo's source differs, the table says so. */
describe.each(['forgejo-16', 'gitea-1.26'] as const)('what counts of the reviews of one person on %s', (flavour) => {
  const scene = useScene('each', { flavour });
  const isGitea = flavour === 'gitea-1.26';
  const bot = () => scene().bot;

  const post = (body: unknown) => scene().api(bot(), 'POST', `${pull}/reviews`, body);
  const ask = (method: 'POST' | 'DELETE') =>
    scene().api(scene().author, method, `${pull}/requested_reviewers`, { reviewers: ['fixpoint'] });
  const list = async () => z.array(Review).parse((await scene().api(bot(), 'GET', `${pull}/reviews`)).json);
  const shown = async (): Promise<readonly string[]> =>
    (await list()).map(({ state, official, dismissed }) =>
      [state, official ? 'official' : '', dismissed ? 'dismissed' : ''].filter((word) => word !== '').join(' '),
    );
  const requested = async (): Promise<readonly string[]> =>
    z
      .object({ requested_reviewers: z.array(z.object({ login: z.string() })) })
      .parse((await scene().api(bot(), 'GET', pull)).json)
      .requested_reviewers.map(({ login }) => login);

  it.each([
    ['a comment', { event: 'COMMENT', body: 'x' }, ['COMMENT']],
    ['a decision', { event: 'APPROVED', body: '' }, ['APPROVED official']],
    ['a decision with comments on lines', { event: 'APPROVED', body: '', comments: inline }, ['APPROVED official']],
    [
      'comments on lines',
      { event: 'COMMENT', body: 'x', comments: inline },
      isGitea ? ['COMMENT'] : ['REQUEST_REVIEW official', 'COMMENT'],
    ],
  ])('a request is a review, and %s ends it', async (_, review, left) => {
    await ask('POST');
    expect(await shown()).toEqual(['REQUEST_REVIEW official']);
    await post(review);
    expect(await shown()).toEqual(left);
  });

  it.each([
    ['a comment', { event: 'COMMENT', body: 'x' }, isGitea ? ['fixpoint'] : []],
    ['a decision', { event: 'APPROVED', body: '' }, ['fixpoint']],
  ])('whoever made %s unasked is called a requested reviewer', async (_, review, reviewers) => {
    await post(review);
    expect(await requested()).toEqual(reviewers);
  });

  it('a dismissed decision calls nobody a reviewer', async () => {
    await post({ event: 'APPROVED', body: '' });
    const [review] = await list();
    await scene().api(scene().owner, 'POST', `${pull}/reviews/${review?.id ?? 0}/dismissals`, { message: 'no' });
    expect(await requested()).toEqual([]);
  });

  it('a decision dismisses the earlier ones, but one with comments on lines does not', async () => {
    await post({ event: 'APPROVED', body: '' });
    await post({ event: 'REQUEST_CHANGES', body: 'no' });
    expect(await shown()).toEqual(['APPROVED dismissed', 'REQUEST_CHANGES official']);
    await post({ event: 'APPROVED', body: '', comments: inline });
    expect(await shown()).toEqual(['APPROVED dismissed', 'REQUEST_CHANGES', 'APPROVED official']);
  });

  it('the one before counts again when an official one is deleted', async () => {
    await post({ event: 'REQUEST_CHANGES', body: 'no' });
    await post({ event: 'APPROVED', body: '', comments: inline });
    await scene().api(bot(), 'DELETE', `${pull}/reviews/${(await list()).at(-1)?.id ?? 0}`);
    expect(await shown()).toEqual(['REQUEST_CHANGES official']);
  });

  it('a request takes the weight off a decision, and gives it back when it is withdrawn', async () => {
    await post({ event: 'REQUEST_CHANGES', body: 'no' });
    await ask('POST');
    expect(await shown()).toEqual(['REQUEST_CHANGES', 'REQUEST_REVIEW official']);
    await ask('DELETE');
    expect(await shown()).toEqual(['REQUEST_CHANGES official']);
  });

  it('a request cannot be deleted as a review', async () => {
    await ask('POST');
    const [request] = await list();
    expect((await scene().api(bot(), 'DELETE', `${pull}/reviews/${request?.id ?? 0}`)).status).toBe(500);
  });
});
