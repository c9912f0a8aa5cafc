/** Heads that `refs/pull/N/head` does not contain, and heads with SHA-256 ids. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commitBase, inlineOf, open, push, runsOf, statusOf, summaryOf, textOf, verdictOf } from '../support/story.ts';
import { AUTHOR, OWNER, REPO, STORY_MS, startStoryWorld, type StoryWorld } from '../support/story-world.ts';

const CLEAN = textOf('export const one = 1;');
const BAD = textOf('export const run = (text) => eval(text);');

describe.sequential('F-R1: a pull request that was closed, pushed to and opened again', () => {
  let world: StoryWorld;
  beforeAll(async () => {
    world = await startStoryWorld();
    await commitBase(world, { 'README.md': '# Shop\n' });
  }, STORY_MS);
  afterAll(async () => world?.finish(), STORY_MS);

  const set = async (number: number, state: 'open' | 'closed'): Promise<void> => {
    world.sim.setState({ repo: REPO, number, as: OWNER }, state);
    await world.calm();
  };

  test(
    'is reviewed at the head that the forge names, in one run',
    async () => {
      const number = await open(world, { branch: 'again', files: { 'again.js': BAD } });
      expect(await verdictOf(world, number)).toBe('feedback');
      await set(number, 'closed');
      const head = await push(world, 'again', { 'again.js': CLEAN });
      await set(number, 'open');
      expect(world.sim.pullAt({ repo: REPO, number }).refSha).not.toBe(head);
      expect(await verdictOf(world, number)).toBe('lgtm');
      expect({ runs: await runsOf(world, number), head: summaryOf(world, number).head }).toEqual({ runs: 2, head });
      await push(world, 'again', { 'more.js': BAD });
      expect(await verdictOf(world, number)).toBe('feedback');
    },
    STORY_MS,
  );
});

describe('F-C3: a repository made with SHA-256', () => {
  let world: StoryWorld;
  beforeAll(async () => {
    world = await startStoryWorld({ objectFormat: 'sha256' });
    await commitBase(world, { 'README.md': '# Shop\n' });
  }, STORY_MS);
  afterAll(async () => world?.finish(), STORY_MS);

  test(
    'is reviewed, answered and passed as any other',
    async () => {
      const number = await open(world, { branch: 'long', files: { 'long.js': BAD } });
      expect(await verdictOf(world, number)).toBe('feedback');
      expect(inlineOf(world, number)).toMatchObject([{ path: 'long.js', line: 1, rule: 'js-eval' }]);
      const head = await push(world, 'long', { 'long.js': CLEAN });
      expect(head).toHaveLength(64);
      expect(await verdictOf(world, number)).toBe('lgtm');
      expect({ head: summaryOf(world, number).head, status: statusOf(world, number) }).toEqual({
        head,
        status: 'success',
      });
      await world.sim.commitFiles({ repo: REPO, branch: 'long', files: {}, message: 'empty', author: AUTHOR });
      expect(await verdictOf(world, number)).toBe('lgtm');
    },
    STORY_MS,
  );
});
