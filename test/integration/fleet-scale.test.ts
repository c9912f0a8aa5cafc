/** Done-when 5: many processes share many change requests, with and without faults. */
import { afterEach, describe, expect, test } from 'vitest';
import type { FaultStep } from '../sim/forgejo/faults.ts';
import { createRandom } from '../sim/forgejo/world.ts';
import { type Fleet, startFleet } from '../support/fleet.ts';
import { type FleetQueues, openQueues } from '../support/fleet-queues.ts';
import { commitBase } from '../support/fleet-story.ts';
import { type CrowdWish, healthy, type Member, playCrowd, reportOn } from './crowd.ts';

const DEEP = process.env['FIXPOINT_DEEP'] === '1';
const CROWD: CrowdWish = DEEP ? { size: 20, pushes: 3 } : { size: 5, pushes: 2 };
const COUNT = DEEP
  ? { ingress: 2, guard: 2, reviewer: 5, explorer: 2, poster: 2 }
  : { ingress: 1, guard: 2, reviewer: 2, explorer: 0, poster: 2 };
const PROCESSES = Object.values(COUNT).reduce((sum, count) => sum + count, 0);
const TEST_MS = 600_000;

let fleet: Fleet;
let queues: FleetQueues;

const open = async (): Promise<void> => {
  fleet = await startFleet({
    count: COUNT,
    repos: ['shop', 'bakery'],
    // High limits for rounds and runs: this test is about sharing the work.
    knobs: { lockMs: 15_000, stalledMs: 5_000, sweepSeconds: 10, maxRounds: 9, maxRuns: 30, reviewAttempts: 5 },
  });
  queues = openQueues(fleet);
  await commitBase(fleet);
};

afterEach(async () => {
  await queues?.close();
  await fleet?.close();
});

const expectHealthy = (members: readonly Member[]): void => {
  for (const member of members) {
    const report = reportOn(fleet, member);
    expect({ ...report, of: member.branch }).toEqual({ ...healthy(member, report.rounds.length), of: member.branch });
    expect(report.rounds.length).toBeLessThanOrEqual(member.pushes + 1);
  }
};

const reviewsOfOneHead = (): readonly string[] => {
  const drafted = fleet.records('reviewer').filter(({ msg, outcome }) => msg === 'run ended' && outcome === 'drafted');
  const heads = drafted.map(({ changeRequest, headSha }) => `${String(changeRequest)} ${String(headSha)}`);
  return heads.filter((head, index) => heads.indexOf(head) !== index);
};

const BAD_CALLS = 2_000;

/** About one request in twelve fails; the seed is fixed, so that every run has the same faults. */
const badDay = (): readonly FaultStep[] => {
  const random = createRandom(20_260_101);
  const troubles: readonly FaultStep[] = [
    { kind: 'status', status: 500 },
    { kind: 'status', status: 502, when: 'after' },
    { kind: 'status', status: 429, headers: { 'retry-after': '1' } },
    { kind: 'reset' },
    { kind: 'reset', when: 'after' },
    { kind: 'truncate' },
  ];
  return Array.from({ length: BAD_CALLS }, (): FaultStep => {
    const trouble = random() < 0.08 ? troubles[Math.floor(random() * troubles.length)] : undefined;
    return trouble ?? { kind: 'pass' };
  });
};

describe.sequential(`${CROWD.size} change requests with ${CROWD.pushes} pushes each, shared by ${PROCESSES} processes`, () => {
  test(
    'no head is reviewed twice, every newest head is reviewed, nothing is said twice or lost',
    async () => {
      await open();
      const members = await playCrowd(fleet, CROWD);
      await queues.idle();
      expectHealthy(members);
      expect(reviewsOfOneHead()).toEqual([]);
      expect(fleet.sim.violations).toEqual([]);
    },
    TEST_MS,
  );

  test.runIf(DEEP)(
    'the same holds for what is said when calls fail, hooks come late and out of order, and some never come',
    async () => {
      await open();
      const random = createRandom(7);
      fleet.sim.setHookJitter(400);
      fleet.sim.setDeliveryFilter(() => (random() < 0.3 ? 'drop' : 'send'));
      const troubles = fleet.sim.fault({ path: '/api/v1/' }, badDay());
      const members = await playCrowd(fleet, CROWD);
      await queues.idle();
      expectHealthy(members);
      expect(BAD_CALLS - troubles.remaining()).toBeGreaterThan(200);
      expect(fleet.sim.deliveries.filter(({ outcome }) => outcome === 'dropped')).not.toEqual([]);
    },
    TEST_MS,
  );
});
