/** Webhooks are only hints: three in ten are lost, and the sweep leads every change request to the same result. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Delivery } from '../sim/forgejo/world.ts';
import { createRandom } from '../sim/forgejo/world.ts';
import {
  awaitVerdict,
  commitBase,
  openStory,
  pushReview,
  readerView,
  ROUNDS,
  type Told,
} from '../support/fleet-story.ts';
import { REPO, STORY_MS, startStoryWorld, type StoryWorld } from '../support/story-world.ts';
import type { ReaderView } from '../support/undisturbed.ts';

const DEEP = process.env['FIXPOINT_DEEP'] === '1';
const SEEDS = DEEP ? 50 : 5;
const BATCH = DEEP ? 10 : 5;
const LOSS = 0.3;
const TEST_MS = STORY_MS * 3;
const VERDICT_MS = 100_000;

let world: StoryWorld;
const undisturbed: ReaderView[] = [];

/** Number 1 is undisturbed; which webhooks of another change request are lost depends only on its number. */
const seedOf = (number: number): number => number - 1;

const randoms = new Map<number, () => number>();

const fateOf = ({ body }: Delivery): 'send' | 'drop' => {
  const payload = JSON.parse(body);
  const number: number | undefined = payload.number ?? payload.issue?.number;
  if (number === undefined || number === 1) return 'send';
  const random = randoms.get(number) ?? createRandom(seedOf(number));
  randoms.set(number, random);
  return random() < LOSS ? 'drop' : 'send';
};

beforeAll(async () => {
  world = await startStoryWorld({ more: '[limits]\nrunning_per_project = 10' });
  world.sim.setDeliveryFilter(fateOf);
  await commitBase({ sim: world.sim, repos: [REPO] });
  const told = await openStory(world, REPO, 'undisturbed');
  for (let review = 1; review <= ROUNDS; review += 1) {
    if (review > 1) await pushReview(world, told, review);
    await awaitVerdict(world, told, VERDICT_MS);
    undisturbed.push(readerView(world, told));
  }
}, STORY_MS);
afterAll(async () => world?.finish(), STORY_MS);

const foundBySweep = async (told: readonly Told[]): Promise<number> => {
  const decisions = await Promise.all(told.map(async ({ number }) => world.decisions(number)));
  return decisions.flat().filter(({ effect, reason }) => effect === 'want' && reason === 'the sweep found an open head')
    .length;
};

const batches = Array.from({ length: SEEDS / BATCH }, (_, index) => ({
  first: index * BATCH + 1,
  last: (index + 1) * BATCH,
}));

describe.sequential('change requests whose webhooks get lost', () => {
  test.each(batches)(
    'end as if none had been lost, seeds $first to $last',
    async ({ first, last }) => {
      const all: Told[] = [];
      for (let seed = first; seed <= last; seed += 1) all.push(await openStory(world, REPO, `seed-${seed}`));
      expect(all.map(({ number }) => seedOf(number))).toEqual(all.map((_, index) => first + index));
      for (let review = 1; review <= ROUNDS; review += 1) {
        if (review > 1) for (const told of all) await pushReview(world, told, review);
        await world.calm();
        await world.sweep();
        for (const told of all) {
          await awaitVerdict(world, told, VERDICT_MS);
          expect({ of: told.branch, ...readerView(world, told) }).toEqual({
            of: told.branch,
            ...undisturbed[review - 1],
          });
        }
      }
      // Otherwise no important webhook was lost, and the test shows nothing.
      expect(await foundBySweep(all)).toBeGreaterThan(0);
    },
    TEST_MS,
  );
});
