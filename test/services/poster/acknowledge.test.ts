/** The acknowledgement among posters that are late: a real lease in a real Redis, a forge in memory. */
import { pino } from 'pino';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { acknowledge } from '../../../services/poster/acknowledge.ts';
import type { Posting } from '../../../services/poster/deps.ts';
import { writeStatus } from '../../../services/poster/write-status.ts';
import type { ForgeComment } from '../../../shared/forge/port-facts.ts';
import type { StatusState } from '../../../shared/forge/port-statuses.ts';
import { buildAcknowledgePlan } from '../../../shared/rounds/plan/acknowledge-plan.ts';
import type { PostPlan } from '../../../shared/rounds/model/posting/post-plan.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { renewLease, withLease } from '../../../shared/store/lease.ts';
import { connectRedis } from '../../../shared/store/redis.ts';
import { startRedis, type TestRedis } from '../../support/redis.ts';
import * as make from '../../shared/rounds/builders.ts';
import { never } from '../../shared/workspace/repository.ts';
import { createFakeForge } from './fake-forge.ts';
import { EMPTY_LIST } from './free-place.ts';
import { posterDeps } from './poster-deps.ts';

let server: TestRedis;
let redis: ReturnType<typeof connectRedis>;
beforeAll(async () => {
  server = await startRedis();
  redis = connectRedis(server.url, 'worker');
});
afterAll(async () => {
  redis.disconnect();
  await server.stop();
});

const context = { facts: make.changeRequest(), history: make.history(), policy: make.policy() };
const plan = buildAcknowledgePlan(context, {
  input: make.at(make.sha('head')),
  noteId: null,
  noticeId: make.runId('notice'),
});

let benches = 0;

/** `beforeStatuses`: runs while the first answer about statuses is under way. */
const bench = (beforeStatuses: (lose: () => Promise<void>) => Promise<void> = async () => {}) => {
  benches += 1;
  const keys = createKeys(`ack${benches}`);
  const statuses: StatusState[] = [];
  let asked = 0;
  const lockOf = { key: '' };
  const { forge } = createFakeForge();
  const deps = posterDeps({
    loadPlan: async () => plan,
    underPlace: async (place, signal, work) => {
      lockOf.key = keys.ofPlace(place, 'lock');
      const nonce = `n${asked}`;
      const request = { key: lockOf.key, fenceKey: `${lockOf.key}-fence`, ttlMs: 60_000, nonce };
      return withLease(redis, request, signal, async (lease, leased) =>
        work(async () => renewLease(redis, lease, 60_000), leased),
      );
    },
  });
  const comments: ForgeComment[] = [];
  const posting: Posting = {
    deps,
    plan,
    log: pino({ level: 'silent' }),
    signal: never(),
    forge: {
      ...forge,
      read: {
        fetchChangeRequest: async () => make.changeRequest(),
        fetchComments: async () => comments,
        fetchStatuses: async () => {
          const answer = statuses
            .slice(-1)
            .map((state) => ({ context: 'fixpoint', state, description: '', createdAtMs: 0 }));
          asked += 1;
          if (asked === 1) await beforeStatuses(async () => void (await redis.del(lockOf.key)));
          return answer;
        },
        readOpenPage: async () => EMPTY_LIST,
      },
      write: {
        ...forge.write,
        writeStatus: async (_of, { state }) => {
          statuses.push(state);
          return null;
        },
      },
    },
  };
  return { posting, statuses };
};

const passing: PostPlan = { ...plan, kind: 'review', status: { state: 'success', description: 'Round 1' } };

describe('an acknowledgement', () => {
  test('says that the trigger was seen, once', async () => {
    const { posting, statuses } = bench();
    expect(await acknowledge(posting, 1)).toBe(true);
    expect(await acknowledge(posting, 1)).toBe(true);
    expect(statuses).toEqual(['pending']);
  });

  test('F-E4: a poster that slept through its lease writes nothing', async () => {
    const { posting, statuses } = bench(async (lose) => {
      await lose();
      await writeStatus({ ...posting, plan: passing }, make.changeRequest());
    });
    await expect(acknowledge(posting, 1)).rejects.toMatchObject({ code: 'LEASE_LOST' });
    expect(statuses).toEqual(['success']);
  });

  test('F-E4: nobody writes a verdict between its look and its word', async () => {
    const order: string[] = [];
    const { posting, statuses } = bench(async () => {
      order.push(
        (await posting.deps.underPlace({ forge: 'main', projectId: 1, head: plan.head }, never(), async () => true)) ===
          null
          ? 'busy'
          : 'free',
      );
    });
    await acknowledge(posting, 1);
    expect([order, statuses]).toEqual([['busy'], ['pending']]);
  });
});
