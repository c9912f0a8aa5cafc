/**
 * The real guard, the real poster and their real stores, over a Redis inside this process; a forge and a queue in memory;
 * a reviewer that hands in whatever the draw says.
 */
import { EventEmitter } from 'node:events';
import { createHash, randomBytes } from 'node:crypto';
import type { Job } from 'bullmq';
import type { Redis } from 'ioredis';
import { pino } from 'pino';
import type { GuardDeps } from '../../../services/guard/deps.ts';
import { createGuardHandler } from '../../../services/guard/handle.ts';
import { createPostHandler, reportLostPlan } from '../../../services/poster/handle.ts';
import { createPostOffice } from '../../../shared/mailbox/post-office.ts';
import { createMetrics } from '../../../shared/metrics.ts';
import { Brief } from '../../../shared/rounds/brief.ts';
import { ReviewDraft } from '../../../shared/rounds/draft.ts';
import type { InboxEvent } from '../../../shared/rounds/events.ts';
import type { Policy } from '../../../shared/rounds/facts.ts';
import { FixBrief } from '../../../shared/rounds/fix-brief.ts';
import { FixReport } from '../../../shared/rounds/fix-report.ts';
import { openThreads, threadsOfTalk } from '../../../shared/rounds/gate.ts';
import { type History, rebuildHistory } from '../../../shared/rounds/history.ts';
import { PostPlan } from '../../../shared/rounds/post-plan.ts';
import { RememberedSummary } from '../../../shared/rounds/remembered.ts';
import { RunId } from '../../../shared/rounds/vocabulary.ts';
import { createDecisions } from '../../../shared/store/decisions.ts';
import { createDocumentStore } from '../../../shared/store/documents.ts';
import { createGuardStates } from '../../../shared/store/guard-states.ts';
import { createIdentities } from '../../../shared/store/identities.ts';
import { createInbox, meaningOf } from '../../../shared/store/inbox.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { withLease } from '../../../shared/store/lease.ts';
import { createSeenKeys } from '../../../shared/store/seen-keys.ts';
import { createSlots } from '../../../shared/store/slots.ts';
import { RawText } from '../../../shared/store/texts.ts';
import * as make from '../../shared/rounds/builders.ts';
import { handedIn } from '../../shared/rounds/explore-drafts.ts';
import { never } from '../../shared/workspace/repository.ts';
import { createModelForge, type ModelForge } from './model-forge.ts';
import { createModelJobs, type ModelJob } from './model-jobs.ts';

const { changeRequest: OF } = make.changeRequest();

/** How the next review goes: with a draft of that number among all that can be handed in, or without. */
export type Mood =
  | { readonly kind: 'draft'; readonly draw: number }
  | { readonly kind: 'failed' | 'superseded' | 'lost' };

export type ModelStage = {
  readonly forge: ModelForge;
  readonly nowMs: () => number;
  readonly deliver: (event: InboxEvent, deliveryId?: string) => Promise<void>;
  /** Runs at most so many jobs; resolves to whether none is left. */
  readonly run: (jobs: number, draw: () => number) => Promise<boolean>;
  readonly setMood: (mood: Mood) => void;
  /** New objects over the same Redis and the same queue, as after a restart of every process. */
  readonly restart: () => Promise<void>;
  readonly flush: () => Promise<void>;
  /** Ids of the runs that a reviewer was given. */
  readonly reviews: () => ReadonlySet<string>;
  readonly history: () => History;
};

export const createModelStage = async (redis: Redis, policy: Policy): Promise<ModelStage> => {
  const jobs = createModelJobs();
  const forge = createModelForge(jobs.nowMs);
  const reviews = new Set<string>();
  let mood: Mood = { kind: 'draft', draw: 0 };
  let seed = 0;
  const newRunId = (): RunId => {
    seed += 1;
    return RunId.parse(createHash('sha1').update(`run ${seed}`).digest('hex').slice(0, 20));
  };
  const world = { redis, policy, jobs, forge, newRunId };
  let services = await startServices(world);
  const history = (): History =>
    rebuildHistory({
      comments: forge.comments(),
      key: make.KEY,
      botIds: new Set([make.BOT_ID]),
      secrets: [make.SECRET],
    });
  const deliver: ModelStage['deliver'] = async (event, deliveryId) => {
    const meaning = meaningOf(OF, deliveryId ?? event.id);
    await services.deps.inbox.deliver({ changeRequest: OF, event, meaning, deliveryId: null });
  };
  const review = async (runId: RunId): Promise<void> => {
    reviews.add(runId);
    const state = await services.deps.states.load(OF);
    const running = state?.running ?? null;
    const how = mood;
    // A failure is one failure; drafts differ from one run to the next.
    mood = { kind: 'draft', draw: how.kind === 'draft' ? how.draw + 7 : seed };
    if (running === null || running.runId !== runId || how.kind === 'lost') return;
    const { id: _, ...report } = make.runEvent(running, how.kind === 'draft' ? 'drafted' : how.kind);
    if (how.kind === 'draft') {
      const now = history();
      const open = running.talk === undefined ? openThreads(now, running.round) : threadsOfTalk(now, running.talk);
      const { legal, illegal } = handedIn({ run: running, history: now, open, maxThreads: 3 });
      const all = [...legal, ...legal, ...illegal];
      const draft = all[how.draw % all.length]?.draft;
      if (draft !== undefined) await services.deps.drafts.save(services.deps.keys.ofRun(runId, 'draft'), draft);
    }
    await deliver({ ...report, id: `run-${runId}` });
  };
  const work = async (job: ModelJob): Promise<number | null> => {
    if (job.name === 'review') {
      await review(job.payload.runId);
      return null;
    }
    if (job.name !== 'guard' && job.name !== 'post') throw new Error(`nobody works for ${job.name}`);
    const context = contextFor();
    const result = await (job.name === 'guard'
      ? services.guard(job.payload, context)
      : services.post(job.payload, context));
    return result.kind === 'defer' ? result.delayMs : null;
  };
  return {
    forge,
    nowMs: jobs.nowMs,
    deliver,
    history,
    reviews: () => reviews,
    setMood: (next) => {
      mood = next;
    },
    restart: async () => {
      services = await startServices(world);
    },
    flush: async () => {
      await redis.flushall();
      jobs.forget();
      services = await startServices(world);
    },
    run: async (count, draw) => {
      for (let done = 0; done < count; done += 1) {
        const taken = jobs.take(draw());
        if (taken === null) return true;
        const later = await work(taken.job).catch(async (error: unknown) => {
          if (taken.tries < TRIES) return BACKOFF_MS;
          if (taken.job.name === 'post') await services.lost(taken.job.payload, 'FORGE_UNAVAILABLE');
          if (taken.job.name === 'guard' && taken.job.payload.kind === 'sweep') throw error;
          return null;
        });
        if (later !== null) jobs.again(taken, later);
      }
      return false;
    },
  };
};

const TRIES = 4;
const BACKOFF_MS = 500;

type Ground = {
  readonly redis: Redis;
  readonly policy: Policy;
  readonly jobs: ReturnType<typeof createModelJobs>;
  readonly forge: ModelForge;
  readonly newRunId: () => RunId;
};

const contextFor = () => ({
  signal: never(),
  log: pino({ level: 'silent' }),
  // The handlers only hand the library's job on.
  job: new EventEmitter() as unknown as Job,
  attempt: 1,
});

const startServices = async (ground: Ground) => {
  const { redis, jobs, forge } = ground;
  const keys = createKeys('model');
  const deps = guardDeps(ground);
  await deps.identities
    .load('main')
    .then(async () => createIdentities(redis, keys).publish('main', { id: make.BOT_ID, login: 'fixpoint' }));
  const plans = createDocumentStore(redis, PostPlan);
  const poster = {
    forges: new Map([['main', forge.poster]]),
    markerSecrets: [make.SECRET] as const,
    operators: [],
    dryRun: false,
    statusContext: 'fixpoint',
    loadPlan: async (planId: string) => plans.load(keys.plan(planId)),
    seen: createSeenKeys(redis, keys),
    deliver: async (of: typeof OF, event: InboxEvent) => {
      await deps.inbox.deliver({ changeRequest: of, event, meaning: meaningOf(of, event.id), deliveryId: null });
    },
    underLease: async <T>(_of: typeof OF, signal: AbortSignal, task: (signal: AbortSignal) => Promise<T>) => ({
      result: await task(signal),
    }),
    metrics: createMetrics({ service: 'poster', processMetrics: false }),
    nowMs: jobs.nowMs,
    sleep: async () => {},
    checkpoint: () => {},
  };
  const guard = createGuardHandler(deps, async () => ({ kind: 'done' }));
  return { deps, guard, post: createPostHandler(poster), lost: reportLostPlan(poster) };
};

const guardDeps = ({ redis, policy, jobs, forge, newRunId }: Ground): GuardDeps => {
  const keys = createKeys('model');
  return {
    identities: createIdentities(redis, keys),
    forges: new Map([['main', forge.guard]]),
    policy,
    runningPerProject: 1,
    reviewBudget: { maxTurns: 8, maxRuntimeS: 60 },
    fixBudget: { maxTurns: 8, maxRuntimeS: 60 },
    markerSecrets: [make.SECRET],
    inbox: createInbox(redis, keys, jobs.enqueue),
    states: createGuardStates(redis, keys),
    summaries: createDocumentStore(redis, RememberedSummary),
    decisions: createDecisions(redis, keys),
    slots: createSlots(redis, keys),
    briefs: createDocumentStore(redis, Brief),
    drafts: createDocumentStore(redis, ReviewDraft),
    raws: createDocumentStore(redis, RawText),
    fixBriefs: createDocumentStore(redis, FixBrief),
    fixReports: createDocumentStore(redis, FixReport),
    plans: createDocumentStore(redis, PostPlan),
    keys,
    enqueue: jobs.enqueue,
    authorsOutside: {
      office: createPostOffice(redis, keys, { maxRounds: policy.rounds.max, leader: 'fixpoint' }),
      namesOf: () => [],
      ownName: 'fixpoint',
      clean: (text) => text,
    },
    resumeReview: async () => {},
    underLease: async (of, signal, work) =>
      withLease(
        redis,
        {
          key: keys.ofChangeRequest(of, 'lock'),
          fenceKey: keys.ofChangeRequest(of, 'fence'),
          ttlMs: 60_000,
          nonce: randomBytes(8).toString('hex'),
        },
        signal,
        work,
      ),
    metrics: createMetrics({ service: 'guard', processMetrics: false }),
    nowMs: jobs.nowMs,
    newRunId,
    checkpoint: () => {},
  };
};
