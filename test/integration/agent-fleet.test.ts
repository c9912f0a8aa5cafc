/** Reviews with explorers, when slots are scarce and explorers are lost. */
import { afterEach, expect, test } from 'vitest';
import { createQueues } from '../../shared/queue/enqueue.ts';
import { createKeys } from '../../shared/store/keys.ts';
import { connectRedis } from '../../shared/store/redis.ts';
import { faultsOf, groupLastingKeys } from '../bench/soak/lasting-keys.ts';
import { invalid } from '../sim/messages/api-problem.ts';
import { seededReviewer } from '../sim/messages/seeded-reviewer.ts';
import type { ChatSim } from '../sim/chat/start.ts';
import { type Fleet, type FleetWish, startFleet } from '../support/fleet.ts';
import type { FleetKnobs } from '../support/fleet-settings.ts';
import { until } from '../support/fleet-queues.ts';
import { awaitVerdict, commitBase, openStory, statusOf, type Told } from '../support/fleet-story.ts';
import { MANY_FILES } from '../support/many-files.ts';
import { CHOSEN_WIRE, stageOf } from '../support/wires.ts';

/** Slow and similar cases run only in the deep run. */
const DEEP = process.env['FIXPOINT_DEEP'] === '1';

const TEST_MS = 400_000;
const VERDICT_MS = 300_000;
const REVIEWS = 10;
const QUESTION = 'Who calls sum() and relies on its arguments being numbers?';

let sim: ChatSim | null = null;
let fleet: Fleet | null = null;

type Wish = { readonly count?: FleetWish<'forgejo'>['count']; readonly knobs?: FleetKnobs };

const start = async ({ count = {}, knobs = {} }: Wish = {}): Promise<{ sim: ChatSim; fleet: Fleet }> => {
  sim = await CHOSEN_WIRE.start();
  sim.script(seededReviewer(3, { explore: [QUESTION] }));
  fleet = await startFleet({
    count,
    knobs: { lockMs: 1_000, stalledMs: 300, sweepSeconds: 5, ...knobs, model: stageOf(CHOSEN_WIRE, sim) },
  });
  await commitBase(fleet);
  return { sim, fleet };
};

afterEach(async () => {
  await fleet?.close();
  await sim?.close();
  [fleet, sim] = [null, null];
}, TEST_MS);

const EXPLORER = { lacksTool: 'submit_review' } as const;

/** Change requests in the order of the start and of the end of their reviews. */
const orders = ({ records }: Fleet) => {
  const said = (msg: string): readonly unknown[] => [
    ...new Set(records('reviewer').flatMap((record) => (record.msg === msg ? [record['changeRequest']] : []))),
  ];
  return { began: said('run waits for explorers'), ended: said('run ended') };
};

test(
  'ten reviews that all explore share one reviewer slot: nothing deadlocks, nobody is overtaken, no key lasts for ever',
  async () => {
    const world = await start({ count: { reviewer: 1, explorer: 1 }, knobs: { reviewConcurrency: 1 } });
    const told: Told[] = [];
    for (let index = 0; index < REVIEWS; index += 1) {
      told.push(await openStory(world.fleet, world.fleet.repos[0] ?? '', `crowd-${index}`, MANY_FILES));
    }
    for (const each of told) await awaitVerdict(world.fleet, each, VERDICT_MS);
    const { began, ended } = orders(world.fleet);
    expect(began.length).toBe(REVIEWS);
    expect(ended.length).toBe(REVIEWS);
    // A review whose answers are complete continues before a new one starts, so the orders of starts and ends are equal.
    const overtaken = ended.map((number, index) => Math.abs(began.indexOf(number) - index));
    expect(Math.max(...overtaken)).toBeLessThanOrEqual(1);
    expect(world.sim.violations).toEqual([]);
    await Promise.all(world.fleet.processes.map(async (each) => each.terminate()));
    const redis = world.fleet.redis.connect();
    const groups = await groupLastingKeys(redis, 'fixpoint');
    redis.disconnect();
    expect(faultsOf(groups)).toEqual([]);
  },
  TEST_MS,
);

test.runIf(DEEP)(
  'an explorer whose model refuses leaves the review with a failed answer, not waiting',
  async () => {
    const world = await start();
    world.sim.script(() => ({ kind: 'error', problem: invalid('not today') }), EXPLORER);
    const told = await openStory(world.fleet, world.fleet.repos[0] ?? '', 'refused', MANY_FILES);
    await awaitVerdict(world.fleet, told, VERDICT_MS);
    expect(lastPromptOf(world.sim)).toContain('The explorer failed before it finished.');
  },
  TEST_MS,
);

test.runIf(DEEP)(
  'an explorer that is removed from the queue is started again',
  async () => {
    const world = await start({ count: { explorer: 0 } });
    const told = await openStory(world.fleet, world.fleet.repos[0] ?? '', 'removed', MANY_FILES);
    const removed = await withExploreQueue(world.fleet, async (queue) => {
      await until(async () => (await queue.getJobCountByTypes('wait')) === 1);
      const [job] = await queue.getJobs(['wait']);
      await job?.remove();
      return job?.id;
    });
    expect(removed).toMatch(/^explore-/);
    await world.fleet.spawn('explorer');
    await awaitVerdict(world.fleet, told, VERDICT_MS);
    expect(statusOf(world.fleet, told)).toBe('failure');
  },
  TEST_MS,
);

test.runIf(DEEP)(
  'an explorer that is lost with its keys ends the run at its deadline, and the next attempt has its verdict',
  async () => {
    const world = await start({ count: { explorer: 0 }, knobs: { maxRuntimeS: 10, maxWaitS: 5 } });
    const told = await openStory(world.fleet, world.fleet.repos[0] ?? '', 'lost', MANY_FILES);
    await withExploreQueue(world.fleet, async (queue, redis) => {
      await until(async () => (await queue.getJobCountByTypes('wait')) === 1);
      // As after a Redis that lost its last writes: the list has an unreadable job, and the parent still waits.
      const [job] = await queue.getJobs(['wait']);
      await redis.del(queue.toKey(job?.id ?? ''), queue.toKey('wait'));
    });
    await world.fleet.spawn('explorer');
    await awaitVerdict(world.fleet, told, VERDICT_MS);
    const reasons = world.fleet.records('guard').map(({ reason }) => String(reason));
    expect(reasons).toContain('attempt 1 failed: RUN_OVERDUE');
    expect(statusOf(world.fleet, told)).toBe('failure');
  },
  TEST_MS,
);

test.runIf(DEEP)(
  'an explorer that is killed again and again goes on where it stood',
  async () => {
    const world = await start({ count: { explorer: 0 } });
    const told = await openStory(world.fleet, world.fleet.repos[0] ?? '', 'stalled', MANY_FILES);
    for (const crashAt of ['before-input', 'after-input', 'before-notes', 'after-notes']) {
      const doomed = await world.fleet.spawn('explorer', { crashAt });
      expect(await doomed.exited).toEqual({ code: null, signal: 'SIGKILL' });
    }
    await world.fleet.spawn('explorer');
    await awaitVerdict(world.fleet, told, VERDICT_MS);
    expect(statusOf(world.fleet, told)).toBe('failure');
  },
  TEST_MS,
);

const lastPromptOf = ({ requests }: ChatSim): string =>
  requests.findLast(({ request }) => request?.tools?.some(({ name }) => name === 'submit_review'))?.body ?? '';

const withExploreQueue = async <T>(
  { redis: { url } }: Fleet,
  work: (
    queue: ReturnType<ReturnType<typeof createQueues>['queue']>,
    redis: ReturnType<typeof connectRedis>,
  ) => Promise<T>,
): Promise<T> => {
  const redis = connectRedis(url, 'worker');
  const queues = createQueues(redis, createKeys('fixpoint').queues);
  try {
    return await work(queues.queue('explore'), redis);
  } finally {
    await queues.close();
    redis.disconnect();
  }
};
