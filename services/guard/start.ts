import { randomBytes } from 'node:crypto';
import type { Queue } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Config } from '../../shared/config/load.ts';
import type { Forge } from '../../shared/forge/port.ts';
import type { Logger } from '../../shared/logger.ts';
import type { Metrics } from '../../shared/metrics.ts';
import { QUEUES } from '../../shared/queue/contracts.ts';
import { createQueues } from '../../shared/queue/enqueue.ts';
import { startWorker } from '../../shared/queue/worker.ts';
import { Brief } from '../../shared/rounds/brief.ts';
import { ReviewDraft } from '../../shared/rounds/draft.ts';
import { PostPlan } from '../../shared/rounds/post-plan.ts';
import { RunId } from '../../shared/rounds/vocabulary.ts';
import { createDecisions } from '../../shared/store/decisions.ts';
import { createDocumentStore } from '../../shared/store/documents.ts';
import { createGuardStates } from '../../shared/store/guard-states.ts';
import { createInbox } from '../../shared/store/inbox.ts';
import { createKeys } from '../../shared/store/keys.ts';
import { withLease } from '../../shared/store/lease.ts';
import { createSlots } from '../../shared/store/slots.ts';
import type { GuardDeps, GuardForge } from './deps.ts';
import { createGuardHandler } from './handle.ts';
import { policyOf } from './policy.ts';
import type { SweepForge } from './sweep.ts';

export type GuardServices = {
  readonly config: Config;
  readonly redis: Redis;
  readonly log: Logger;
  readonly metrics: Metrics;
  /** With reading tokens, by forge id. */
  readonly forges: ReadonlyMap<string, Forge>;
  readonly markerSecrets: readonly string[];
  readonly signal: AbortSignal;
};

export type RunningService = { readonly close: (deadlineMs: number) => Promise<void> };

const SWEEP_SCHEDULE = 'sweep';

export const startGuard = async (services: GuardServices): Promise<RunningService> => {
  const { config, redis, log, metrics } = services;
  const keys = createKeys(config.redis.prefix);
  const queues = createQueues(redis, keys.queues, config.queues);
  const deps = await createDeps(services, queues.enqueue);
  const worker = startWorker({
    name: 'guard',
    connection: redis,
    prefix: keys.queues,
    concurrency: config.queues.concurrency.guard,
    lockMs: config.queues.lockMs,
    stalledMs: config.queues.stalledMs,
    log,
    handle: createGuardHandler(deps, sweepForges(services)),
    onEnded: (seconds) => metrics.jobSeconds.observe({ queue: 'guard' }, seconds),
  });
  await scheduleSweep(queues.queue('guard'), config.sweep.intervalSeconds);
  return {
    close: async (deadlineMs) => {
      await worker.close(deadlineMs);
      await queues.close();
    },
  };
};

/** One schedule for all guards; the library keeps it once per id. */
const scheduleSweep = async (queue: Queue, intervalSeconds: number): Promise<void> => {
  await queue.upsertJobScheduler(
    SWEEP_SCHEDULE,
    { every: intervalSeconds * 1000 },
    {
      name: QUEUES.guard.name,
      data: { v: 1, kind: 'sweep' },
      opts: { attempts: 1, removeOnComplete: { count: 10 }, removeOnFail: { count: 10 } },
    },
  );
};

const createDeps = async (services: GuardServices, enqueue: GuardDeps['enqueue']): Promise<GuardDeps> => {
  const { config, redis, metrics, markerSecrets } = services;
  const keys = createKeys(config.redis.prefix);
  return {
    forges: await guardForges(services),
    policy: policyOf(config),
    runningPerProject: config.limits.runningPerProject,
    reviewBudget: { maxTurns: config.budgets.maxTurnsReviewer, maxRuntimeS: config.budgets.maxRuntimeSReviewer },
    markerSecrets,
    inbox: createInbox(redis, keys, enqueue),
    states: createGuardStates(redis, keys),
    decisions: createDecisions(redis, keys),
    slots: createSlots(redis, keys),
    briefs: createDocumentStore(redis, Brief),
    drafts: createDocumentStore(redis, ReviewDraft),
    plans: createDocumentStore(redis, PostPlan),
    keys,
    enqueue,
    underLease: async (of, signal, work) =>
      withLease(
        redis,
        {
          key: keys.ofChangeRequest(of, 'lock'),
          fenceKey: keys.ofChangeRequest(of, 'fence'),
          ttlMs: config.queues.lockMs,
          nonce: randomBytes(8).toString('hex'),
        },
        signal,
        work,
      ),
    metrics,
    nowMs: () => Date.now(),
    newRunId: () => RunId.parse(randomBytes(10).toString('hex')),
  };
};

const guardForges = async ({ config, forges, signal }: GuardServices): Promise<ReadonlyMap<string, GuardForge>> => {
  const entries = config.forges.flatMap((settings) => {
    const forge = forges.get(settings.id);
    return forge === undefined ? [] : [{ settings, forge }];
  });
  const connected = entries.map(async ({ settings, forge }) => {
    const self = await forge.read.fetchSelf(signal);
    const botIds = new Set([self.id, ...settings.previousBotUserIds]);
    return [settings.id, { read: forge.read, botIds, mention: settings.mention ?? self.login }] as const;
  });
  return new Map(await Promise.all(connected));
};

const sweepForges = ({ config, forges }: GuardServices): readonly SweepForge[] =>
  config.forges.flatMap(({ id, projects }) => {
    const forge = forges.get(id);
    return forge === undefined ? [] : [{ id, read: forge.read, projects }];
  });
