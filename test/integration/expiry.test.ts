/** Keys of reviewed change requests that stay in Redis. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { commitBase, open, textOf, verdictOf } from '../support/story.ts';
import { AUTHOR, BOT, REPO, STORY_MS, startStoryWorld, type StoryWorld } from '../support/story-world.ts';

const TAG = '{fixpoint}:';

/** The only keys without an expiry, without their hash tag. Their number does not depend on change requests. */
const LASTING_KEYS: readonly { readonly pattern: string; readonly why: string }[] = [
  { pattern: 'identity:*', why: 'one for each forge: without it guard has no state for its own comments' },
  { pattern: 'forge:*:project-ids', why: 'one for each forge: the ids of the configured paths' },
  { pattern: 'forge:*:hooks', why: 'one for each forge: the health of its webhooks, by project' },
  { pattern: 'guard:*', why: 'the queue library removes a job when it has ended, after `keepCompletedS`' },
  { pattern: 'review:*', why: 'as for guard' },
  { pattern: 'explore:*', why: 'as for guard' },
  { pattern: 'post:*', why: 'as for guard' },
  { pattern: 'fix:*', why: 'as for guard' },
  { pattern: 'notify:*', why: 'as for guard' },
];

let world: StoryWorld;

beforeAll(async () => {
  world = await startStoryWorld({ more: '[limits]\nrunning_per_project = 1' });
  await commitBase(world, { 'README.md': '# Shop\n' });
}, STORY_MS);
afterAll(async () => world?.finish(), STORY_MS);

const fits = (key: string, pattern: string): boolean => new RegExp(`^${pattern.replaceAll('*', '.*')}$`).test(key);

const keysWithoutExpiry = async ({ redis }: StoryWorld): Promise<readonly string[]> => {
  const keys = (await redis.keys('*')).map((key) => key.slice(TAG.length));
  const lasting = await Promise.all(keys.map(async (key) => ((await redis.ttl(TAG + key)) === -1 ? [key] : [])));
  return lasting.flat();
};

test(
  'F-E8: every key expires, but for a short list that does not grow with change requests',
  async () => {
    const files = (name: string) => ({ [`${name}.js`]: textOf('export const run = (text) => eval(text);') });
    const numbers = await Promise.all(
      ['one', 'two', 'three'].map(async (branch) => open(world, { branch, files: files(branch) })),
    );
    for (const number of numbers) await verdictOf(world, number);
    world.sim.comment({ repo: REPO, number: numbers[0] ?? 0, as: AUTHOR, body: `@${BOT} review` });
    await world.sweep();
    const lasting = await keysWithoutExpiry(world);
    const unexplained = lasting.filter((key) => !LASTING_KEYS.some(({ pattern }) => fits(key, pattern)));
    expect(unexplained).toEqual([]);
    expect(lasting.filter((key) => key.startsWith('cr:'))).toEqual([]);
  },
  STORY_MS,
);
