/** A stranger's comment on their own change request must not delay the bot's other work. */
import { afterEach, expect, test } from 'vitest';
import { type Fleet, startFleet } from '../support/fleet.ts';
import { handsOn } from '../support/fleet-forge.ts';
import { awaitVerdict, commitBase, openStory } from '../support/fleet-story.ts';

const STORY_MS = 240_000;
/** With quadratic parsers, each of the comments blocked guard for twenty seconds. */
const VERDICT_MS = 120_000;
const STRANGER = 'stranger';

let fleet: Fleet | null = null;

afterEach(async () => {
  await fleet?.close();
  fleet = null;
}, STORY_MS);

const KI = 1024;
/** Short texts, each of which keeps a quadratic parser busy for seconds. */
const OPENERS = ['<?', '<!--', '<!A', '<![CDATA[', '[a](b (', '- > \n', '> a\n\n', '`` `'];

/** Time from the push to the verdict's status, with one process per service for both projects. */
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
