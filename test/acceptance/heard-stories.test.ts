/** Buttons, labels and inline comments of people, from the webhook to the visible result, without a sweep. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commitBase, open, runsOf, statusOf, textOf, verdictOf } from '../support/story.ts';
import { AUTHOR, BOT, OUTSIDER, REPO, STORY_MS, startStoryWorld, type StoryWorld } from '../support/story-world.ts';

const CLEAN = textOf('export const one = 1;');

let world: StoryWorld;

beforeAll(async () => {
  world = await startStoryWorld({ review: 'labels = ["please-review"]' });
  await commitBase(world, { 'README.md': '# Shop\n' });
}, STORY_MS);
afterAll(async () => world?.finish(), STORY_MS);

const begin = async (branch: string): Promise<number> => {
  const number = await open(world, { branch, files: { [`${branch}.js`]: CLEAN } });
  await world.decided(number, /^the label please-review is missing$/);
  return number;
};

const unreviewed = async (number: number): Promise<void> => {
  await world.calm();
  expect({ runs: await runsOf(world, number), status: statusOf(world, number) }).toEqual({
    runs: 0,
    status: 'pending',
  });
};

describe.sequential('a change request without the label that the filter waits for', () => {
  test(
    'F-R14: is reviewed as soon as it gets the label, and by no other one',
    async () => {
      const number = await begin('labelled');
      world.sim.addLabels({ repo: REPO, number, as: AUTHOR, labels: ['other'] });
      await unreviewed(number);
      world.sim.addLabels({ repo: REPO, number, as: AUTHOR, labels: ['please-review'] });
      expect(await verdictOf(world, number)).toBe('lgtm');
      expect(await runsOf(world, number)).toBe(1);
    },
    STORY_MS,
  );

  test(
    'F-E9: is not reviewed because its author, who may not write, presses the button, and is when one who may does',
    async () => {
      const fork = `${OUTSIDER}/shop`;
      await world.sim.forkRepo(REPO, OUTSIDER);
      const files = { 'foreign.js': CLEAN };
      await world.sim.commitFiles({ repo: fork, branch: 'foreign', files, message: 'Change\n', author: OUTSIDER });
      const wish = { repo: REPO, headRepo: fork, head: 'foreign', title: 'Change', author: OUTSIDER };
      const { number } = await world.sim.openPullRequest(wish);
      await world.decided(number, /^the label please-review is missing$/);
      const before = (await world.decisions(number)).length;
      world.sim.askReview({ repo: REPO, number, as: OUTSIDER, reviewer: BOT });
      await unreviewed(number);
      expect((await world.decisions(number)).length).toBeGreaterThan(before);
      world.sim.askReview({ repo: REPO, number, as: OUTSIDER, reviewer: BOT, withdraw: true });
      world.sim.askReview({ repo: REPO, number, as: AUTHOR, reviewer: BOT });
      expect(await verdictOf(world, number)).toBe('lgtm');
    },
    STORY_MS,
  );

  test(
    'F-R6: answers a command in an inline comment of its own in that thread, and one in the conversation there',
    async () => {
      const number = await begin('inline');
      const comments = [{ path: 'inline.js', line: 1, body: `@${BOT} status` }];
      await world.sim.review({ repo: REPO, number, as: AUTHOR, event: 'COMMENT', body: 'See below.', comments });
      await world.calm();
      expect(answers(number)).toEqual([{ at: 'inline.js:1' }]);
      world.sim.comment({ repo: REPO, number, as: AUTHOR, body: `@${BOT} status` });
      await world.calm();
      expect(answers(number)).toEqual([{ at: 'inline.js:1' }, { at: 'the conversation' }]);
    },
    STORY_MS,
  );
});

const answers = (number: number): readonly { readonly at: string }[] =>
  world.sim
    .pullAt({ repo: REPO, number })
    .comments.filter(({ author }) => author.login === BOT)
    .map(({ code }) => ({ at: code === null ? 'the conversation' : `${code.path}:${Math.abs(code.sentLine)}` }));
