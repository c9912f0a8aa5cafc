import { randomBytes } from 'node:crypto';
import { pino } from 'pino';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { ForgeRequestError } from '../../../shared/forge/errors.ts';
import type { Trouble } from '../../../shared/outage/outage.ts';
import type { GuardJob } from '../../../shared/queue/contracts.ts';
import { createQueues } from '../../../shared/queue/enqueue.ts';
import { startWorker } from '../../../shared/queue/worker.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { createOutageStore, listOutages } from '../../../shared/outage/outages.ts';
import { createMistakeStore, listMistakes } from '../../../shared/outage/mistakes.ts';
import { connectRedis } from '../../../shared/store/redis.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';

let redis: TestRedis;
let leave: () => Promise<void> = async () => {};
beforeAll(async () => {
  redis = await startRedis();
});
afterEach(async () => leave());
afterAll(async () => redis.stop());

const job: GuardJob = { v: 1, kind: 'wake', changeRequest: { forge: 'main', projectId: 1, number: 2 } };
const away = new ForgeRequestError({ code: 'FORGE_UNAVAILABLE', message: 'x', disposition: { kind: 'retry' } });

/** A worker with a single attempt for its jobs, whose handler fails `outages` times. */
const stage = (outages: number, patienceMs: number, failing: Error = away) => {
  const prefix = randomBytes(6).toString('hex');
  const keys = createKeys(prefix);
  const connection = connectRedis(redis.url, 'worker');
  const queues = createQueues(connection, keys.queues, { attempts: 1, backoffMs: 1 });
  const seen = { calls: 0, told: [] as string[], exhausted: [] as (Trouble | null)[], active: [] as number[] };
  const timing = { nowMs: () => Date.now(), random: () => 0 };
  const worker = startWorker({
    name: 'guard',
    connection,
    prefix: keys.queues,
    concurrency: 1,
    lockMs: 5_000,
    stalledMs: 5_000,
    log: pino({ level: 'silent' }),
    outages: createOutageStore(connection, keys, { patienceMs, baseMs: 2, capMs: 4, ...timing }),
    mistakes: createMistakeStore(connection, keys, { queue: 'guard', nowMs: timing.nowMs }),
    handle: async () => {
      seen.calls += 1;
      if (seen.calls <= outages) throw failing;
      return { kind: 'done' };
    },
    onOutage: async (_payload, { what, code }) => {
      seen.told.push(`${what} ${code}`);
    },
    onExhausted: async (_payload, _code, trouble) => {
      seen.exhausted.push(trouble);
    },
  });
  leave = async () => {
    await worker.close(2_000);
    await queues.close();
    connection.disconnect();
  };
  const ended = async (): Promise<string> => {
    let state = '';
    const look = async (): Promise<boolean> => {
      state = (await (await queues.queue('guard').getJob('one'))?.getState()) ?? 'gone';
      return state === 'completed' || state === 'failed';
    };
    await expect.poll(look, { timeout: 20_000 }).toBe(true);
    return state;
  };
  const board = async () => listOutages(connection, keys, Date.now());
  return { seen, ended, board, start: async () => queues.enqueue('guard', job, { jobId: 'one' }), connection, keys };
};

describe('F-E5: a job that meets an outage', () => {
  it('waits without using its only attempt, says so once, and goes on', async () => {
    const on = stage(6, 60_000);
    await on.start();
    expect(await on.ended()).toBe('completed');
    expect(on.seen).toMatchObject({ calls: 7, told: ['forge FORGE_UNAVAILABLE'], exhausted: [] });
    expect(await on.board()).toEqual([]);
    expect(await on.connection.ttl(on.keys.waited('guard.one'))).toBeGreaterThan(0);
  });

  it('ends with its code once its patience is used up', async () => {
    const on = stage(1_000, 20);
    await on.start();
    expect(await on.ended()).toBe('failed');
    await expect
      .poll(() => on.seen.exhausted, { timeout: 5_000 })
      .toMatchObject([{ kind: 'outage', outage: { what: 'forge', code: 'FORGE_UNAVAILABLE' } }]);
    expect(on.seen.calls).toBeGreaterThan(4);
    expect(await on.board()).toMatchObject([{ what: 'forge', code: 'FORGE_UNAVAILABLE' }]);
  });

  it('fails at once without patience', async () => {
    const on = stage(1_000, 0);
    await on.start();
    expect(await on.ended()).toBe('failed');
    expect(on.seen.calls).toBe(1);
  });

  it('ends at once for a mistake in the configuration, which is on a board of its own', async () => {
    const refused = new ForgeRequestError({ code: 'FORGE_UNAUTHORISED', message: 'x', disposition: { kind: 'fail' } });
    const on = stage(1_000, 60_000, refused);
    await on.start();
    expect(await on.ended()).toBe('failed');
    expect([on.seen.calls, await on.board()]).toEqual([1, []]);
    expect(await listMistakes(on.connection, on.keys, Date.now())).toMatchObject([
      { what: 'forge', code: 'FORGE_UNAUTHORISED', queue: 'guard' },
    ]);
    expect(await on.connection.ttl(on.keys.mistakes)).toBeGreaterThan(0);
  });

  it('F-C12: is not on the board when it waits for people at one page', async () => {
    const draft = new ForgeRequestError({ code: 'FORGE_PENDING_DRAFT', message: 'x', disposition: { kind: 'fail' } });
    const boards: unknown[] = [];
    const on = stage(1_000, 20, draft);
    await on.start();
    await expect.poll(() => on.seen.calls, { timeout: 5_000 }).toBeGreaterThan(1);
    boards.push(await on.board());
    expect(await on.ended()).toBe('failed');
    expect([...boards, await on.board()]).toEqual([[], []]);
    expect(on.seen.told).toEqual(['forge FORGE_PENDING_DRAFT']);
  });
});

describe('F-E5: a job that meets a mistake in the configuration', () => {
  it.each([
    ['the error says so itself', { kind: 'fail' }, 'FORGE_UNAUTHORISED', 'FORGE_UNAUTHORISED', {}],
    [
      'the error asks for a retry',
      { kind: 'retry' },
      'FORGE_UNAVAILABLE',
      'FORGE_UNTRUSTED',
      { reason: 'CERT_HAS_EXPIRED' },
    ],
  ] as const)('ends at once when %s, and tells its code', async (_name, disposition, code, told, fields) => {
    const on = stage(1_000, 60_000, new ForgeRequestError({ code, message: 'x', disposition, fields }));
    await on.start();
    expect(await on.ended()).toBe('failed');
    const mistake = { what: 'forge', code: told };
    await expect.poll(() => on.seen.exhausted, { timeout: 5_000 }).toEqual([{ kind: 'mistake', mistake }]);
    expect([on.seen.calls, on.seen.told]).toEqual([1, []]);
  });
});
