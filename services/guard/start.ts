import { randomUUID } from 'node:crypto';
import type { Queue } from 'bullmq';
import { CiReport } from '../../shared/analyzers/ci/ci-report.ts';
import { createCheckpoint } from '../../shared/checkpoint.ts';
import { isFromCi } from '../../shared/config/analyzer-settings.ts';
import { markerSecretsOf } from '../../shared/config/loaded/marker-secrets.ts';
import { authorsFor, needsPaths } from '../../shared/config/projects/message-reach.ts';
import { createKnownPaths } from '../../shared/store/known-paths.ts';
import type { Config } from '../../shared/config/load.ts';
import { perSettings, settingsOf } from '../../shared/config/project-settings.ts';
import { secretValues } from '../../shared/config/loaded/secret-values.ts';
import { createSourceBranches } from '../../shared/store/source-branches.ts';
import { createMessageStore } from '../../shared/mailbox/message-store.ts';
import { MAX_DEATHS } from '../../shared/queue/contracts.ts';
import type { Queues } from '../../shared/queue/enqueue.ts';
import { projectPathOf } from '../../shared/notify/project-path.ts';
import { runWorker } from '../../shared/runtime/run-worker.ts';
import { Brief } from '../../shared/rounds/model/brief.ts';
import { ReviewDraft } from '../../shared/rounds/model/draft.ts';
import { FixBrief, FixReport } from '../../shared/rounds/model/fix-brief.ts';
import { PostPlan } from '../../shared/rounds/model/posting/post-plan.ts';
import { RememberedSummary } from '../../shared/rounds/memory/own-markers.ts';
import type { ServiceContext } from '../../shared/runtime/service-context.ts';
import type { RunningService } from '../../shared/runtime/run-service.ts';
import { type ChangeRequest, RunId } from '../../shared/vocabulary/ids.ts';
import { createSettingsByPath } from '../../shared/overview/settings-by-path.ts';
import { seedBudget } from '../../shared/store/budget-ledger.ts';
import { createDeathWatch } from '../../shared/queue/death-watch.ts';
import { createDecisions } from '../../shared/store/decisions.ts';
import { createDocumentStore } from '../../shared/store/documents.ts';
import { createGuardStates } from '../../shared/store/guard-states.ts';
import { createHeads } from '../../shared/store/heads.ts';
import { createCountedReactions } from '../../shared/store/learning/counted-reactions.ts';
import { createOpenHandoffs } from '../../shared/store/learning/open-handoffs.ts';
import { createIgnoredCounts } from '../../shared/store/learning/ignored-counts.ts';
import { createIdentities } from '../../shared/store/identities.ts';
import { createInbox } from '../../shared/queue/inbox.ts';
import { createKeys, type Keys } from '../../shared/store/keys.ts';
import { withLease } from '../../shared/store/lease.ts';
import { createReadings } from '../../shared/store/readings.ts';
import { createSharedPlaces } from '../../shared/store/shared-places.ts';
import { createSlots } from '../../shared/store/slots.ts';
import { createProjectNames } from '../../shared/store/spending/project-names.ts';
import { RawText, RulesFound } from '../../shared/store/texts.ts';
import { createRedactor } from '../../shared/text/redact.ts';
import { createActivity } from '../../shared/store/board/activity.ts';
import { createPauses } from '../../shared/store/board/pauses.ts';
import { createRunLog } from '../../shared/store/board/run-log.ts';
import { createChangeRequestViews } from '../../shared/store/board/views.ts';
import { createGuardBoard } from './board/board.ts';
import type { GuardDeps, GuardForge, ProjectRules } from './deps.ts';
import { createGuardHandler } from './handle.ts';
import { policyOf } from './policy.ts';
import { startNumbers } from './numbers/start-numbers.ts';
import { setAsideDeadly } from './stops/set-aside.ts';
import { startSweep } from './start-sweep.ts';

/** `schedules`: false for a guard that handles a single change request and starts no sweep. */
export const startGuard = async (
  services: ServiceContext,
  { schedules }: { readonly schedules: boolean } = { schedules: true },
): Promise<RunningService> =>
  runWorker(services, 'guard', async ({ queues, keys, alone }) => {
    const deathWatch = { ...createDeathWatch(services.redis, keys, MAX_DEATHS), alone };
    const deps = { ...(await createDeps(services, queues)), deathWatch };
    const { sweep, stop } = await startSweep(services, deps, schedules ? queues.queue('guard') : null);
    const gauges = schedules ? startNumbers(services, queues) : null;
    const onClose = (): void => {
      stop();
      gauges?.stop();
    };
    return { handle: createGuardHandler(deps, sweep), onExhausted: setAsideDeadly(deps), onClose };
  });

const seederOf =
  ({ config, redis, nowMs }: ServiceContext): NonNullable<GuardDeps['seedBudget']> =>
  async (changeRequest, runId, spent) => {
    const day = new Date(nowMs()).toISOString().slice(0, 10);
    await seedBudget(redis, { prefix: config.redis.prefix, account: { changeRequest, runId, day }, spent });
  };

const spendingOf = (services: ServiceContext): Pick<GuardDeps, 'seedBudget' | 'nameProject'> => ({
  seedBudget: seederOf(services),
  nameProject: namerOf(services),
});

const namerOf = ({ config, redis }: ServiceContext): NonNullable<GuardDeps['nameProject']> => {
  const names = createProjectNames(redis, config.redis.prefix);
  return async (of, webUrl) => {
    const forge = config.forges.find(({ id }) => id === of.forge);
    const name = forge === undefined ? null : projectPathOf(webUrl, forge.baseUrl);
    if (name !== null) await names.save(of, name);
  };
};

/** 80 random bits. Node keeps random bytes for UUIDs, of which the first and the last group are only random. */
const newRunId = (): RunId => {
  const uuid = randomUUID();
  return RunId.parse(`${uuid.slice(0, 8)}${uuid.slice(-12)}`);
};

const statesOf = ({ redis, log }: ServiceContext, keys: Keys): GuardDeps['states'] =>
  createGuardStates(redis, keys, ({ forge, projectId, number }) =>
    log.warn({ forge, project: projectId, changeRequest: number }, 'stored state of another build dropped'),
  );

const createDeps = async (services: ServiceContext, { enqueue, queue }: Queues): Promise<GuardDeps> => {
  const { config, redis, metrics } = services;
  const keys = createKeys(config.redis.prefix);
  return {
    identities: createIdentities(redis, keys),
    forges: await guardForges(services),
    ...rulesIn(config),
    rulesOf: rulesPerProject(config),
    markerSecrets: markerSecretsOf(config.secrets),
    inbox: createInbox(redis, keys, enqueue),
    states: statesOf(services, keys),
    heads: createHeads(redis, keys),
    readings: createReadings(redis, keys),
    decisions: createDecisions(redis, keys),
    ...optionalOf(services, keys),
    slots: createSlots(redis, keys),
    shared: createSharedPlaces(redis, keys),
    pauses: createPauses(redis, keys),
    summaries: createDocumentStore(redis, RememberedSummary),
    briefs: createDocumentStore(redis, Brief),
    drafts: createDocumentStore(redis, ReviewDraft),
    raws: createDocumentStore(redis, RawText),
    rulesFound: createDocumentStore(redis, RulesFound),
    fixBriefs: createDocumentStore(redis, FixBrief),
    fixReports: createDocumentStore(redis, FixReport),
    plans: createDocumentStore(redis, PostPlan),
    keys,
    enqueue,
    authorsOutside: authorsOutsideOf(services, keys),
    resumeReview: async (runId) => wakeSleeper(queue('review'), runId),
    underLease: async (of, signal, work) =>
      withLease(
        redis,
        {
          key: keys.ofChangeRequest(of, 'lock'),
          fenceKey: keys.ofChangeRequest(of, 'fence'),
          ttlMs: config.queues.lockMs,
          nonce: randomUUID(),
        },
        signal,
        work,
      ),
    metrics,
    nowMs: services.nowMs,
    startedAtMs: services.nowMs(),
    newRunId,
    checkpoint: createCheckpoint('guard', process.env['FIXPOINT_CRASH_AT']),
  };
};

const rulesIn = (config: Config): ProjectRules => ({
  policy: policyOf(config),
  runningPerProject: config.limits.runningPerProject,
  reviewBudget: { maxTurns: config.agent.reviewer.maxTurns, maxRuntimeS: config.agent.reviewer.maxRuntimeS },
  fixBudget: { maxTurns: config.author.maxTurns, maxRuntimeS: config.author.maxRuntimeS },
  ciAnalyzers: config.analyzer.filter(isFromCi),
});

const rulesPerProject = (config: Config): NonNullable<GuardDeps['rulesOf']> => {
  const rulesFor = perSettings(rulesIn);
  return (forge, path) => rulesFor(settingsOf(config, { forge, path }));
};

const learningOf = (
  { redis, metrics }: ServiceContext,
  keys: Keys,
): Pick<GuardDeps, 'ignoredCounts' | 'reactions' | 'handoffs'> => ({
  handoffs: createOpenHandoffs(redis, keys),
  ignoredCounts: createIgnoredCounts(redis, keys),
  reactions: { counted: createCountedReactions(redis, keys), metrics },
});

/** What guard can do without. */
const optionalOf = (services: ServiceContext, keys: Keys): Partial<GuardDeps> => ({
  ...learningOf(services, keys),
  ...boardOf(services, keys),
  ...spendingOf(services),
  ...pathsOf(services, keys),
  ciReports: createDocumentStore(services.redis, CiReport),
});

const pathsOf = ({ config, redis }: ServiceContext, keys: Keys): Pick<GuardDeps, 'paths'> =>
  needsPaths(config) || config.project.length > 0 ? { paths: createKnownPaths(redis, keys) } : {};

const boardOf = ({ config, redis, nowMs }: ServiceContext, keys: Keys): Pick<GuardDeps, 'board'> => {
  if (!config.console.enabled) return {};
  const redact = createRedactor(secretValues(config.secrets));
  const board = createGuardBoard({
    activity: createActivity(redis, keys),
    views: createChangeRequestViews(redis, keys),
    runs: createRunLog(redis, keys),
    policy: config,
    clean: (text) => redact(text).text,
    nowMs,
  });
  return { board };
};

const authorsOutsideOf = ({ config, redis }: ServiceContext, keys: Keys): GuardDeps['authorsOutside'] => {
  const redact = createRedactor(secretValues(config.secrets));
  const settingsFor = createSettingsByPath(redis, keys, config);
  const maxRoundsOf = async (of: ChangeRequest): Promise<number> => (await settingsFor(of)).rounds.max;
  return {
    messageStore: createMessageStore(redis, keys, { maxRoundsOf, leader: config.messages.name }),
    namesOf: ({ forge, projectId }, path) => authorsFor(config, { forge, projectId, path: path ?? null }),
    ownName: config.messages.name,
    clean: (text) => redact(text).text,
    branches: createSourceBranches(redis, keys),
  };
};

/** A running review needs no wake-up, because it sees the answer itself. */
const wakeSleeper = async (queue: Pick<Queue, 'getJob'>, runId: RunId): Promise<void> => {
  const job = await queue.getJob(`review-${runId}`);
  if (job !== undefined && (await job.isDelayed())) await job.promote();
};

const guardForges = async ({ config, forges, signal }: ServiceContext): Promise<ReadonlyMap<string, GuardForge>> => {
  const entries = config.forges.flatMap((settings) => {
    const forge = forges.get(settings.id);
    return forge === undefined ? [] : [{ settings, forge }];
  });
  const connected = entries.map(async ({ settings, forge }) => {
    const self = await forge.read.fetchSelf(signal);
    const botIds = new Set([self.id, ...settings.previousBotUserIds]);
    const otherBots = {
      ignored: new Set(settings.botUserIds),
      allowed: new Set(settings.allowedBotUserIds),
      marks: forge.botMarks,
    };
    return [
      settings.id,
      {
        read: forge.read,
        files: forge.read,
        issues: forge.read,
        thumbs: forge.read,
        ciReports: forge.ciReports,
        botIds,
        otherBots,
        mention: settings.mention,
      },
    ] as const;
  });
  return new Map(await Promise.all(connected));
};
