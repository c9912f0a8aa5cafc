/** Rows Q4 and Q6: Redis crashes or loses all data, and a reader of the change request sees no difference. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type Fleet, startFleet } from '../support/fleet.ts';
import { type FleetQueues, openQueues } from '../support/fleet-queues.ts';
import type { FleetKnobs } from '../support/fleet-settings.ts';
import { awaitVerdict, commitBase, openStory, pushReview, readerView, statusOf } from '../support/fleet-story.ts';
import { playReview, playUndisturbed, type ReaderView } from '../support/undisturbed.ts';

const DEEP = process.env['FIXPOINT_DEEP'] === '1';

let fleet: Fleet;
let queues: FleetQueues;
let undisturbed: readonly ReaderView[];

const open = async (knobs: FleetKnobs): Promise<void> => {
  const intervals = { lockMs: 2_000, stalledMs: 500, sweepSeconds: 5 };
  fleet = await startFleet({ count: { explorer: 0 }, knobs: { ...intervals, ...knobs } });
  queues = openQueues(fleet);
  await commitBase(fleet);
  undisturbed = await playUndisturbed(fleet);
};

const close = async (): Promise<void> => {
  await queues?.close();
  await fleet?.close();
};

const begin = async (branch: string) => openStory(fleet, fleet.repos[0] ?? '', branch);

const START_MS = 240_000;
const TEST_MS = 180_000;

describe.sequential('a Redis that dies or forgets everything', () => {
  beforeAll(async () => open({}), START_MS);
  beforeEach(async () => queues.idle());
  afterAll(close);

  test(
    'Q6: goes on with the next round when it is wiped between rounds',
    async () => {
      let told = null;
      for (const review of [1, 2, 3]) {
        told = await playReview(fleet, told, { branch: 'wiped', review });
        await awaitVerdict(fleet, told);
        expect(readerView(fleet, told)).toEqual(undisturbed[review - 1]);
        await queues.idle();
        await queues.flush();
      }
    },
    TEST_MS,
  );

  test(
    'Q6: the sweep finds the next head although its webhook was lost and Redis was wiped',
    async () => {
      const told = await begin('swept');
      await awaitVerdict(fleet, told);
      await queues.idle();
      await queues.flush();
      fleet.sim.setDeliveryFilter(() => 'drop');
      await pushReview(fleet, told, 2);
      fleet.sim.setDeliveryFilter(() => 'send');
      await awaitVerdict(fleet, told);
      expect(readerView(fleet, told)).toEqual(undisturbed[1]);
    },
    TEST_MS,
  );

  test(
    'Q6: a run under way ends in its own comments when Redis is wiped while it reads the code',
    async () => {
      fleet.sim.fault({ path: 'git-upload-pack' }, { kind: 'meanwhile', task: async () => queues.flush() });
      const told = await begin('mid-run');
      await awaitVerdict(fleet, told);
      expect(readerView(fleet, told)).toEqual(undisturbed[0]);
    },
    TEST_MS,
  );

  test(
    'Q4: every review ends once when Redis is killed, those that waited and those under way',
    async () => {
      const all = await Promise.all(
        Array.from({ length: DEEP ? 8 : 4 }, async (_, index) => begin(`restart-${index}`)),
      );
      await queues.active('review', 1);
      await fleet.redis.kill();
      await fleet.redis.restart();
      for (const told of all) {
        await awaitVerdict(fleet, told, 120_000);
        expect(readerView(fleet, told)).toEqual(undisturbed[0]);
      }
      expect(fleet.sim.violations).toEqual([]);
    },
    TEST_MS,
  );

  test.runIf(DEEP)(
    'Q4: what happens on the forge while Redis is away is found by the sweep',
    async () => {
      await fleet.redis.kill();
      const told = await begin('away');
      await fleet.sim.until(() => fleet.sim.deliveries.some(({ status }) => status === 503), 30_000);
      await fleet.redis.restart();
      await awaitVerdict(fleet, told, 120_000);
      expect(readerView(fleet, told)).toEqual(undisturbed[0]);
    },
    TEST_MS,
  );
});

describe.runIf(DEEP)('a Redis that forgets a run', () => {
  beforeAll(async () => open({ maxWaitS: 5, maxRuntimeS: 10 }), START_MS);
  afterAll(close);

  test(
    'Q6: a run whose job was wiped ends at its deadline, and the next attempt says the same',
    async () => {
      await Promise.all(fleet.alive('reviewer').map(async (each) => each.kill()));
      const told = await begin('lost-run');
      await fleet.sim.until(() => statusOf(fleet, told) === 'pending', 60_000);
      await queues.jobs('review', 1);
      await queues.flush();
      await fleet.spawn('reviewer');
      await awaitVerdict(fleet, told, 120_000);
      expect(readerView(fleet, told)).toEqual(undisturbed[0]);
    },
    TEST_MS,
  );
});
