/** Row Q2 for guard and the poster: what takes down three of their processes is given up in words, and the others go on. */
import { afterEach, expect, test } from 'vitest';
import { createQueues } from '../../shared/queue/enqueue.ts';
import { createFailedJobs } from '../../shared/queue/failed-jobs.ts';
import { createKeys } from '../../shared/store/keys.ts';
import { connectRedis } from '../../shared/store/redis.ts';
import { type Fleet, startFleet } from '../support/fleet.ts';
import { handsOn } from '../support/fleet-forge.ts';
import { until } from '../support/fleet-queues.ts';
import { awaitVerdict, commitBase, openStory, statusOf, type Told } from '../support/fleet-story.ts';

const TEST_MS = 240_000;
const DEATHS = 3;

let fleet: Fleet | null = null;
afterEach(async () => {
  const ended = fleet;
  fleet = null;
  await ended?.close();
});

const start = async (without: 'guard' | 'poster'): Promise<Fleet> => {
  const knobs = { lockMs: 3_000, stalledMs: 500, sweepSeconds: 5, reviewAttempts: 2 };
  const started = await startFleet({ count: { explorer: 0, [without]: 0 }, knobs });
  fleet = started;
  await commitBase(started);
  return started;
};

/** Starts one process after another that is killed at this step. */
const dieAt = async (on: Fleet, name: 'guard' | 'poster', crashAt: string): Promise<void> => {
  for (let death = 1; death <= DEATHS; death += 1) {
    const doomed = await on.spawn(name, { crashAt });
    expect(await doomed.exited).toEqual({ code: null, signal: 'SIGKILL' });
  }
};

const errorsOf = (on: Fleet, told: Told): readonly string[] =>
  on.sim
    .snapshot(told.repo, told.number)
    .statuses.filter(({ state }) => state === 'error')
    .map(({ description }) => description);

test(
  'Q2: a change request that takes down three processes of guard is set aside with one status, until its job is run again',
  async () => {
    const on = await start('guard');
    const [repo = ''] = on.repos;
    const told = await openStory(on, repo, 'dying');
    await dieAt(on, 'guard', 'before-acquire_slot');
    await on.spawn('guard');
    await until(() => statusOf(on, told) === 'error', 60_000);
    expect(errorsOf(on, told)).toEqual([expect.stringMatching(/^Not reviewed: Fixpoint crashed repeatedly/)]);

    const next = await openStory(on, repo, 'living');
    await awaitVerdict(on, next);
    expect(statusOf(on, next)).toBe('failure');
    expect(errorsOf(on, told)).toHaveLength(1);
    expect(handsOn(on.sim).look(told).comments).toEqual([]);

    const redis = connectRedis(on.redis.url, 'worker');
    const keys = createKeys('fixpoint');
    const queues = createQueues(redis, keys.queues);
    try {
      const failed = createFailedJobs({ redis, keys, queues });
      const { jobs } = await failed.list(10);
      const ours = jobs.filter(({ queue, code }) => queue === 'guard' && code === 'WORKER_DIED');
      expect(ours.map(({ changeRequest }) => changeRequest?.number)).toContain(told.number);
      const [job] = ours.filter(({ changeRequest }) => changeRequest?.number === told.number);
      expect(await failed.runAgain('guard', job?.jobId ?? '')).toBe('queued');
    } finally {
      await queues.close();
      redis.disconnect();
    }
    await until(() => statusOf(on, told) === 'failure', 60_000);
    expect(handsOn(on.sim).look(told).inline).not.toEqual([]);
  },
  TEST_MS,
);

test(
  'Q2: a plan that takes down three posters ends its run in one failed status with the reason, and the next one is posted',
  async () => {
    const on = await start('poster');
    const [repo = ''] = on.repos;
    // Guard waits until a poster has said who posts.
    const told = await openStory(on, repo, 'dying');
    await dieAt(on, 'poster', 'before-status');
    await on.spawn('poster');
    await until(() => statusOf(on, told) === 'error', 60_000);
    const { comments, inline } = handsOn(on.sim).look(told);
    expect(inline).toEqual([]);
    const words = 'Why: a process of Fixpoint died repeatedly';
    expect(comments.filter(({ body }) => body.includes(words))).toHaveLength(1);
    expect(errorsOf(on, told)).toHaveLength(1);

    const next = await openStory(on, repo, 'living');
    await awaitVerdict(on, next);
    expect(statusOf(on, next)).toBe('failure');
    expect(statusOf(on, told)).toBe('error');
  },
  TEST_MS,
);
