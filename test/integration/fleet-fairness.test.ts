/** Row Q11: a project with many change requests does not delay another project's only one. */
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Fleet, startFleet } from '../support/fleet.ts';
import { until } from '../support/fleet-queues.ts';
import { awaitVerdict, commitBase, openStory, statusOf } from '../support/fleet-story.ts';

const CROWD = 8;
/** Much longer than everything else, so that waiting time depends only on reviews. */
const REVIEW_MS = 600;

let fleet: Fleet;
beforeAll(async () => {
  const knobs = { lockMs: 10_000, runningPerProject: 1, reviewConcurrency: 1 };
  fleet = await startFleet({ count: { explorer: 0 }, repos: ['busy', 'calm'], knobs });
  await commitBase(fleet);
}, 240_000);
afterAll(async () => fleet?.close());

const ended = (project: number): number =>
  fleet.records('reviewer').filter((each) => each.msg === 'run ended' && each['project'] === project).length;

test('Q11: the review of a calm project starts within two reviews of a busy one', async () => {
  const [busy = '', calm = ''] = fleet.repos;
  const slow = { kind: 'meanwhile', task: async () => pause(REVIEW_MS) } as const;
  const slowness = fleet.sim.fault({ method: 'POST', path: /busy.git.*git-upload-pack/, times: 10 * CROWD }, slow);
  const crowd = await Promise.all(
    Array.from({ length: CROWD }, async (_, index) => openStory(fleet, busy, `b-${index}`)),
  );
  await until(() => ended(1) >= 1, 120_000);

  const told = await openStory(fleet, calm, 'only');
  await fleet.sim.until(() => statusOf(fleet, told) === 'pending', 60_000);
  const before = ended(1);
  await until(() => ended(2) === 1, 120_000);
  expect(ended(1) - before).toBeLessThanOrEqual(2);
  // Enough of the crowd was still waiting; otherwise the test shows nothing.
  expect(before).toBeLessThan(CROWD - 3);

  slowness.remove();
  for (const each of crowd) await awaitVerdict(fleet, each, 120_000);
}, 240_000);
