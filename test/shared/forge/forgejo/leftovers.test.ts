/** An account has one unpublished review at most; a new review would publish it. */
import { expect, it } from 'vitest';
import { withoutDraft } from '../../../../shared/forge/forgejo/leftovers.ts';
import { ApiReview } from '../../../../shared/forge/forgejo/api/schema.ts';

const BOT = 7;
const ANY = ApiReview.parse({
  id: 1,
  state: 'COMMENT',
  body: '',
  commit_id: 'a'.repeat(40),
  submitted_at: '2026-01-01T00:00:00Z',
  html_url: 'http://forge.test/r',
  user: { id: BOT, login: 'bot' },
});
const review = (id: number, state: string): ApiReview => ({ ...ANY, id, state });

/** Plays the reads one after the other; `mine` are the drafts that can be removed. */
const play = (reads: readonly (readonly ApiReview[])[], mine: readonly number[] = []) => {
  const removed: number[] = [];
  const left = [...reads];
  const outcome = withoutDraft(left.shift() ?? [], BOT, {
    read: () => Promise.resolve(left.shift() ?? []),
    remove: ({ id }) => {
      if (mine.includes(id)) removed.push(id);
      return Promise.resolve(mine.includes(id) ? 1 : 0);
    },
  });
  return outcome.then((reviews) => ({ ids: reviews?.map(({ id }) => id) ?? null, removed, unread: left.length }));
};

it.each([
  ['no draft', [[review(1, 'COMMENT')]], [], { ids: [1], removed: [] }],
  ['a draft of its own', [[review(1, 'PENDING')]], [1], { ids: [1], removed: [1] }],
  [
    'a draft of somebody who writes by hand',
    [[review(1, 'PENDING')], [review(1, 'PENDING')]],
    [],
    { ids: null, removed: [] },
  ],
  [
    'a draft that was published meanwhile',
    [[review(1, 'PENDING')], [review(1, 'COMMENT')]],
    [],
    { ids: [1], removed: [] },
  ],
  [
    'a published draft, and the next one of another poster',
    [[review(1, 'PENDING')], [review(1, 'COMMENT'), review(2, 'PENDING')]],
    [2],
    { ids: [1, 2], removed: [2] },
  ],
  [
    'a published draft, and one that stays',
    [[review(1, 'PENDING')], [review(2, 'PENDING')], [review(2, 'PENDING')]],
    [],
    { ids: null, removed: [] },
  ],
])('before a review is submitted: %s', async (_name, reads, mine, expected) => {
  expect(await play(reads, mine)).toMatchObject({ ...expected, unread: 0 });
});

it('gives up when drafts come and go without an end', async () => {
  const reads = Array.from({ length: 20 }, (_each, index) => [review(index, 'PENDING')]);
  expect((await play(reads)).ids).toBeNull();
});
