/** A pending review that a person wrote under the bot's account is not published; the bot's own review waits for it. */
import { afterEach, expect, test } from 'vitest';
import { botBodies, commitBase, inlineOf, open, statusOf, summaryOf, textOf, verdictOf } from '../support/story.ts';
import { BOT, eventually, REPO, STORY_MS, startStoryWorld, type StoryWorld } from '../support/story-world.ts';

const BAD = textOf('export const run = (text) => eval(text);');
const THOUGHT = 'Not yet finished: is that so?';

let world: StoryWorld;
afterEach(async () => world?.finish(), STORY_MS);

const descriptions = (number: number): readonly string[] =>
  world.sim.snapshot(REPO, number).statuses.map(({ description }) => description);

test.each(['forgejo', 'gitea'] as const)(
  'F-C12: on a simulated %s the page says what to do about it, no outage is told, and posting goes on when it is gone',
  async (forge) => {
    world = await startStoryWorld({ forge, more: '[queues]\nbackoff_ms = 20\n' });
    await commitBase(world, { 'README.md': '# Shop\n' });
    let isWritten = false;
    const writeByHand = async (number: number): Promise<void> => {
      if (isWritten) return;
      isWritten = true;
      const comments = [{ path: 'run.js', line: 1, side: 'new' as const, body: THOUGHT }];
      await world.sim.review({ repo: REPO, number, as: BOT, event: 'PENDING', body: THOUGHT, comments });
    };
    const numbers: number[] = [];
    // Between the announcement and the posting of the review.
    world.sim.fault(
      { path: /git-upload-pack$/ },
      { kind: 'meanwhile', task: async () => writeByHand(numbers[0] ?? 1) },
    );
    const number = await open(world, { branch: 'change', files: { 'run.js': BAD } });
    numbers.push(number);
    const says = "Waiting: submit or delete the bot's pending review here";
    await eventually('a status that says what to do', () => descriptions(number).includes(says));
    expect([statusOf(world, number), isWritten]).toEqual(['pending', true]);
    expect(inlineOf(world, number)).toEqual([]);
    // `readyz` and `fixpoint status` read outages from this key.
    expect(await world.redis.hkeys('{fixpoint}:outages')).toEqual([]);

    await world.sim.review({ repo: REPO, number, as: BOT, event: 'COMMENT', body: 'Now it is.' });
    expect(await verdictOf(world, number)).toBe('feedback');
    expect(inlineOf(world, number)).toHaveLength(1);
    expect(summaryOf(world, number)).toMatchObject({ runs: 1, attempt: 1 });
    expect(botBodies(world, number)).toContain(THOUGHT);
  },
  STORY_MS,
);
