import { afterAll, beforeAll, expect, test } from 'vitest';
import { faultsOf, groupLastingKeys } from '../bench/soak/lasting-keys.ts';
import { type Fleet, startFleet } from '../support/fleet.ts';
import { awaitVerdict, commitBase, openStory, pushReview, readerView, ROUNDS } from '../support/fleet-story.ts';

let fleet: Fleet;
beforeAll(async () => {
  fleet = await startFleet();
  await commitBase(fleet);
}, 240_000);
afterAll(async () => fleet?.close());

test('one process per service takes a change request through three rounds to success', async () => {
  const told = await openStory(fleet, fleet.repos[0] ?? '', 'one');
  await awaitVerdict(fleet, told);
  const statuses = [readerView(fleet, told).headStatuses['fixpoint']];
  for (let review = 2; review <= ROUNDS; review += 1) {
    await pushReview(fleet, told, review);
    await awaitVerdict(fleet, told);
    statuses.push(readerView(fleet, told).headStatuses['fixpoint']);
  }
  const { inline, comments } = readerView(fleet, told);
  expect({ statuses, places: inline.map(({ path, line }) => `${path}:${line}`), comments: comments.length }).toEqual({
    statuses: ['failure', 'failure', 'success'],
    // Three findings; in round 2 a reply to the one whose line was pushed, and one new finding.
    places: ['greet.py:5', 'ship.sh:4', 'sum.js:2', 'greet.py:5', 'menu.js:2'],
    // About the changed verdict. The summary is the body of the first review.
    comments: 1,
  });
  expect(fleet.sim.violations).toEqual([]);
}, 120_000);

test('afterwards every key in Redis has an expiry, or a reason to have none', async () => {
  await Promise.all(fleet.processes.map(async (each) => each.terminate()));
  const redis = fleet.redis.connect();
  const groups = await groupLastingKeys(redis, 'fixpoint');
  redis.disconnect();
  expect(groups.map(({ kind }) => kind)).toContain('queue: job');
  expect(faultsOf(groups)).toEqual([]);
}, 60_000);
