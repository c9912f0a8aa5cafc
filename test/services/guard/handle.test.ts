/** In which order guard remembers and does, on a real Redis. */
import { EventEmitter } from 'node:events';
import type { Job } from 'bullmq';
import type { Redis } from 'ioredis';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import type { GuardDeps } from '../../../services/guard/deps.ts';
import { createGuardHandler } from '../../../services/guard/handle.ts';
import type { Policy } from '../../../shared/rounds/model/policy.ts';
import { ForgeId, RunId } from '../../../shared/vocabulary/ids.ts';
import { useRedis } from '../../support/use-redis.ts';
import { markerOfNewer } from '../../shared/text/marker-fixture.ts';
import * as make from '../../shared/rounds/builders.ts';
import { never } from '../../shared/workspace/repository.ts';
import { createModelForge } from './model-forge.ts';
import { createModelJobs } from './model-jobs.ts';
import { guardDeps } from './model-stage.ts';

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});

const OF = { ...make.changeRequest().changeRequest, forge: ForgeId.parse('main') };

const stage = (policy: Partial<Policy> = {}) => {
  const jobs = createModelJobs();
  const forge = createModelForge(jobs.nowMs);
  const done: string[] = [];
  const later: string[] = [];
  const real = guardDeps({
    redis,
    policy: make.policy(policy),
    jobs,
    forge,
    newRunId: () => RunId.parse('a'.repeat(20)),
  });
  const deps: GuardDeps = {
    ...real,
    states: {
      ...real.states,
      save: async (of, state, lease) => {
        done.push(`save with ${state.outbox.length === 0 ? 'nothing' : 'something'} to do`);
        await real.states.save(of, state, lease);
      },
    },
    enqueue: async (name, payload, options) => {
      if (name === 'post') done.push('enqueue a post');
      if (name === 'guard') later.push(`${options.jobId} after ${options.delayMs} ms`);
      await real.enqueue(name, payload, options);
    },
  };
  const opened = async (): Promise<void> => {
    const event = { ...make.forgeEvent('opened'), id: 'opened' };
    await deps.inbox.deliver({ changeRequest: OF, event, dedupKey: 'opened', deliveryId: null });
  };
  const attend = async () => {
    // The handler only hands the library's job on.
    const job = new EventEmitter() as unknown as Job;
    const context = { signal: never(), log: pino({ level: 'silent' }), job, attempt: 1 };
    return createGuardHandler(deps, async () => ({ kind: 'done' }))({ v: 1, kind: 'wake', changeRequest: OF }, context);
  };
  const publish = async () => deps.identities.publish('main', { id: make.BOT_ID, login: 'fixpoint' });
  return { deps, done, later, forge, opened, attend, publish };
};

describe('guard', () => {
  it('F-T6: decides nothing before a poster has said who the bot is, and loses no event by waiting', async () => {
    const { deps, done, opened, attend, publish } = stage();
    await opened();
    expect(await attend()).toMatchObject({ kind: 'defer' });
    expect([done, await deps.states.load(OF)]).toEqual([[], null]);
    await publish();
    expect(await attend()).toEqual({ kind: 'done' });
    expect(done).toContain('enqueue a post');
  });

  /** As a version writes it that knows one more kind of marker. */
  const ofNewer = markerOfNewer(make.SECRET);

  it('waits for another version that wrote a comment of the bot, says so once, and loses no event', async () => {
    const { deps, done, later, forge, opened, attend, publish } = stage();
    await publish();
    forge.say({ id: make.BOT_ID, login: 'fixpoint' }, ofNewer);
    await opened();
    expect([await attend(), await attend()]).toEqual([{ kind: 'done' }, { kind: 'done' }]);
    expect([done, await deps.states.load(OF)]).toEqual([[], null]);
    // However many events and passes of the sweep there are, one job looks again.
    expect([later.length, new Set(later).size]).toEqual([2, 1]);
    expect(later[0]).toMatch(/^other-version-main\.\S+-\d+ after 60000 ms$/);
    expect(await deps.decisions.list(OF)).toMatchObject([
      { effect: 'nothing', reason: expect.stringContaining('another version of Fixpoint wrote a comment of the bot') },
    ]);
    expect((await deps.inbox.read(OF)).events).toHaveLength(1);
  });

  it('leaves the slot of a run to others while it waits for another version', async () => {
    const { deps, forge, opened, attend, publish } = stage();
    await publish();
    await opened();
    await attend();
    const before = await deps.states.load(OF);
    expect(before?.slotHeld).toBe(true);
    forge.say({ id: make.BOT_ID, login: 'fixpoint' }, ofNewer);
    await deps.inbox.notify(OF, { source: 'wake', id: 'again', atMs: 0 });
    await attend();
    expect(await deps.states.load(OF)).toEqual({ ...before, slotHeld: false });
    expect(await deps.slots.running(OF.forge, OF.projectId)).toEqual([]);
  });

  it('orders once for each input that an approval is withdrawn which no readable verdict supports', async () => {
    const { deps, done, forge, opened, attend, publish } = stage({ forgeVerdict: 'approve_and_request_changes' });
    await publish();
    forge.say({ id: make.BOT_ID, login: 'fixpoint' }, ofNewer);
    await opened();
    await attend();
    await attend();
    expect(done).toEqual(['enqueue a post']);
    const orders = async () =>
      (await deps.decisions.list(OF)).filter(({ effect }) => effect === 'withdraw_approval').map(({ head }) => head);
    const { head } = forge.facts();
    expect(await orders()).toEqual([head]);
    const next = make.sha('second');
    forge.push(next);
    await attend();
    await attend();
    expect(await orders()).toEqual([head, next]);
    const [, second] = (await deps.decisions.list(OF)).filter(({ effect }) => effect === 'withdraw_approval');
    const plan = await deps.plans.load(deps.keys.plan(`${second?.events[0]}-withdraw`));
    expect(plan).toMatchObject({
      kind: 'withdraw',
      head: next,
      forgeVerdict: 'no_approval',
      status: null,
      summary: null,
    });
  });

  it('orders that a status is withdrawn which belongs to another input of the same head', async () => {
    const { deps, done, forge, opened, attend, publish } = stage();
    await publish();
    forge.say({ id: make.BOT_ID, login: 'fixpoint' }, ofNewer);
    const { head } = forge.facts();
    const lease = { key: deps.keys.ofChangeRequest(OF, 'lock'), token: 't', fence: 1 };
    await redis.set(lease.key, lease.token);
    await deps.states.save(OF, make.state({ reviewed: [make.at(head, { target: 'release' })] }), lease);
    await redis.del(lease.key);
    done.length = 0;
    await opened();
    await attend();
    const [order] = (await deps.decisions.list(OF)).filter(({ effect }) => effect === 'withdraw_approval');
    const plan = await deps.plans.load(deps.keys.plan(`${order?.events[0]}-withdraw`));
    expect(plan).toMatchObject({ head, status: { state: 'pending' } });
  });

  it('F-T7: saves what is to be done before it does any of it', async () => {
    const { done, opened, attend, publish } = stage();
    await publish();
    await opened();
    await attend();
    expect(done.slice(0, 2)).toEqual(['save with something to do', expect.stringMatching(/^(?:enqueue|save)/)]);
    expect(done.indexOf('enqueue a post')).toBeGreaterThan(0);
  });

  it('F-T7: leaves a plan as it was made, however often it is sent', async () => {
    const { deps, opened, attend, publish } = stage();
    await publish();
    await opened();
    const planOf = async () => {
      const planId = (await deps.states.load(OF))?.running?.planId ?? '';
      return { key: deps.keys.plan(planId), plan: await deps.plans.load(deps.keys.plan(planId)) };
    };
    await attend();
    const { key, plan } = await planOf();
    if (plan === null) throw new Error('the run was not announced');
    const state = await deps.states.load(OF);
    const mine = { ...plan, sourceBranch: 'as it was first' };
    await deps.plans.save(key, mine);
    // As after a crash between the effect and the second save: the same commands wait again.
    const lease = { key: deps.keys.ofChangeRequest(OF, 'lock'), token: 't', fence: 1 };
    await redis.set(lease.key, lease.token);
    if (state?.running === null || state === null) throw new Error('no run began');
    const announce = { kind: 'announce' as const, run: state.running, runsUsed: 1, supersededInRow: 0 };
    await deps.states.save(OF, { ...state, outbox: [announce] }, lease);
    await redis.del(lease.key);
    await attend();
    expect(await deps.plans.load(key)).toEqual(mine);
  });
});
