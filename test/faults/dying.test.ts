/** Row Q2: a review that takes down three processes ends; the change request says so once, and the next one is reviewed. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fleet, startFleet } from '../support/fleet.ts';
import { handsOn } from '../support/fleet-forge.ts';
import { type FleetQueues, openQueues } from '../support/fleet-queues.ts';
import { awaitVerdict, commitBase, openStory, statusOf } from '../support/fleet-story.ts';

const START_MS = 120_000;
const TEST_MS = 180_000;
const DEATHS = 3;

let fleet: Fleet;
let queues: FleetQueues;

beforeAll(async () => {
  fleet = await startFleet({
    count: { explorer: 0, reviewer: 0 },
    knobs: { lockMs: 3_000, stalledMs: 500, sweepSeconds: 5, reviewAttempts: 2 },
  });
  queues = openQueues(fleet);
  await commitBase(fleet);
}, START_MS);
afterAll(async () => {
  await queues?.close();
  await fleet?.close();
});

test(
  'Q2: a reviewer that is killed three times at one job ends in one failed status and one comment',
  async () => {
    const [repo = ''] = fleet.repos;
    let doomed = await fleet.spawn('reviewer', { crashAt: 'before-draft' });
    const told = await openStory(fleet, repo, 'dying');
    for (let death = 1; death <= DEATHS; death += 1) {
      expect(await doomed.exited).toEqual({ code: null, signal: 'SIGKILL' });
      // The last one would die as well, if it executed the job.
      doomed = await fleet.spawn('reviewer', { crashAt: 'before-draft' });
    }
    await awaitVerdict(fleet, told);
    expect(statusOf(fleet, told)).toBe('error');
    const { comments, inline } = handsOn(fleet.sim).look(told);
    expect(inline).toEqual([]);
    const words = 'Why: a process of Fixpoint died repeatedly';
    expect(comments.filter(({ body }) => body.includes(words))).toHaveLength(1);
    const { statuses } = fleet.sim.snapshot(told.repo, told.number);
    expect(statuses.filter(({ state }) => state === 'error')).toHaveLength(1);
    const reasons = fleet.records('guard').map(({ reason }) => String(reason));
    expect(reasons.filter((reason) => /^attempt \d failed/.test(reason))).toEqual(['attempt 1 failed: WORKER_DIED']);

    // Nothing begins again by itself, also not by a sweep, and the process that reported it lives and reviews others.
    const posted = fleet.sim.effects.length;
    await queues.idle();
    expect(fleet.sim.effects.slice(posted)).toEqual([]);
    expect(fleet.alive('reviewer')).toEqual([doomed]);
    await doomed.kill();
    await fleet.spawn('reviewer');
    const next = await openStory(fleet, repo, 'living');
    await awaitVerdict(fleet, next);
    expect(statusOf(fleet, next)).toBe('failure');
    expect(statusOf(fleet, told)).toBe('error');
  },
  TEST_MS,
);
