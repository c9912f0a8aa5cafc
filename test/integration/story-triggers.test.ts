/** Events that start a review, and events that do not. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commitBase, inlineOf, open, push, runsOf, statusOf, textOf, verdictOf } from '../support/story.ts';
import {
  AUTHOR,
  BOT,
  OUTSIDER,
  OWNER,
  REPO,
  STORY_MS,
  startStoryWorld,
  type StoryWorld,
} from '../support/story-world.ts';

const CLEAN = textOf('export const one = 1;');
const BAD = textOf('export const run = (text) => eval(text);');

let world: StoryWorld;

beforeAll(async () => {
  world = await startStoryWorld({
    review: 'ignore_labels = ["no-review"]\nignore_authors = ["outsider"]\ntarget_branches = ["main", "release/*"]',
    more: '[limits]\nrunning_per_project = 4',
  });
  await commitBase(world, { 'README.md': '# Shop\n' });
  for (const branch of ['release/1', 'lab'])
    await world.sim.commitFiles({ repo: REPO, branch, files: {}, message: 'Branch\n', author: OWNER });
}, STORY_MS);
afterAll(async () => world?.finish(), STORY_MS);

const unreviewed = async (number: number, status?: 'pending'): Promise<void> => {
  await world.calm();
  expect({ runs: await runsOf(world, number), status: statusOf(world, number) }).toEqual({
    runs: 0,
    status,
  });
};

describe.sequential('a change request', () => {
  test(
    'is not reviewed as a draft, and is as soon as it is ready',
    async () => {
      const number = await open(world, { branch: 'draft', files: { 'draft.js': BAD }, title: 'WIP: think about it' });
      await world.decided(number, /^the change request is a draft$/);
      await push(world, 'draft', { 'more.js': CLEAN });
      await unreviewed(number, 'pending');
      await world.sim.editPullRequest({ repo: REPO, number, as: AUTHOR, title: 'Think about it' });
      expect(await verdictOf(world, number)).toBe('feedback');
      expect(inlineOf(world, number)).toMatchObject([{ path: 'draft.js', line: 1, side: 'new', rule: 'js-eval' }]);
    },
    STORY_MS,
  );

  test(
    'with an ignored label is not reviewed',
    async () => {
      world.sim.setDeliveryFilter(() => 'drop');
      const number = await open(world, { branch: 'labelled', files: { 'labelled.js': BAD } });
      world.sim.setDeliveryFilter(() => 'send');
      world.sim.addLabels({ repo: REPO, number, as: AUTHOR, labels: ['no-review'] });
      await push(world, 'labelled', { 'more.js': CLEAN });
      await world.decided(number, /^the change request has an ignored label$/);
      await unreviewed(number, 'pending');
    },
    STORY_MS,
  );

  test(
    'of an ignored author is not reviewed',
    async () => {
      const number = await open(world, { branch: 'foreign', files: { 'foreign.js': BAD }, author: OUTSIDER });
      await world.decided(number, /^the author is ignored$/);
      await unreviewed(number, 'pending');
    },
    STORY_MS,
  );

  test(
    'is reviewed when its target branch fits a pattern, and not when it fits none',
    async () => {
      const other = await open(world, { branch: 'to-lab', files: { 'lab.js': BAD }, base: 'lab' });
      const fitting = await open(world, { branch: 'to-release', files: { 'release.js': CLEAN }, base: 'release/1' });
      expect(await verdictOf(world, fitting)).toBe('lgtm');
      await world.decided(other, /^reviews are limited to other target branches$/);
      await unreviewed(other);
    },
    STORY_MS,
  );

  test(
    'is reviewed when somebody who may write calls the bot, and not when an outsider does',
    async () => {
      const called = await open(world, { branch: 'lab-called', files: { 'called.js': CLEAN }, base: 'lab' });
      await world.decided(called, /^reviews are limited/);
      world.sim.comment({ repo: REPO, number: called, as: OUTSIDER, body: `@${BOT} please review` });
      await world.decided(called, /^the author of the comment may not give the bot commands$/);
      await unreviewed(called);
      world.sim.comment({ repo: REPO, number: called, as: AUTHOR, body: `> @${BOT} review\n\nnot yet` });
      await world.decided(called, /^the comment does not address the bot$/);
      await unreviewed(called);
      world.sim.comment({ repo: REPO, number: called, as: AUTHOR, body: `@${BOT} review` });
      expect(await verdictOf(world, called)).toBe('lgtm');
      expect(await runsOf(world, called)).toBe(1);
    },
    STORY_MS,
  );

  test(
    'is reviewed when the bot is asked for a review, and not when somebody else is',
    async () => {
      const number = await open(world, { branch: 'asked', files: { 'asked.js': CLEAN }, base: 'lab' });
      world.sim.askReview({ repo: REPO, number, as: AUTHOR, reviewer: OWNER });
      await world.decided(number, /^a review by somebody else was requested$/);
      await unreviewed(number);
      world.sim.askReview({ repo: REPO, number, as: AUTHOR, reviewer: BOT });
      expect(await verdictOf(world, number)).toBe('lgtm');
      expect(await runsOf(world, number)).toBe(1);
    },
    STORY_MS,
  );

  test.each(['the webhook', 'the sweep'])(
    'G5: is reviewed once when it is called inside a review, and %s tells of it',
    async (teller) => {
      const branch = `inside-${teller.replace(' ', '-')}`;
      const number = await open(world, { branch, files: { [`${branch}.js`]: CLEAN }, base: 'lab' });
      await world.decided(number, /^reviews are limited/);
      if (teller === 'the sweep') world.sim.setDeliveryFilter(() => 'drop');
      const comments = [{ path: `${branch}.js`, line: 1, body: `@${BOT} review` }];
      const asked = { repo: REPO, number, as: AUTHOR, event: 'COMMENT', body: `@${BOT}, see below.`, comments };
      await world.sim.review(asked);
      world.sim.setDeliveryFilter(() => 'send');
      if (teller === 'the sweep') await world.sweep();
      expect(await verdictOf(world, number)).toBe('lgtm');
      expect(eyesOn(number, `@${BOT} review`)).toEqual([BOT]);
      // The next head is filtered out like the first: a repeated event must not count as a new request.
      await push(world, branch, { 'more.js': CLEAN });
      for (const uuid of hooksOfReviews(number)) world.sim.replay(uuid);
      await world.calm();
      await world.sweep();
      expect(await runsOf(world, number)).toBe(1);
    },
    STORY_MS,
  );
});

const eyesOn = (number: number, body: string): readonly string[] =>
  world.sim
    .pullAt({ repo: REPO, number })
    .comments.filter((comment) => comment.body === body)
    .flatMap(({ reactions }) => reactions.filter(({ content }) => content === 'eyes').map(({ user }) => user.login));

const hooksOfReviews = (number: number): readonly string[] =>
  world.sim.deliveries
    .filter(({ eventType, body }) => eventType === 'pull_request_review_comment' && JSON.parse(body).number === number)
    .map(({ uuid }) => uuid);
