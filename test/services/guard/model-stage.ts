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
import type { PosterDeps } from '../../../services/poster/deps.ts';
import { createPostHandler, reportLostPlan } from '../../../services/poster/handle.ts';
import { CiReport } from '../../../shared/analyzers/ci/ci-report.ts';
import { AnalyzerSettings, isFromCi } from '../../../shared/config/analyzer-settings.ts';
import { AppError } from '../../../shared/errors.ts';
import { createMessageStore } from '../../../shared/mailbox/message-store.ts';
import { createMetrics } from '../../../shared/metrics.ts';
import { Brief } from '../../../shared/rounds/model/brief.ts';
import { ReviewDraft } from '../../../shared/rounds/model/draft.ts';
import type { InboxEvent } from '../../../shared/rounds/model/events.ts';
import { stageOf } from '../../../shared/rounds/model/counts.ts';
import type { Policy } from '../../../shared/rounds/model/policy.ts';
import { FixBrief, FixReport } from '../../../shared/rounds/model/fix-brief.ts';
import { openThreads, threadsInScope } from '../../../shared/rounds/gate/gate.ts';
import { rebuildHistory } from '../../../shared/rounds/memory/rebuild-history.ts';
import type { History } from '../../../shared/rounds/model/history.ts';
import { PostPlan } from '../../../shared/rounds/model/posting/post-plan.ts';
import { RememberedSummary } from '../../../shared/rounds/memory/own-markers.ts';
import type { Run } from '../../../shared/rounds/model/run.ts';
import { RunId } from '../../../shared/vocabulary/ids.ts';
import { createDeathWatch } from '../../../shared/queue/death-watch.ts';
import { createDecisions } from '../../../shared/store/decisions.ts';
import { createDocumentStore } from '../../../shared/store/documents.ts';
import { createGuardStates } from '../../../shared/store/guard-states.ts';
import { createHeads } from '../../../shared/store/heads.ts';
import { createIdentities } from '../../../shared/store/identities.ts';
import { createInbox } from '../../../shared/queue/inbox.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { withLease } from '../../../shared/store/lease.ts';
import { createReadings } from '../../../shared/store/readings.ts';
import { createSeenKeys } from '../../../shared/store/seen-keys.ts';
import { createPauses } from '../../../shared/store/board/pauses.ts';
import { createSlots } from '../../../shared/store/slots.ts';
import { RawText, RulesFound } from '../../../shared/store/texts.ts';
import * as make from '../../shared/rounds/builders.ts';
import { handedIn } from '../../shared/rounds/explore-drafts.ts';
import { never } from '../../shared/workspace/repository.ts';
import { createModelForge, JOB, type ModelForge } from './model-forge.ts';
import { createModelJobs, type ModelJob, type WaitingJob } from './model-jobs.ts';
import { FREE_PLACE } from '../poster/free-place.ts';
import { callDeps } from '../poster/calls-fixture.ts';

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
  /** Heads that were given to a reviewer although they had their review, and nobody asked for all of it. */
  readonly again: () => readonly string[];
  /** Ids of runs that a reviewer was given without the report of CI that it uses. */
  readonly unreported: () => readonly string[];
  readonly history: () => History;
  /** The head that waits for its review although no run is in progress. */
  readonly heldBack: () => Promise<string | null>;
};

const historyOn = ({ forge }: Ground): History =>
  rebuildHistory({ comments: forge.comments(), key: make.KEY, botIds: new Set([make.BOT_ID]), secrets: [make.SECRET] });

/** An answer in threads needs none here, because no thread is one of an analyzer. */
const hasReport = async ({ deps: { ciReports, keys } }: Services, { kind, runId }: Run): Promise<boolean> =>
  kind !== 'review' || (await ciReports.load(keys.ciReport(runId, 'sast'))) !== null;

const ANALYZERS = AnalyzerSettings.parse([
  { name: 'sast', from: 'ci-artifact', job: JOB, artifact: 'report.sarif' },
]).filter(isFromCi);

const createReviewer = (ground: Ground) => {
  const reviews = new Set<string>();
  const again: string[] = [];
  const unreported: string[] = [];
  const note = (run: Run): void => {
    const isNew = run.kind === 'review' && run.full === undefined;
    if (isNew && historyOn(ground).reviewed.some((input) => input.head === run.head)) again.push(run.head);
  };
  let mood: Mood = { kind: 'draft', draw: 0 };
  const handIn = async ({ deps }: Services, run: Run, draw: number): Promise<void> => {
    const history = historyOn(ground);
    const open = run.kind === 'reply' ? threadsInScope(history, run.scope) : openThreads(history, run.review);
    const isClosing = run.kind === 'review' && stageOf(history, ground.policy.rounds) === 'closing';
    const { legal, illegal } = handedIn({ run, history, open, maxThreads: 3, isClosing, unverified: true });
    const all = [...legal, ...legal, ...illegal];
    const draft = all[draw % all.length]?.draft;
    if (draft !== undefined) await deps.drafts.save(deps.keys.ofRun(run.runId, 'draft'), draft);
  };
  return {
    reviews: (): ReadonlySet<string> => reviews,
    again: (): readonly string[] => again,
    unreported: (): readonly string[] => unreported,
    setMood: (next: Mood): void => {
      mood = next;
    },
    review: async (services: Services, runId: RunId): Promise<void> => {
      reviews.add(runId);
      const how = mood;
      // A failure is one failure; drafts differ from one run to the next.
      mood = { kind: 'draft', draw: how.kind === 'draft' ? how.draw + 7 : reviews.size };
      const running = (await services.deps.states.load(OF))?.running ?? null;
      if (running === null || running.runId !== runId) return;
      note(running);
      if (!(await hasReport(services, running))) unreported.push(runId);
      if (how.kind === 'lost') return;
      if (how.kind === 'draft') await handIn(services, running, how.draw);
      await services.deliver(make.runEvent(running, how.kind === 'draft' ? 'drafted' : how.kind));
    },
  };
};

export const createModelStage = async (redis: Redis, policy: Policy): Promise<ModelStage> => {
  const jobs = createModelJobs();
  const ground: Ground = { redis, policy, jobs, forge: createModelForge(jobs.nowMs), newRunId: numberedRuns() };
  const { reviews, again, unreported, setMood, review } = createReviewer(ground);
  let services = await startServices(ground);
  const work = async ({ name, payload }: ModelJob): Promise<number | null> => {
    if (name === 'review') await review(services, payload.runId);
    if (name !== 'guard' && name !== 'post') return null;
    const result = await (name === 'guard' ? services.guard(payload, context()) : services.post(payload, context()));
    return result.kind === 'defer' ? result.delayMs : null;
  };
  const restart = async (): Promise<void> => {
    services = await startServices(ground);
  };
  return {
    forge: ground.forge,
    nowMs: jobs.nowMs,
    history: () => historyOn(ground),
    heldBack: async () => {
      const { running = null, wanted = null } = (await services.deps.states.load(OF)) ?? {};
      return running === null ? (wanted?.head ?? null) : null;
    },
    reviews,
    again,
    unreported,
    setMood,
    restart,
    deliver: async (event, deliveryId) => services.deliver(event, deliveryId),
    flush: async () => {
      await redis.flushall();
      jobs.forget();
      await restart();
    },
    run: async (count, draw) => {
      for (let done = 0; done < count; done += 1) {
        const taken = jobs.take(draw());
        if (taken === null) return true;
        const later = await work(taken.job).catch(async (error: unknown) => afterFailure(services, taken, error));
        if (later !== null) jobs.again(taken, later);
      }
      return false;
    },
  };
};

const numberedRuns = (): (() => RunId) => {
  let number = 0;
  return () => {
    number += 1;
    return RunId.parse(createHash('sha1').update(`run ${number}`).digest('hex').slice(0, 20));
  };
};

/** As the queue does: again a few times, then whoever waits for it is told. */
const afterFailure = async (services: Services, { job, tries }: WaitingJob, error: unknown): Promise<number | null> => {
  if (!(error instanceof AppError)) throw error;
  if (tries < TRIES) return BACKOFF_MS;
  if (job.name === 'post') await services.lost(job.payload, 'FORGE_UNAVAILABLE');
  return null;
};

const TRIES = 4;
const BACKOFF_MS = 500;

export type Ground = {
  readonly redis: Redis;
  readonly policy: Policy;
  readonly jobs: ReturnType<typeof createModelJobs>;
  readonly forge: ModelForge;
  readonly newRunId: () => RunId;
};

const context = () => ({
  signal: never(),
  log: pino({ level: 'silent' }),
  // The handlers only hand the library's job on.
  job: new EventEmitter() as unknown as Job,
  attempt: 1,
});

type Services = Awaited<ReturnType<typeof startServices>>;

const startServices = async (ground: Ground) => {
  const keys = createKeys('model');
  const ciReports = createDocumentStore(ground.redis, CiReport);
  const deps = { ...guardDeps(ground), ciAnalyzers: ANALYZERS, ciReports };
  // The poster says at its start who it is.
  await deps.identities.publish('main', { id: make.BOT_ID, login: 'fixpoint' });
  const deliver = async (event: InboxEvent, deliveryId = event.id): Promise<void> => {
    await deps.inbox.deliver({ changeRequest: OF, event, dedupKey: deliveryId, deliveryId: null });
  };
  const poster: PosterDeps = {
    forges: new Map([['main', ground.forge.poster]]),
    markerSecrets: [make.SECRET],
    ...callDeps(),
    dryRun: false,
    statusContext: 'fixpoint',
    ...FREE_PLACE,
    loadPlan: async (planId) => deps.plans.load(keys.plan(planId)),
    seen: createSeenKeys(ground.redis, keys),
    readings: createReadings(ground.redis, keys),
    deliver: async (_of, event) => deliver(event),
    underLease: async (_of, signal, work) => ({ result: await work(signal) }),
    metrics: createMetrics({ service: 'poster', processMetrics: false }),
    nowMs: ground.jobs.nowMs,
    sleep: async () => {},
    checkpoint: () => {},
  };
  const guard = createGuardHandler(deps, async () => ({ kind: 'done' }));
  return { deps, deliver, guard, post: createPostHandler(poster), lost: reportLostPlan(poster) };
};

export const guardDeps = ({ redis, policy, jobs, forge, newRunId }: Ground): GuardDeps => {
  const keys = createKeys('model');
  return {
    heads: createHeads(redis, keys),
    identities: createIdentities(redis, keys),
    forges: new Map([['main', forge.guard]]),
    policy,
    runningPerProject: 1,
    reviewBudget: { maxTurns: 8, maxRuntimeS: 60 },
    fixBudget: { maxTurns: 8, maxRuntimeS: 60 },
    markerSecrets: [make.SECRET],
    inbox: createInbox(redis, keys, jobs.enqueue),
    states: createGuardStates(redis, keys),
    readings: createReadings(redis, keys),
    summaries: createDocumentStore(redis, RememberedSummary),
    decisions: createDecisions(redis, keys),
    slots: createSlots(redis, keys),
    pauses: createPauses(redis, keys),
    briefs: createDocumentStore(redis, Brief),
    drafts: createDocumentStore(redis, ReviewDraft),
    raws: createDocumentStore(redis, RawText),
    rulesFound: createDocumentStore(redis, RulesFound),
    fixBriefs: createDocumentStore(redis, FixBrief),
    fixReports: createDocumentStore(redis, FixReport),
    plans: createDocumentStore(redis, PostPlan),
    keys,
    enqueue: jobs.enqueue,
    authorsOutside: {
      messageStore: createMessageStore(redis, keys, { maxRoundsOf: async () => policy.rounds.max, leader: 'fixpoint' }),
      namesOf: () => [],
      ownName: 'fixpoint',
      clean: (text) => text,
      branches: { save: async () => {} },
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
    deathWatch: {
      ...createDeathWatch(redis, keys, 3),
      alone: async (signal, work) => ({ result: await work(signal) }),
    },
    metrics: createMetrics({ service: 'guard', processMetrics: false }),
    nowMs: jobs.nowMs,
    newRunId,
    checkpoint: () => {},
  };
};
