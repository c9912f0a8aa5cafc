/** The sweep over a real Redis: what it wakes, what it leaves alone, and how it repairs lost slots. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import type { Redis } from 'ioredis';
import type { GuardDeps } from '../../../services/guard/deps.ts';
import { sweep, type SweepForge } from '../../../services/guard/sweep.ts';
import type { JobContext } from '../../../shared/queue/worker.ts';
import { createLogger } from '../../../shared/logger.ts';
import type { GuardState } from '../../../shared/rounds/state.ts';
import type { ChangeRequest } from '../../../shared/rounds/vocabulary.ts';
import { createGuardStates } from '../../../shared/store/guard-states.ts';
import { createInbox } from '../../../shared/store/inbox.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { withLease } from '../../../shared/store/lease.ts';
import { connectRedis } from '../../../shared/store/redis.ts';
import { createSlots } from '../../../shared/store/slots.ts';
import { NOW, run, sha, state } from '../../shared/rounds/builders.ts';
import { never } from '../../shared/workspace/repository.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';

const keys = createKeys('sweep-test');
const PROJECT = 3;
const of = (number: number): ChangeRequest => ({ forge: 'main', projectId: PROJECT, number });

let server: TestRedis;
let redis: Redis;
beforeAll(async () => {
  server = await startRedis();
  redis = connectRedis(server.url, 'worker');
});
afterAll(async () => {
  redis?.disconnect();
  await server?.stop();
});
beforeEach(async () => void (await redis.flushall()));

type World = {
  readonly deps: GuardDeps;
  readonly logged: string[];
  readonly run: (open: readonly number[], failing?: boolean) => Promise<void>;
  readonly save: (number: number, patch: Partial<GuardState>) => Promise<void>;
  /** What waits for guard, by change request. */
  readonly woken: (...numbers: readonly number[]) => Promise<readonly (readonly string[])[]>;
};

/** Only what the sweep may touch is there: any other part of guard is missing and fails. */
const createWorld = (): World => {
  const logged: string[] = [];
  const slots = createSlots(redis, keys);
  const states = createGuardStates(redis, keys);
  const inbox = createInbox(redis, keys, async () => {});
  const leaseOf = (at: ChangeRequest) => ({
    key: keys.ofChangeRequest(at, 'lock'),
    fenceKey: keys.ofChangeRequest(at, 'fence'),
    ttlMs: 10_000,
    nonce: 'test',
  });
  const underLease: GuardDeps['underLease'] = async (at, signal, work) => withLease(redis, leaseOf(at), signal, work);
  const narrow: Partial<GuardDeps> = { states, inbox, slots, underLease, runningPerProject: 1, nowMs: () => NOW };
  // The sweep needs no more; reaching for another part is a mistake that shows at once.
  const deps = narrow as GuardDeps;
  const log = createLogger({
    service: 'guard',
    level: 'info',
    to: { write: (line) => void logged.push(line) },
    secrets: [],
  });
  // Of the job only signal and log are read.
  const context = { signal: never(), log } as unknown as JobContext;
  return {
    deps,
    logged,
    run: async (open, failing = false) => {
      const read: SweepForge['read'] = {
        findProject: async (path) => {
          if (failing && path === 'broken') throw new Error('unreachable');
          return { id: PROJECT, path, webUrl: '', defaultBranch: 'main' };
        },
        readOpenPage: async () => ({
          open: open.map((number) => ({
            changeRequest: of(number),
            head: sha(`head ${number}`),
            draft: false,
            updatedAtMs: 0,
          })),
          last: true,
          total: open.length,
          tag: 'tag',
        }),
      };
      await sweep(deps, [{ id: 'main', read, projects: failing ? ['broken', 'shop'] : ['shop'] }], context);
    },
    save: async (number, patch) => {
      const held = await underLease(of(number), never(), async (lease) => states.save(of(number), state(patch), lease));
      expect(held).not.toBeNull();
    },
    woken: async (...numbers) =>
      Promise.all(numbers.map(async (number) => (await inbox.read(of(number))).events.map(({ source }) => source))),
  };
};

describe('the sweep', () => {
  test('wakes guard for what it has never seen, what is under way and what has a new head', async () => {
    const world = createWorld();
    await world.save(2, { running: run({ head: sha('head 2') }) });
    await world.save(3, { reviewedHeads: [sha('an older head')] });
    await world.run([1, 2, 3]);
    expect(await world.woken(1, 2, 3)).toEqual([['sweep'], ['sweep'], ['sweep']]);
  });

  test('leaves alone what has its verdict or its last word', async () => {
    const world = createWorld();
    await world.save(1, { reviewedHeads: [sha('head 1')] });
    await world.save(2, { closedHeads: [sha('head 2')] });
    await world.run([1, 2]);
    expect(await world.woken(1, 2)).toEqual([[], []]);
  });

  test('goes on with the other projects when one cannot be read, and says so', async () => {
    const world = createWorld();
    await world.run([1], true);
    expect(await world.woken(1)).toEqual([['sweep']]);
    expect(world.logged.filter((line) => line.includes('a project could not be swept'))).toHaveLength(1);
  });
});

describe('the repair of slots', () => {
  test('takes back a slot whose holder does not know of it and offers it to whoever waits', async () => {
    const world = createWorld();
    const { slots } = world.deps;
    expect(await slots.acquire(of(1), 1, NOW)).toBe(true);
    expect(await slots.acquire(of(2), 1, NOW)).toBe(false);
    await world.save(1, { slotHeld: false, reviewedHeads: [sha('head 1')] });
    await world.save(2, { reviewedHeads: [sha('head 2')] });
    await world.run([1, 2]);
    expect(await slots.running('main', PROJECT)).toEqual([]);
    expect(await world.woken(1, 2)).toEqual([[], ['wake']]);
  });

  test('leaves a slot with a holder that knows of it', async () => {
    const world = createWorld();
    const { slots } = world.deps;
    await slots.acquire(of(1), 1, NOW);
    await slots.acquire(of(2), 1, NOW);
    await world.save(1, { slotHeld: true, running: run({ head: sha('head 1') }) });
    await world.run([]);
    expect(await slots.running('main', PROJECT)).toEqual([1]);
    expect(await world.woken(2)).toEqual([[]]);
  });

  test('offers a free slot that nobody was told of', async () => {
    const world = createWorld();
    const { slots } = world.deps;
    await slots.acquire(of(1), 1, NOW);
    await slots.acquire(of(2), 1, NOW);
    await redis.del(keys.ofProject('main', PROJECT, 'running'));
    await world.run([]);
    expect(await world.woken(2)).toEqual([['wake']]);
  });

  test('does not touch a holder that somebody is working on', async () => {
    const world = createWorld();
    const { slots, underLease } = world.deps;
    await slots.acquire(of(1), 1, NOW);
    await underLease(of(1), never(), async () => world.run([]));
    expect(await slots.running('main', PROJECT)).toEqual([1]);
  });
});

test('a sweep at the same time for the same head is one event', async () => {
  const world = createWorld();
  await world.run([1]);
  await world.run([1]);
  expect(await world.woken(1)).toEqual([['sweep']]);
});
