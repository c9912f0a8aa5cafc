/** A finding that was handed to a human is fixed later: the change passes without a command. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  commitBase,
  firstFinding,
  inlineOf,
  push,
  repliesOf,
  reviewed,
  statusOf,
  summaryOf,
  textOf,
  verdictOf,
} from '../support/story.ts';
import { REPO, STORY_MS, startStoryWorld, type StoryWorld } from '../support/story-world.ts';

const BAD = textOf('export const run = (text) => eval(text);');
const WORSE = textOf('export const run = (text) => eval(text);', 'export const one = 1;');
const CLEAN = textOf('export const one = 1;');

let world: StoryWorld;

beforeAll(async () => {
  world = await startStoryWorld({ more: '[rounds]\nmax = 5' });
  await commitBase(world, { 'README.md': '# Shop\n' });
}, STORY_MS);
afterAll(async () => world?.finish(), STORY_MS);

// In the usual run, the tables of `gate-fixed` and `shown-fixed` cover this.
test.runIf(process.env['FIXPOINT_DEEP'] === '1')(
  'a vetoed finding blocks until its line is mended, and is a new finding when it comes back',
  async () => {
    const number = await reviewed(world, 'later', BAD);
    await push(world, 'later', { 'later.js': WORSE });
    expect(await verdictOf(world, number)).toBe('feedback');
    await push(world, 'later', { 'README.md': '# The shop\n' });
    expect(await verdictOf(world, number)).toBe('feedback');
    expect(repliesOf(world, number).map(({ action }) => action)).toEqual(['reply', 'veto']);

    await push(world, 'later', { 'later.js': CLEAN });
    expect(await verdictOf(world, number)).toBe('lgtm');
    expect(statusOf(world, number)).toBe('success');
    expect(summaryOf(world, number).ledger).toMatchObject([{ id: 'F-001', state: 'resolved', count: 2 }]);
    expect(inlineOf(world, number)).toMatchObject([{ id: 'F-001', state: 'resolved' }]);
    expect(repliesOf(world, number)).toHaveLength(2);
    const comment = world.sim
      .pullAt({ repo: REPO, number })
      .comments.find(({ id }) => id === firstFinding(world, number));
    expect(comment?.body).toMatch(
      /^\*\*F-001 is shown fixed and resolved at `\w+`\.\*\* `js-eval` does not find the problem/,
    );

    await push(world, 'later', { 'later.js': BAD });
    expect(await verdictOf(world, number)).toBe('feedback');
    expect(inlineOf(world, number).map(({ id, state }) => [id, state])).toEqual([
      ['F-001', 'resolved'],
      ['F-002', 'open'],
    ]);
  },
  STORY_MS,
);
