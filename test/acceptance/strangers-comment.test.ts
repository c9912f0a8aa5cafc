/** What anyone may write below a change request of their own must not keep the bot from the work of others. */
import { afterEach, expect, test } from 'vitest';
import { type Fleet, startFleet } from '../support/fleet.ts';
import { handsOn } from '../support/fleet-forge.ts';
import { awaitVerdict, commitBase, openStory } from '../support/fleet-story.ts';

const STORY_MS = 240_000;
/** With the parsers that took the square of it, each of the comments held guard up for twenty seconds. */
const VERDICT_MS = 120_000;
const STRANGER = 'stranger';

let fleet: Fleet | null = null;

afterEach(async () => {
  await fleet?.close();
  fleet = null;
}, STORY_MS);

const KI = 1024;
/** Each keeps a parser that takes the square of it busy for seconds, in a comment that is short enough to be read. */
const OPENERS = ['<?', '<!--', '<!A', '<![CDATA[', '[a](b (', '- > \n', '> a\n\n', '`` `'];

/** From the push to the status of the verdict, with one process per service for both projects. */
const timeToVerdict = async (own: Fleet, repo: string, branch: string): Promise<number> => {
  const begun = performance.now();
  await awaitVerdict(own, await openStory(own, repo, branch), VERDICT_MS);
  return performance.now() - begun;
};

test(
  'F-E1: comments of 60 KB made of openers in one project do not hold up the review in another one',
  async () => {
    const own = await startFleet({ repos: ['theirs', 'ours'], count: { explorer: 0 } });
    fleet = own;
    await commitBase(own);
    const [theirs = '', ours = ''] = own.repos;
    own.sim.createUser({ login: STRANGER });
    const change = await openStory(own, theirs, 'theirs');
    await awaitVerdict(own, change);
    await timeToVerdict(own, ours, 'warm');
    const control = await timeToVerdict(own, ours, 'control');
    for (const opener of OPENERS) {
      const body = `@fixpoint ${opener.repeat((60 * KI) / opener.length)}`;
      await handsOn(own.sim).comment({ ...change, as: STRANGER, body });
    }
    const attacked = await timeToVerdict(own, ours, 'attacked');
    expect(attacked).toBeLessThan(2 * control + 3_000);
  },
  STORY_MS,
);
