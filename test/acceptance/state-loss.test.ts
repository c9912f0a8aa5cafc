/** Row X10: the bot's state is lost, hidden or unreadable, and the cap of rounds still holds. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commitBase, kindsOf, open, push, runsOf, summaryOf, textOf, verdictOf } from '../support/story.ts';
import { BOT, eventually, OUTSIDER, REPO, STORY_MS, startStoryWorld, type StoryWorld } from '../support/story-world.ts';

const bad = (more: string): string => textOf('export const run = (text) => eval(text);', more);
const TWO_PAGES = 60;
const DEEP = process.env['FIXPOINT_DEEP'] === '1';

let world: StoryWorld;

beforeAll(async () => {
  world = await startStoryWorld({ more: '[rounds]\nmax = 2\nmax_runs = 4' });
  await commitBase(world, { 'README.md': '# Shop\n' });
}, STORY_MS);
afterAll(async () => world?.finish(), STORY_MS);

const reviewed = async (branch: string): Promise<number> => {
  const number = await open(world, { branch, files: { [`${branch}.js`]: bad('') } });
  expect(await verdictOf(world, number)).toBe('feedback');
  return number;
};

describe.sequential('a change request in its last round', () => {
  test(
    'X10: gets a closing review although Redis was flushed, its reviews were dismissed and it was renamed',
    async () => {
      const number = await reviewed('lost');
      for (let index = 0; index < TWO_PAGES; index += 1)
        world.sim.comment({ repo: REPO, number, as: OUTSIDER, body: `Remark ${index}` });
      // Rewriting the finding's own line uses the last round. What follows may close, and open nothing.
      for (const [line, rounds] of [
        ['export const run = (code) => eval(code);', 2],
        ['export const run = (words) => eval(words);', 2],
      ] as const) {
        await world.calm();
        for (const review of world.sim.pullAt({ repo: REPO, number }).reviews) review.dismissed = true;
        await world.redis.flushall();
        world.sim.renameUser(BOT, 'renamed');
        await push(world, 'lost', { 'lost.js': textOf(line) });
        await world.calm();
        world.sim.renameUser('renamed', BOT);
        await eventually(`the word about ${line}`, () => summaryOf(world, number).phase !== 'reviewing');
        expect(summaryOf(world, number).rounds).toBe(rounds);
      }
      const { verdict, reviewed: inputs, runs } = summaryOf(world, number);
      expect({ verdict, reviews: inputs.map(({ review }) => review), runs }).toEqual({
        verdict: 'feedback',
        reviews: [1, 2, 3],
        runs: 3,
      });
      const handOffs = kindsOf(world, number).filter((kind) => kind === 'handoff');
      expect(handOffs).toHaveLength(1);
    },
    STORY_MS,
  );

  test.runIf(DEEP)(
    'X10: gets no review while the forge cannot list what the bot has said, and one when it can again',
    async () => {
      const number = await reviewed('blind');
      await world.redis.flushall();
      const fault = world.sim.fault(
        { method: 'GET', path: /\/(?:issues|pulls)\/\d+\/(?:comments|reviews)/ },
        Array.from({ length: 6 }, () => ({ kind: 'status', status: 500 }) as const),
      );
      const writesBefore = world.sim.effects.length;
      await push(world, 'blind', { 'blind.js': bad('export const more = 1;') });
      await eventually('the forge to fail', () => fault.remaining() <= 2);
      const written = world.sim.effects.slice(writesBefore).filter(({ actor }) => actor === BOT);
      expect({ written, runs: await runsOf(world, number) }).toEqual({ written: [], runs: 0 });
      await eventually('round 2', () => summaryOf(world, number).reviewed.length === 2);
      await world.calm();
      expect(await runsOf(world, number)).toBe(1);
      expect(summaryOf(world, number).reviewed.map(({ review }) => review)).toEqual([1, 2]);
    },
    STORY_MS,
  );
});
