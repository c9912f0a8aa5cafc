/** Rows X13 and X14: replies in threads without a push, on a simulated Forgejo. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import {
  answerFinding,
  firstFinding,
  reviewed,
  botBodies,
  commitBase,
  inlineOf,
  kindsOf,
  push,
  repliesOf,
  runsOf,
  statusOf,
  summaryOf,
  textOf,
  verdictOf,
} from '../support/story.ts';
import { AUTHOR, OUTSIDER, OWNER, REPO, STORY_MS, startStoryWorld, type StoryWorld } from '../support/story-world.ts';

const CLEAN = textOf('export const one = 1;');
const BAD = textOf('export const run = (text) => eval(text);');

let world: StoryWorld;

beforeAll(async () => {
  world = await startStoryWorld({ more: '[limits]\nrunning_per_project = 4' });
  await commitBase(world, { 'README.md': '# Shop\n' });
}, STORY_MS);
afterAll(async () => world?.finish(), STORY_MS);

const answer = async (number: number, body: string, as = AUTHOR): Promise<void> =>
  answerFinding(world, number, { body, as });

describe.sequential('words in a thread, without a push', () => {
  test(
    'X14: are answered by one cycle each at the same head, counted, until the thread is handed to a human',
    async () => {
      const number = await reviewed(world, 'declined', BAD);
      const { head } = world.sim.snapshot(REPO, number);
      await answer(number, 'This is by design, I will not change it.');
      expect(repliesOf(world, number)).toEqual([{ review: 1, id: 'F-001', action: 'reply', count: 1 }]);
      expect(summaryOf(world, number)).toMatchObject({
        review: 1,
        runs: 2,
        verdict: 'feedback',
        phase: 'posted',
        head,
      });
      await answer(number, 'It is fixed now.');
      expect(repliesOf(world, number)).toEqual([
        { review: 1, id: 'F-001', action: 'reply', count: 1 },
        { review: 1, id: 'F-001', action: 'veto', count: 2 },
      ]);
      const saying = (words: string) => botBodies(world, number).filter((body) => body.includes(words));
      expect(saying('is still there, at line 1.')).toHaveLength(1);
      expect(saying('The reasons are above.')).toHaveLength(1);
      await answer(number, 'And yet it is fine.');
      await answer(number, 'Hello?');
      expect(repliesOf(world, number)).toHaveLength(2);
      expect(await runsOf(world, number)).toBe(3);
      expect(inlineOf(world, number).filter(({ id }) => id === 'F-001')).toHaveLength(1);
      expect({ kinds: kindsOf(world, number).toSorted(), status: statusOf(world, number) }).toEqual({
        kinds: ['finding', 'reply', 'reply', 'summary'],
        status: 'failure',
      });
      const [summary] = botBodies(world, number).filter((body) => body.includes('<summary>Commands</summary>'));
      expect(summary).toContain('_(waits for a person)_');
    },
    STORY_MS,
  );

  test(
    'are one cycle when several come within the quiet time, and none when they come from strangers',
    async () => {
      const number = await reviewed(world, 'several', BAD);
      await answer(number, 'I think that it is fine.', OUTSIDER);
      expect(await runsOf(world, number)).toBe(1);
      world.sim.setDeliveryFilter(() => 'drop');
      await answer(number, 'One.');
      await answer(number, 'Two.', OWNER);
      world.sim.setDeliveryFilter(() => 'send');
      await world.sweep();
      expect(repliesOf(world, number)).toEqual([{ review: 1, id: 'F-001', action: 'reply', count: 1 }]);
      await world.sweep();
      expect(await runsOf(world, number)).toBe(2);
    },
    STORY_MS,
  );

  test(
    'are answered when Redis was lost before, and go on with the count that the forge remembers',
    async () => {
      const number = await reviewed(world, 'flushed', BAD);
      await answer(number, 'By design.');
      await world.redis.flushall();
      await answer(number, 'By design, I said.');
      expect(repliesOf(world, number).map(({ action, count }) => [action, count])).toEqual([
        ['reply', 1],
        ['veto', 2],
      ]);
      expect(summaryOf(world, number)).toMatchObject({ runs: 3, review: 1, ledger: [{ state: 'vetoed', count: 2 }] });
      await world.redis.flushall();
      await world.sweep();
      expect(repliesOf(world, number)).toHaveLength(2);
    },
    STORY_MS,
  );

  test(
    'are heard by the round when a push follows, and by nothing else after it',
    async () => {
      const number = await reviewed(world, 'pushed', BAD);
      await answer(number, 'Fixed in the next commit.');
      await push(world, 'pushed', { 'pushed.js': CLEAN });
      expect(await verdictOf(world, number)).toBe('lgtm');
      expect(summaryOf(world, number)).toMatchObject({ review: 2, runs: 3, ledger: [{ state: 'resolved' }] });
    },
    STORY_MS,
  );

  test(
    'X13: cause nothing in a thread that the bot has closed, however often somebody opens it again',
    async () => {
      const number = await reviewed(world, 'reopened', BAD);
      await push(world, 'reopened', { 'reopened.js': CLEAN });
      expect(await verdictOf(world, number)).toBe('lgtm');
      const before = kindsOf(world, number);
      for (let time = 1; time <= 10; time += 1) {
        world.sim.resolveThread({
          repo: REPO,
          number,
          as: AUTHOR,
          comment: firstFinding(world, number),
          resolved: false,
        });
        await answer(number, `This is not done, I say it for the ${time}. time.`);
      }
      await world.sweep();
      expect(kindsOf(world, number)).toEqual(before);
      expect({ runs: await runsOf(world, number), status: statusOf(world, number) }).toEqual({
        runs: 2,
        status: 'success',
      });
    },
    STORY_MS,
  );
});
