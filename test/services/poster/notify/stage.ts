/** The worker of the queue over a real Redis, with real receivers. The clock is the test's. */
import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import { expect } from 'vitest';
import type { NotifyDeps, NotifyForge } from '../../../../services/poster/notify/deps.ts';
import { createNotifyHandler } from '../../../../services/poster/notify/handle.ts';
import { createSend } from '../../../../services/poster/notify/send.ts';
import type { NotifyHook } from '../../../../shared/config/notify-settings.ts';
import type { ReceiverAccess } from '../../../../shared/config/secrets.ts';
import { createLogger } from '../../../../shared/logger.ts';
import { createMetrics } from '../../../../shared/metrics.ts';
import { NotifyAbout } from '../../../../shared/notify/event.ts';
import { createQueues, type Queues } from '../../../../shared/queue/enqueue.ts';
import { createRaise, type Raise } from '../../../../shared/queue/raise.ts';
import { startWorker } from '../../../../shared/queue/worker.ts';
import { createDocumentStore } from '../../../../shared/store/documents.ts';
import { createKeys } from '../../../../shared/store/keys.ts';
import { connectRedis } from '../../../../shared/store/redis.ts';
import { createSendingMarks } from '../../../../shared/store/sending-marks.ts';
import { NotifyEventKind } from '../../../../shared/vocabulary/notify.ts';

export const PROJECT = { id: 42, path: 'group/app', webUrl: 'https://forge.example/group/app', defaultBranch: 'main' };

export const FORGE: NotifyForge = {
  kind: 'gitlab',
  read: { fetchProject: async () => ({ ...PROJECT, unusable: null }) },
};

export type HookWish = Pick<NotifyHook, 'name' | 'kind'> &
  Partial<Pick<NotifyHook, 'events' | 'forges' | 'projects'>> & { readonly access: ReceiverAccess };

export type NotifyStage = {
  readonly raise: Raise;
  readonly queues: Queues;
  readonly redis: Redis;
  readonly logged: readonly string[];
  readonly metrics: ReturnType<typeof createMetrics>;
  /** Resolves with how often each outcome was counted, once no job is left to do. */
  readonly settled: () => Promise<Readonly<Record<string, number>>>;
  readonly jobs: () => Promise<readonly string[]>;
  readonly close: () => Promise<void>;
};

export type NotifyWish = {
  readonly url: string;
  readonly hooks: readonly HookWish[];
  readonly forge?: NotifyForge;
  readonly attempts?: number;
  readonly prefix?: string;
  readonly secrets?: readonly string[];
  readonly nowMs?: () => number;
  readonly totalMs?: number;
  readonly checkpoint?: NotifyDeps['checkpoint'];
};

export const startNotifyStage = (wish: NotifyWish): NotifyStage => {
  const redis = connectRedis(wish.url, 'worker');
  const keys = createKeys(wish.prefix ?? `p${randomBytes(6).toString('hex')}`);
  const queues = createQueues(redis, keys.queues, { attempts: wish.attempts ?? 4, backoffMs: 1 });
  const metrics = createMetrics({ service: 'poster', processMetrics: false });
  const abouts = createDocumentStore(redis, NotifyAbout);
  const logged: string[] = [];
  const hooks = wish.hooks.map(({ name, kind, events = [...NotifyEventKind.options], forges = [], projects = [] }) => ({
    name,
    kind,
    events,
    forges,
    projects,
    urlEnv: 'URL',
    secretEnv: null,
  }));
  const worker = startWorker<'notify'>({
    name: 'notify',
    connection: redis,
    prefix: keys.queues,
    concurrency: 2,
    lockMs: 5_000,
    stalledMs: 5_000,
    log: createLogger({
      service: 'poster',
      level: 'debug',
      to: { write: (line) => void logged.push(line) },
      secrets: wish.secrets ?? [],
    }),
    handle: createNotifyHandler({
      hooks,
      receivers: new Map(wish.hooks.map(({ name, access }) => [name, access])),
      forges: new Map([['main', wish.forge ?? FORGE]]),
      abouts: {
        load: async (id) => abouts.load(keys.about(id)),
        save: async (id, about) => abouts.save(keys.about(id), about),
      },
      enqueue: queues.enqueue,
      marks: createSendingMarks(redis, keys),
      send: createSend({ totalMs: wish.totalMs ?? 200 }),
      metrics,
      nowMs: wish.nowMs ?? (() => 5_000),
      checkpoint: wish.checkpoint ?? (() => {}),
    }),
  });
  const queue = queues.queue('notify');
  const settled = async (): Promise<Readonly<Record<string, number>>> => {
    const left = async (): Promise<number> => queue.getJobCountByTypes('wait', 'active', 'delayed', 'prioritized');
    await expect.poll(left, { timeout: 20_000, interval: 10 }).toBe(0);
    const { values } = await metrics.notifications.get();
    return Object.fromEntries(values.map(({ labels, value }) => [`${labels.hook} ${labels.outcome}`, value]));
  };
  const jobs = async (): Promise<readonly string[]> =>
    Promise.all((await queue.getJobs()).map(async (job) => `${job.data.kind} ${await job.getState()}`));
  const close = async (): Promise<void> => {
    await worker.close(2_000);
    await queues.close();
    redis.disconnect();
  };
  return { raise: createRaise(queues.enqueue, hooks), queues, redis, logged, metrics, settled, jobs, close };
};
