/** Guard as a service: real queues in a real Redis, and a forge in memory. The other services are only queues here. */
import type { Redis } from 'ioredis';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { startGuard } from '../../../services/guard/start.ts';
import { markerSecretsOf } from '../../../shared/config/loaded/marker-secrets.ts';
import type { ForgeComment } from '../../../shared/forge/port-facts.ts';
import type { Forge } from '../../../shared/forge/port.ts';
import { createQueues, type Queues } from '../../../shared/queue/enqueue.ts';
import { createInbox } from '../../../shared/queue/inbox.ts';
import type { InboxEvent } from '../../../shared/rounds/model/events.ts';
import { signMarker } from '../../../shared/rounds/memory/marker.ts';
import type { RunningService } from '../../../shared/runtime/run-service.ts';
import type { Fix } from '../../../shared/rounds/model/fixes.ts';
import { createGuardStates } from '../../../shared/store/guard-states.ts';
import { createIdentities } from '../../../shared/store/identities.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { ForgeId } from '../../../shared/vocabulary/ids.ts';
import { NOTHING_SPENT } from '../../../shared/vocabulary/spent.ts';
import * as make from '../../shared/rounds/builders.ts';
import { summaryBy } from '../../shared/rounds/two-runs-world.ts';
import { serviceContext } from '../../support/service-context.ts';
import { useRedis } from '../../support/use-redis.ts';

let redis: Redis;
useRedis((connection) => {
  redis = connection;
});

const keys = createKeys('fixpoint');
const OF = { forge: ForgeId.parse('sim'), projectId: 1, number: 5 };
const FACTS = make.changeRequest({ changeRequest: OF });
const SELF = { id: make.BOT_ID, login: 'fixpoint' };
const WAIT = { timeout: 5_000, interval: 10 };

let queues: Queues;
let leaving: AbortController;
let service: RunningService | null = null;
let asked: string[];
beforeEach(() => {
  queues = createQueues(redis, keys.queues, {});
  leaving = new AbortController();
  asked = [];
});
afterEach(async () => {
  leaving.abort();
  await service?.close(1_000);
  service = null;
  await queues.close();
});

/** Of a whole forge, guard and its sweep ask for these. */
const forgeWith = (comments: () => readonly ForgeComment[]): Forge => {
  const answer =
    <Value>(name: string, value: Value) =>
    async (): Promise<Value> => {
      asked.push(name);
      return value;
    };
  const project = { id: 1, path: 'acme/shop', webUrl: '', defaultBranch: 'main', unusable: null };
  const entry = { ...FACTS, updatedAtMs: 1 };
  const read = {
    fetchSelf: answer('self', SELF),
    fetchChangeRequest: answer('change request', FACTS),
    fetchComments: async () => comments(),
    fetchStatuses: answer('statuses', []),
    locateGit: answer('git', { url: 'http://forge.example/acme/shop.git', headRef: 'refs/pull/5/head' }),
    findProject: answer('project', project),
    fetchProject: answer('project', project),
    readOpenPage: answer('open', { open: [entry], last: true, total: 1, tag: 'first' }),
    fetchHooks: answer('hooks', []),
    fetchClosedIssues: answer('issues', []),
  };
  return { id: 'sim', read, botMarks: null } as unknown as Forge;
};

type Wish = { readonly said?: (markerSecret: string) => readonly ForgeComment[]; readonly schedules?: boolean };

const start = async ({ said = () => [], schedules = false }: Wish = {}): Promise<void> => {
  const more =
    '[queues]\nbackoff_ms = 50\n[agent.reviewer]\nmax_turns = 7\nmax_runtime_s = 70\n[author]\nmax_turns = 9\nmax_runtime_s = 90\n';
  let comments: readonly ForgeComment[] = [];
  const forge = forgeWith(() => comments);
  const context = serviceContext({ redis, service: 'guard', forge, more, signal: leaving.signal });
  comments = said(markerSecretsOf(context.config.secrets)[0]);
  await createIdentities(redis, keys).publish('sim', SELF);
  service = schedules ? await startGuard(context) : await startGuard(context, { schedules });
};

const deliver = async (event: InboxEvent): Promise<void> => createInbox(redis, keys, queues.enqueue).notify(OF, event);
const jobsOf = async (name: 'post' | 'review' | 'guard' | 'fix') =>
  (await queues.queue(name).getJobs(['wait', 'delayed', 'prioritized'])).map((job) => job.data);
const runOf = async () => (await createGuardStates(redis, keys).load(OF))?.running ?? null;

const announced = async (): Promise<void> => {
  await deliver(make.forgeEvent('opened', { head: FACTS.head }));
  const isAnnounced = async () => (await jobsOf('post')).some(({ planId }) => planId.endsWith('-announce'));
  await expect.poll(isAnnounced, WAIT).toBe(true);
  const run = await runOf();
  if (run === null) throw new Error('no run began');
  await deliver({ ...make.postEvent(run, 'posted'), id: 'announced' });
  await expect.poll(async () => jobsOf('review'), WAIT).toHaveLength(1);
};

test('an event begins a run, which is announced, and then ordered with the limits of the settings', async () => {
  await start();
  await announced();
  const run = await runOf();
  expect(await jobsOf('review')).toEqual([
    {
      v: 1,
      changeRequest: OF,
      runId: run?.runId,
      head: FACTS.head,
      review: 1,
      attempt: 1,
      mustFinish: false,
      budget: { maxTurns: 7, maxRuntimeS: 70 },
    },
  ]);
  expect(run?.runId).toMatch(/^[0-9a-f]{20}$/);
  // Nobody else may decide about it meanwhile.
  expect(await redis.exists(keys.ofChangeRequest(OF, 'lock'))).toBe(0);
});

test('the budgets count what the forge says was spent', async () => {
  const marker = {
    ...summaryBy({ seed: 'before', attempt: 1, runs: 1 }, 'posted'),
    cr: 'sim.1.5',
    head: make.sha('older'),
    reviewed: [make.reviewedAt(make.sha('older'))],
    spent: { ...NOTHING_SPENT, inputTokens: 500, costUsd: 2 },
  };
  await start({ said: (secret) => [make.comment(signMarker(marker, secret))] });
  await announced();
  const counters = await redis.keys('*:spent:*');
  const counted = await Promise.all(counters.map(async (key) => redis.hgetall(key)));
  const day = /\d{4}-\d\d-\d\d/;
  expect(counters.map((key) => key.replace(/^.*:spent:/, '').replace(day, 'DAY')).toSorted()).toEqual([
    'change-request:sim.1.5',
    'day:DAY',
    'project:sim.1:DAY',
  ]);
  expect(counted).toEqual(counters.map(() => ({ tokens: '500', microUsd: '2000000' })));
});

const ANSWER: InboxEvent = { source: 'message', id: 'answer', atMs: 1, kind: 'review_feedback' };

test('a review that waits for an external reviewer goes on when that one has answered', async () => {
  await start();
  await announced();
  const jobId = `review-${(await runOf())?.runId}`;
  const job = await queues.queue('review').getJob(jobId);
  await job?.remove();
  await queues.queue('review').add('review', {}, { jobId, delay: 60_000 });
  await deliver(ANSWER);
  await expect.poll(async () => queues.queue('review').getDelayedCount(), WAIT).toBe(0);
});

test('a review that does not wait is left alone when the external reviewer answers', async () => {
  await start();
  await announced();
  await deliver(ANSWER);
  const left = async () => ({
    inbox: (await createInbox(redis, keys, queues.enqueue).read(OF)).entries,
    outbox: (await createGuardStates(redis, keys).load(OF))?.outbox.length,
  });
  await expect.poll(left, WAIT).toEqual({ inbox: 0, outbox: 0 });
  expect(await jobsOf('review')).toHaveLength(1);
});

test('what a crash left undone is done first: a fix is ordered with the limits of the author', async () => {
  const fix: Fix = {
    runId: make.runId('fix'),
    head: FACTS.head,
    review: 1,
    number: 1,
    phase: 'working',
    planId: null,
    deadlineMs: Date.now() + 60_000,
    requester: null,
    end: null,
  };
  const lease = { key: keys.ofChangeRequest(OF, 'lock'), token: 'token', fence: 1 };
  await redis.set(lease.key, lease.token);
  const state = make.state({ fixing: fix, outbox: [{ kind: 'fix', fix }] });
  await createGuardStates(redis, keys).save(OF, state, lease);
  await redis.del(lease.key);
  await start();
  await deliver({ source: 'wake', id: 'wake', atMs: 1 });
  await expect
    .poll(async () => jobsOf('fix'), WAIT)
    .toMatchObject([{ head: FACTS.head, runId: fix.runId, budget: { maxTurns: 9, maxRuntimeS: 90 } }]);
});

test('a guard that schedules sweeps finds what no event told, and stops with its timer', async () => {
  await start({ schedules: true });
  await expect.poll(async () => jobsOf('post'), WAIT).toMatchObject([{ changeRequest: OF }]);
  expect(asked).toContain('hooks');
  expect(await queues.queue('guard').getJobScheduler('sweep')).toMatchObject({ every: 300_000 });
});

test('a guard for a single change request schedules none, and handles those of others', async () => {
  await start();
  expect(await queues.queue('guard').getJobScheduler('sweep')).toBeUndefined();
  await queues.enqueue('guard', { v: 1, kind: 'sweep' }, { jobId: 'sweep-of-another' });
  await expect.poll(async () => jobsOf('post'), WAIT).toMatchObject([{ changeRequest: OF }]);
});
