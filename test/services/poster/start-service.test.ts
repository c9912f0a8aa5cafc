/** The poster as a service: real queues in a real Redis, and a forge in memory. */
import type { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startPoster } from '../../../services/poster/start.ts';
import { ForgeRequestError } from '../../../shared/forge/errors.ts';
import type { Forge } from '../../../shared/forge/port.ts';
import { createQueues, type Queues } from '../../../shared/queue/enqueue.ts';
import { createInbox } from '../../../shared/queue/inbox.ts';
import type { InboxEvent } from '../../../shared/rounds/model/events.ts';
import { inputOf } from '../../../shared/rounds/model/input.ts';
import { PostPlan } from '../../../shared/rounds/model/posting/post-plan.ts';
import { buildCapPlan } from '../../../shared/rounds/plan/cap-plan.ts';
import type { RunningService } from '../../../shared/runtime/run-service.ts';
import { createDocumentStore } from '../../../shared/store/documents.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { ForgeId } from '../../../shared/vocabulary/ids.ts';
import * as make from '../../shared/rounds/builders.ts';
import { serviceContext } from '../../support/service-context.ts';
import { useRedis } from '../../support/use-redis.ts';
import { createMemoryForge, type MemoryForge } from './memory-forge.ts';
import { type Receiver, startReceiver } from './notify/receiver.ts';

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});

const keys = createKeys('fixpoint');
const changeRequest = { forge: ForgeId.parse('sim'), projectId: 1, number: 5 };
const facts = make.changeRequest({ changeRequest });
const plan: PostPlan = buildCapPlan(
  { facts, history: make.history(), policy: make.policy() },
  { input: inputOf(facts), cap: 'runs', noticeId: make.runId('n') },
);

let queues: Queues;
let receiver: Receiver;
let leaving: AbortController;
let service: RunningService | null = null;
beforeEach(async () => {
  queues = createQueues(redis, keys.queues, {});
  receiver = await startReceiver('/on-call');
  leaving = new AbortController();
});
afterEach(async () => {
  leaving.abort();
  await service?.close(1_000);
  service = null;
  await receiver.close();
  await queues.close();
});

/** Of a whole forge, the poster uses what the forge in memory has, and the two questions that are added. */
const whole = ({ forge }: MemoryForge): Forge =>
  ({
    id: 'sim',
    ...forge,
    botMarks: null,
    read: {
      ...forge.read,
      ...forge.calls.read,
      fetchSelf: async () => ({ id: make.BOT_ID, login: 'fixpoint' }),
      fetchProject: async () => ({
        id: 1,
        path: 'acme/shop',
        webUrl: 'http://forge.example/acme/shop',
        unusable: null,
      }),
    },
  }) as unknown as Forge;

const start = async (memory: MemoryForge, more = ''): Promise<void> => {
  memory.facts = facts;
  const env = { ON_CALL: receiver.url };
  const wish = { redis, service: 'poster', forge: whole(memory), env, signal: leaving.signal } as const;
  service = await startPoster(serviceContext({ ...wish, more: `[queues]\nbackoff_ms = 50\n${more}` }));
};

const order = async (): Promise<void> => {
  await createDocumentStore(redis, PostPlan).save(keys.plan(plan.planId), plan);
  const { runId, planId } = plan;
  const budget = { maxWrites: 20, maxRuntimeS: 20 };
  await queues.enqueue('post', { v: 1, changeRequest, runId, planId, budget }, { jobId: planId });
};

const told = async (): Promise<readonly InboxEvent[]> =>
  (await createInbox(redis, keys, queues.enqueue).read(changeRequest)).events;
const outcomes = async (): Promise<readonly string[]> =>
  (await told()).map((event) => (event.source === 'post' ? event.outcome : event.source));
const WAIT = { timeout: 5_000, interval: 10 };

const NOTIFY = '[[notify]]\nname = "on-call"\nkind = "mattermost"\nurl_env = "ON_CALL"\n';

test('a plan in the queue is posted, and guard is told', async () => {
  const memory = createMemoryForge();
  await start(memory);
  await order();
  await expect.poll(outcomes, WAIT).toEqual(['posted']);
  expect(memory.done).toEqual(['create', 'create', 'status error']);
  // Where nobody is to be notified, nothing is stored for it.
  expect(await redis.keys('*notify*')).toEqual([]);
});

test('guard is told that a plan waits while the forge is away, and that it was posted afterwards', async () => {
  const memory = createMemoryForge();
  await start(memory);
  memory.beforeWrite = () => {
    memory.beforeWrite = () => {};
    throw new ForgeRequestError({ code: 'FORGE_UNAVAILABLE', message: 'away', disposition: { kind: 'retry' } });
  };
  await order();
  await expect.poll(outcomes, WAIT).toEqual(['outage', 'posted']);
  expect((await told())[0]).toMatchObject({ kind: 'waits', what: 'forge', runId: plan.runId });
  expect((await told())[0]?.id).toContain(plan.planId);
});

test('a hand-off reaches the receiver of the operator, and both queues are left when the service ends', async () => {
  await start(createMemoryForge(), NOTIFY);
  await order();
  await expect.poll(() => receiver.received.length, WAIT).toBe(1);
  expect(receiver.received[0]?.body).toContain('acme/shop');
  const workers = async () =>
    Promise.all((['post', 'notify'] as const).map(async (name) => queues.queue(name).getWorkersCount()));
  expect(await workers()).toEqual([1, 1]);
  await service?.close(1_000);
  expect(await workers()).toEqual([0, 0]);
});
