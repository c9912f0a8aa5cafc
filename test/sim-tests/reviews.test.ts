import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { repo, useScene } from './support.ts';

const Review = z.object({
  id: z.number(),
  state: z.string(),
  body: z.string(),
  commit_id: z.string(),
  stale: z.boolean(),
  official: z.boolean(),
  comments_count: z.number(),
});
const Inline = z.object({
  id: z.number(),
  path: z.string(),
  position: z.number(),
  original_position: z.number(),
  commit_id: z.string(),
  diff_hunk: z.string(),
  body: z.string(),
});

const reviews = '/repos/acme/shop/pulls/1/reviews';
const inline = (line: number, side: 'new' | 'old' = 'new', path = 'a.txt'): Record<string, unknown> => ({
  path,
  body: `on ${side} ${line}`,
  new_position: side === 'new' ? line : 0,
  old_position: side === 'old' ? line : 0,
});

/** The calls of these tests, bound to the block's scene(). */
const use = (how: 'each' | 'once', options: Parameters<typeof useScene>[1] = {}) => {
  const scene = useScene(how, options);
  return {
    scene,
    post: (body: unknown, as = scene().bot) => scene().api(as, 'POST', reviews, body),
    list: async (as = scene().bot) => z.array(Review).parse((await scene().api(as, 'GET', reviews)).json),
    inlineOf: async (id: number) =>
      z.array(Inline).parse((await scene().api(scene().bot, 'GET', `${reviews}/${id}/comments`)).json),
    pull: () => scene().sim.pullAt({ repo, number: 1 }),
  };
};

describe('the event of a review (Forgejo routers/api/v1/repo/pull_review.go, forges.md 5.3)', () => {
  const { scene, post } = use('once');

  it.each([
    ['APPROVED', 'APPROVED'],
    ['REQUEST_CHANGES', 'REQUEST_CHANGES'],
    ['COMMENT', 'COMMENT'],
    ['APPROVE', 'PENDING'],
    ['comment', 'PENDING'],
    ['', 'PENDING'],
  ])('%j is stored as %s', async (event, state) => {
    const answer = await post({ event, body: 'text' });
    expect([answer.status, Review.parse(answer.json).state]).toEqual([200, state]);
  });

  it.each([
    ['REQUEST_CHANGES', ' ', true, 422],
    ['PENDING', '', true, 422],
    ['COMMENT', '', false, 422],
    ['COMMENT', '', true, 200],
    ['APPROVED', '', false, 200],
  ])('%s with body %j and inline comments %s answers %i', async (event, body, withInline, status) => {
    const comments = withInline ? [inline(4)] : [];
    expect((await post({ event, body, comments })).status).toBe(status);
  });

  it.each([
    ['APPROVED', 422],
    ['REQUEST_CHANGES', 422],
    ['COMMENT', 200],
  ])('%s on the own pull request answers %i', async (event, status) => {
    expect((await post({ event, body: 'text' }, scene().author)).status).toBe(status);
  });
});

describe('the commit of a review (Forgejo services/pull/review.go, forges.md 5.3)', () => {
  const { scene, post, list, pull } = use('each');

  it('stores a decision on an older commit as stale only when the change differs', async () => {
    const old = pull().headSha;
    await scene().sim.commitFiles({ repo, branch: 'feature', files: {}, message: 'empty', author: 'author' });
    const same = Review.parse((await post({ event: 'APPROVED', body: '', commit_id: old })).json);
    await scene().sim.commitFiles({
      repo,
      branch: 'feature',
      files: { 'b.txt': 'b\n' },
      message: 'b',
      author: 'author',
    });
    const other = Review.parse((await post({ event: 'REQUEST_CHANGES', body: 'no', commit_id: old })).json);
    const comment = Review.parse((await post({ event: 'COMMENT', body: 'hm', commit_id: old })).json);
    expect([same.stale, other.stale, comment.stale]).toEqual([false, true, false]);
  });

  it('lands on the newest head when no commit is named', async () => {
    await scene().sim.commitFiles({
      repo,
      branch: 'feature',
      files: { 'b.txt': 'b\n' },
      message: 'b',
      author: 'author',
    });
    expect(Review.parse((await post({ event: 'COMMENT', body: 'x' })).json).commit_id).toBe(pull().headSha);
  });

  it('lets only the newest decision of one person be official', async () => {
    await post({ event: 'REQUEST_CHANGES', body: 'no' });
    await post({ event: 'APPROVED', body: '' });
    expect((await list()).map((review) => review.official)).toEqual([false, true]);
  });
});

describe('the pending review (Forgejo services/pull/review.go, forges.md 5.3)', () => {
  const { scene, post, list, inlineOf } = use('each');

  it('keeps the comments before the one that failed, and gives them to the next submission', async () => {
    const failed = await post({ event: 'COMMENT', body: 'first', comments: [inline(4), inline(0), inline(5)] });
    expect(failed.status).toBe(500);
    expect((await list()).map(({ state, comments_count }) => [state, comments_count])).toEqual([['PENDING', 1]]);
    const next = Review.parse((await post({ event: 'COMMENT', body: 'second', comments: [inline(6)] })).json);
    expect((await inlineOf(next.id)).map(({ body }) => body).toSorted()).toEqual(['on new 4', 'on new 6']);
  });

  it('is one for all that an account does at the same time', async () => {
    const event = 'COMMENT';
    await Promise.all([
      post({ event, body: 'a', comments: [inline(4), inline(5)] }),
      post({ event, body: 'b', comments: [inline(6), inline(7)] }),
    ]);
    const counts = (await list()).map((review) => review.comments_count);
    expect(counts.reduce((sum, count) => sum + count, 0)).toBe(4);
    expect(counts).not.toEqual([2, 2]);
  });

  it('does not exist for anybody else', async () => {
    const { id } = Review.parse((await post({ event: '', body: 'draft', comments: [inline(4)] })).json);
    expect((await scene().api(scene().author, 'GET', `${reviews}/${id}`)).status).toBe(404);
    expect(await list(scene().author)).toEqual([]);
    expect((await list()).length).toBe(1);
  });

  it('can be submitted, and deleted by its author only', async () => {
    const { id } = Review.parse((await post({ event: '', body: 'draft' })).json);
    const done = await scene().api(scene().bot, 'POST', `${reviews}/${id}`, { event: 'COMMENT', body: 'done' });
    expect(Review.parse(done.json)).toMatchObject({ state: 'COMMENT', body: 'done' });
    expect((await scene().api(scene().author, 'DELETE', `${reviews}/${id}`)).status).toBe(403);
    expect((await scene().api(scene().bot, 'DELETE', `${reviews}/${id}`)).status).toBe(204);
    expect(await list()).toEqual([]);
  });
});

describe('the position of an inline comment (Forgejo services/pull/review.go, forges.md 5.3)', () => {
  const { post, inlineOf, pull } = use('once');

  const placed = async (comment: Record<string, unknown>) => {
    const answer = await post({ event: 'COMMENT', body: 'x', comments: [comment] });
    const [only] = answer.status === 200 ? await inlineOf(Review.parse(answer.json).id) : [];
    return { status: answer.status, only };
  };

  it('is read back as the blamed line of the blamed commit', async () => {
    const { only } = await placed(inline(5));
    // Line 5 of the head is "four", which the first commit wrote as its line 4.
    expect(only).toMatchObject({ position: 4, original_position: 0, commit_id: pull().mergeBase });
  });

  it('stays where it was sent on a line that the head itself wrote', async () => {
    const { only } = await placed(inline(4));
    expect(only).toMatchObject({ position: 4, commit_id: pull().headSha });
    expect(only?.diff_hunk).toBe(
      '@@ -2,2 +3,2 @@\n two\n-three\n+THREE'.replace('-2,2 +3,2', '-1,3 +2,3').replace(' two', ' one\n two'),
    );
  });

  it('prefers the old side as soon as it is given', async () => {
    const { only } = await placed({ path: 'a.txt', body: 'x', new_position: 4, old_position: 3 });
    expect(only).toMatchObject({ position: 0, original_position: 3 });
  });

  it.each([
    ['a line past the end', inline(99), 200, ''],
    ['a path that is not there', inline(1, 'new', 'nowhere.txt'), 200, ''],
    ['line 0 on both sides', inline(0), 500, undefined],
    ['an old line past the end', inline(99, 'old'), 500, undefined],
  ])('%s answers as the real one', async (_, comment, status, hunk) => {
    const found = await placed(comment);
    expect([found.status, found.only?.diff_hunk]).toEqual([status, hunk]);
  });

  it('comes back in no order', async () => {
    const comments = [4, 1, 12, 5, 6, 7].map((line) => inline(line));
    const { id } = Review.parse((await post({ event: 'COMMENT', body: 'x', comments })).json);
    const orders = new Set<string>();
    for (let turn = 0; turn < 5; turn += 1) orders.add((await inlineOf(id)).map((one) => one.id).join());
    expect(orders.size).toBeGreaterThan(1);
  });
});

describe('the position of an inline comment on Gitea (services/pull/review.go of v1.26.5)', () => {
  const { post, inlineOf, pull } = use('once', { flavour: 'gitea-1.26' });

  it.each([
    ['a line that an older commit wrote', inline(5), 5, 0, 'mergeBase'],
    ['a line that the head wrote', inline(4), 4, 0, 'headSha'],
    ['an old line', inline(3, 'old'), 0, 3, 'headSha'],
    ['an old line past the end', inline(99, 'old'), 0, 99, 'headSha'],
    ['line 0 on both sides', inline(0), 0, 0, 'headSha'],
    ['a path that is not there', inline(1, 'new', 'nowhere.txt'), 1, 0, 'headSha'],
  ] as const)('is kept as sent: %s', async (_, comment, position, oldPosition, commit) => {
    const answer = await post({ event: 'COMMENT', body: 'x', comments: [comment] });
    const [only] = await inlineOf(Review.parse(answer.json).id);
    expect(only).toMatchObject({ position, original_position: oldPosition, commit_id: pull()[commit] });
  });

  it('is a 500 past the end of the new file', async () => {
    expect((await post({ event: 'COMMENT', body: 'x', comments: [inline(99)] })).status).toBe(500);
  });
});

describe('a reply (Forgejo models/issues/comment_code.go, forges.md 5.3)', () => {
  const { scene, post, inlineOf } = use('each');

  it('joins the conversation at the line as read back, on anybody’s review', async () => {
    const { id } = Review.parse((await post({ event: 'COMMENT', body: 'x', comments: [inline(5)] })).json);
    const answer = await scene().api(scene().author, 'POST', `${reviews}/${id}/comments`, inline(4));
    const [first, second] = (await inlineOf(id)).toSorted((left, right) => left.id - right.id);
    expect(answer.status).toBe(200);
    expect([second?.position, second?.commit_id]).toEqual([first?.position, first?.commit_id]);
  });

  it('opens another conversation when sent with the line as posted', async () => {
    const comments = [inline(6)];
    const { id } = Review.parse((await post({ event: 'COMMENT', body: 'x', comments })).json);
    await scene().api(scene().author, 'POST', `${reviews}/${id}/comments`, inline(4));
    expect(new Set((await inlineOf(id)).map((one) => one.position)).size).toBe(2);
  });
});

describe('review requests (Forgejo models/issues/review.go, forges.md 5.3, 5.4)', () => {
  const { scene } = use('each');

  const ask = (login: string) =>
    scene().api(scene().author, 'POST', '/repos/acme/shop/pulls/1/requested_reviewers', { reviewers: [login] });

  it.each([
    ['the author', 'author'],
    ['somebody who may not read', 'outsider'],
  ])('are refused for %s', async (_, login) => {
    expect((await ask(login)).status).toBe(422);
  });
});
