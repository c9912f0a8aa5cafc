/** What anyone may write below a change request of their own must not keep the bot from the work of others. */
import { afterEach, expect, test } from 'vitest';
import { commitBase, open, textOf, verdictOf } from '../support/story.ts';
import { OUTSIDER, REPO, STORY_MS, startStoryWorld, type StoryWorld } from '../support/story-world.ts';

let world: StoryWorld | null = null;

afterEach(async () => {
  await world?.finish();
  world = null;
}, STORY_MS);

const KI = 1024;
/** Each keeps a parser that takes the square of it busy for seconds, in a comment that is short enough to be read. */
const OPENERS = ['<?', '<!--', '<!A', '<![CDATA[', '[a](b (', '- > \n', '> a\n\n', '`` `'];

test(
  'F-E1: comments of 60 KB made of openers do not hold up the review of another change request',
  async () => {
    const stage = await startStoryWorld();
    world = stage;
    await commitBase(stage, { 'README.md': '# Shop\n' });
    const theirs = await open(stage, { branch: 'theirs', files: { 'a.js': textOf('export const a = 1;') } });
    await verdictOf(stage, theirs);
    for (const opener of OPENERS) {
      const body = `@fixpoint ${opener.repeat((60 * KI) / opener.length)}`;
      stage.sim.comment({ repo: REPO, number: theirs, as: OUTSIDER, body });
    }
    const begun = performance.now();
    const ours = await open(stage, { branch: 'ours', files: { 'b.js': textOf('export const b = 2;') } });
    expect(await verdictOf(stage, ours)).toBe('lgtm');
    expect(performance.now() - begun).toBeLessThan(30_000);
  },
  STORY_MS,
);
