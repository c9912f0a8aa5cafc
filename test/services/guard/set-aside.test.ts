/** A change request on which the processes of guard die, on a real Redis. */
import type { Redis } from 'ioredis';
import { describe, expect, test } from 'vitest';
import type { GuardDeps } from '../../../services/guard/deps.ts';
import { setAsideDeadly } from '../../../services/guard/stops/set-aside.ts';
import { WorkerDiedError } from '../../../shared/queue/job-errors.ts';
import { forgetDeathsOf } from '../../../shared/queue/death-watch.ts';
import { useRedis } from '../../support/use-redis.ts';
import * as make from '../../shared/rounds/builders.ts';
import { createPassStage, HEAD, OF, type Wish } from './pass-stage.ts';

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});

const OPENED = make.forgeEvent('opened', { head: HEAD });
const JOB = { v: 1, kind: 'wake', changeRequest: OF } as const;
const DEATHS = 3;

const stage = async (wish?: Wish) => {
  const on = await createPassStage(redis, wish);
  const { deps } = on;
  const posts: string[] = [];
  const wakes: string[] = [];
  const by: GuardDeps = {
    ...deps,
    enqueue: async (name, payload, options) => {
      if (name === 'post' && 'planId' in payload) posts.push(payload.planId);
      if (name === 'guard') wakes.push(options.jobId);
      await deps.enqueue(name, payload, options);
    },
  };
  /** Work that begins and never ends, as when the process is killed. */
  const die = async (times = DEATHS): Promise<void> => {
    for (let time = 0; time < times; time += 1) await deps.deathWatch?.begin(OF, true);
  };
  const planned = async (at: number) => deps.plans.load(deps.keys.plan(posts[at] ?? ''));
  const beginning = async () => deps.deathWatch?.begin(OF, false);
  return { ...on, attend: async () => on.attend(JOB, by), by, posts, wakes, die, planned, beginning };
};

describe('a change request that takes down the processes of guard', () => {
  test('is handled after two deaths, which are then forgotten', async () => {
    const { attend, deliver, die, posts, beginning } = await stage();
    await deliver(OPENED);
    await die(2);
    expect(await attend()).toEqual({ kind: 'done' });
    expect(posts).not.toEqual([]);
    expect(await beginning()).toEqual({ kind: 'begun' });
  });

  test('is no suspect any more when the work has failed, because that process lives', async () => {
    const { attend, deliver, die, deps, beginning } = await stage();
    await deliver(OPENED);
    await die(2);
    deps.decisions.list = async () => Promise.reject(new Error('unused'));
    deps.inbox.read = async () => Promise.reject(new Error('no'));
    await expect(attend()).rejects.toThrow('no');
    expect(await beginning()).toEqual({ kind: 'begun' });
  });

  test('waits while another one is at work during which a process died', async () => {
    const real = (await createPassStage(redis)).deps.deathWatch;
    if (real === undefined) throw new Error('the stage has no watch');
    const { attend, deliver, die, posts, waiting } = await stage({
      deps: { deathWatch: { ...real, alone: async () => null } },
    });
    await deliver(OPENED);
    await die(1);
    expect(await attend()).toEqual({ kind: 'defer', delayMs: 200 });
    expect([posts, await waiting()]).toEqual([[], [OPENED.id]]);
  });

  test('fails its job after three deaths, and reads nothing', async () => {
    const { attend, asked, deliver, die, waiting } = await stage();
    await deliver(OPENED);
    await die();
    await expect(attend()).rejects.toThrow(WorkerDiedError);
    expect([asked, await waiting()]).toEqual([[], [OPENED.id]]);
  });

  test('is set aside once the job has failed: one status for each head, no comment is read, no event is lost', async () => {
    const shown = { head: HEAD };
    const { attend, asked, by, deliver, deps, die, planned, posts, wakes, waiting } = await stage({
      facts: shown,
      deps: { policy: make.policy({ forgeVerdict: 'approve_and_request_changes' }) },
    });
    await deliver(OPENED);
    await die();
    const fail = setAsideDeadly(by);
    await fail(JOB, 'WORKER_DIED');
    await fail(JOB, 'WORKER_DIED');
    expect(wakes.filter((id) => id.startsWith('aside-'))).toHaveLength(1);
    expect((await deps.decisions.list(OF)).map(({ reason }) => reason)).toEqual([
      expect.stringMatching(/^WORKER_DIED: the process of guard died repeatedly/),
    ]);
    expect([await attend(), await attend()]).toEqual([{ kind: 'done' }, { kind: 'done' }]);
    expect(posts).toHaveLength(1);
    const order = { kind: 'withdraw', head: HEAD, status: { state: 'error' }, forgeVerdict: 'no_approval' };
    expect(await planned(0)).toMatchObject(order);
    const next = make.sha('next');
    shown.head = next;
    await attend();
    expect([posts.length, (await planned(1))?.head]).toEqual([2, next]);
    expect(asked).not.toContain('comments');
    expect(await waiting()).toEqual([OPENED.id]);

    await forgetDeathsOf(redis, deps.keys, OF);
    expect(await attend()).toEqual({ kind: 'done' });
    expect(asked).toContain('comments');
    expect(await waiting()).toEqual([]);
  });

  test('leaves its slot to others', async () => {
    const { attend, deliver, deps, by } = await stage();
    await deliver(OPENED);
    await attend();
    const state = await deps.states.load(OF);
    if (state === null) throw new Error('nothing was decided');
    expect(state.slotHeld).toBe(true);
    await setAsideDeadly(by)(JOB, 'WORKER_DIED');
    await attend();
    expect(await deps.states.load(OF)).toEqual({ ...state, slotHeld: false });
    expect(await deps.slots.running(OF.forge, OF.projectId)).toEqual([]);
  });

  test('is not set aside by any other failure, and a sweep belongs to no change request', async () => {
    const { by, beginning } = await stage();
    await setAsideDeadly(by)(JOB, 'UNEXPECTED');
    await setAsideDeadly(by)({ v: 1, kind: 'sweep' }, 'WORKER_DIED');
    expect(await beginning()).toEqual({ kind: 'begun' });
  });
});
