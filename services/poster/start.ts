import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createCheckpoint } from '../../shared/checkpoint.ts';
import type { ForgeSettings } from '../../shared/config/forge-settings.ts';
import { markerSecretsOf } from '../../shared/config/loaded/marker-secrets.ts';
import type { Config } from '../../shared/config/load.ts';
import { perSettings, settingsOf } from '../../shared/config/project-settings.ts';
import { secretValues } from '../../shared/config/loaded/secret-values.ts';
import type { Forge } from '../../shared/forge/port.ts';
import { DIALECTS, factsOf } from '../../shared/forge/kinds/forge-kind.ts';
import type { Enqueue } from '../../shared/queue/enqueue.ts';
import type { PostJob } from '../../shared/queue/contracts.ts';
import { createRaise } from '../../shared/queue/raise.ts';
import { runWorker } from '../../shared/runtime/run-worker.ts';
import { STATUS_CONTEXT } from '../../shared/vocabulary/status-place.ts';
import { isWantedTarget } from '../../shared/rounds/decide/filters.ts';
import { PostPlan } from '../../shared/rounds/model/posting/post-plan.ts';
import type { ServiceContext } from '../../shared/runtime/service-context.ts';
import type { RunningService } from '../../shared/runtime/run-service.ts';
import { createDocumentStore } from '../../shared/store/documents.ts';
import { createCalledNames } from '../../shared/store/called-names.ts';
import { createIdentities } from '../../shared/store/identities.ts';
import { createInbox } from '../../shared/queue/inbox.ts';
import { createKeys } from '../../shared/store/keys.ts';
import { tellThatItWaits } from '../../shared/outage/report-outage.ts';
import { renewLease, withLease } from '../../shared/store/lease.ts';
import { createReadings } from '../../shared/store/readings.ts';
import { createSharedPlaces } from '../../shared/store/shared-places.ts';
import { createSeenKeys } from '../../shared/store/seen-keys.ts';
import type { PosterDeps, PosterForge, PostingRules } from './deps.ts';
import { createPostHandler, reportLostPlan } from './handle.ts';
import { startNotify } from './notify/start-notify.ts';
import { publishIdentity } from './publish-identity.ts';

export const startPoster = async (context: ServiceContext): Promise<RunningService> => {
  const notify = await startNotify(context);
  try {
    const poster = await startPosting(context);
    return notify === null ? poster : together(poster, notify);
  } catch (error) {
    await notify?.close(0);
    throw error;
  }
};

const together = (one: RunningService, other: RunningService): RunningService => ({
  notices: [...(one.notices ?? []), ...(other.notices ?? [])],
  close: async (deadlineMs) => void (await Promise.all([one.close(deadlineMs), other.close(deadlineMs)])),
});

const startPosting = async (context: ServiceContext): Promise<RunningService> =>
  runWorker(context, 'post', async ({ queues }) => {
    const deps = await createDeps(context, queues.enqueue);
    const onOutage = tellThatItWaits<PostJob>(deps, ({ planId }) => planId);
    return { handle: createPostHandler(deps), onExhausted: reportLostPlan(deps), onOutage };
  });

const createDeps = async (context: ServiceContext, enqueue: Enqueue): Promise<PosterDeps> => {
  const { config, redis, metrics } = context;
  // Counted from 0, so that the first one shows as an increase.
  metrics.alarms.inc({ code: 'FORGE_COMMANDS_ONLY' }, 0);
  const keys = createKeys(config.redis.prefix);
  const inbox = createInbox(redis, keys, enqueue);
  const plans = createDocumentStore(redis, PostPlan);
  const leased = (key: string, fenceKey: string) => ({
    key,
    fenceKey,
    ttlMs: config.queues.lockMs,
    nonce: randomUUID(),
  });
  return {
    forges: await posterForges(context),
    markerSecrets: markerSecretsOf(config.secrets),
    ...rulesIn(config),
    rulesOf: rulesPerProject(config),
    called: createCalledNames(redis, keys),
    statusContext: STATUS_CONTEXT,
    loadPlan: async (planId) => plans.load(keys.plan(planId)),
    seen: createSeenKeys(redis, keys),
    readings: createReadings(redis, keys),
    deliver: async (of, event) => {
      await inbox.notify(of, event);
    },
    raise: createRaise(enqueue, config.notify),
    underLease: async (of, signal, work) =>
      withLease(
        redis,
        leased(keys.ofChangeRequest(of, 'posting-lock'), keys.ofChangeRequest(of, 'posting-fence')),
        signal,
        async (_lease, until) => work(until),
      ),
    underPlace: async (place, signal, work) =>
      withLease(
        redis,
        leased(keys.ofPlace(place, 'lock'), keys.ofProject(place.forge, place.projectId, 'place-fence')),
        signal,
        async (lease, until) => work(async () => renewLease(redis, lease, config.queues.lockMs), until),
      ),
    shared: createSharedPlaces(redis, keys),
    metrics,
    nowMs: context.nowMs,
    sleep: async (ms, signal) => sleep(ms, undefined, { signal }),
    checkpoint: createCheckpoint('poster', process.env['FIXPOINT_CRASH_AT']),
  };
};

const rulesIn = ({ operators, review }: Config): PostingRules => ({
  calls: { operators: operators.logins, mentionGroups: operators.mentionGroups },
  dryRun: review.dryRun,
  countsTarget: (branch) => isWantedTarget(branch, review.targetBranches),
});

const rulesPerProject = (config: Config): NonNullable<PosterDeps['rulesOf']> => {
  const rulesFor = perSettings(rulesIn);
  return ({ changeRequest: { forge }, projectPath: path }) => rulesFor(settingsOf(config, { forge, path }));
};

/** This function is exported for the tests. */
export const posterForges = async ({
  config,
  forges,
  redis,
  log,
  signal,
}: ServiceContext): Promise<ReadonlyMap<string, PosterForge>> => {
  const identities = createIdentities(redis, createKeys(config.redis.prefix));
  const entries = config.forges.flatMap((settings) => {
    const forge = forges.get(settings.id);
    return forge === undefined ? [] : [{ settings, forge }];
  });
  const connected = entries.map(async ({ settings, forge }) => {
    const self = await forge.read.fetchSelf(signal);
    await publishIdentity(settings.id, self, { identities, log, signal });
    const botIds = new Set([self.id, ...settings.previousBotUserIds]);
    return [
      settings.id,
      posterForge(settings, {
        forge,
        botIds,
        selfId: self.id,
        selfLogin: self.login,
        secrets: secretValues(config.secrets),
        mention: settings.mention ?? self.login,
      }),
    ] as const;
  });
  return new Map(await Promise.all(connected));
};

type Known = Pick<PosterForge, 'botIds' | 'selfId'> & {
  readonly forge: Forge;
  readonly selfLogin: string;
  readonly secrets: readonly string[];
  readonly mention: string;
};

const posterForge = (
  { baseUrl, kind, botUserIds, allowedBotUserIds }: ForgeSettings,
  { forge, botIds, selfId, selfLogin, secrets, mention }: Known,
): PosterForge => ({
  calls: {
    read: forge.read,
    syntax: DIALECTS[kind].codeOwners,
    botIds: new Set([...botIds, ...botUserIds, ...allowedBotUserIds]),
    botLogin: selfLogin,
    botMarks: forge.botMarks,
  },
  read: forge.read,
  write: forge.write,
  threads: forge.threads,
  resolving: forge.resolving,
  botIds,
  selfId,
  sanitizing: { forgeBaseUrl: baseUrl, maxLength: factsOf(kind).maxBodyLength, secrets, mayShow: [mention] },
  rangedSuggestions: factsOf(kind).rangedSuggestions,
  sigil: factsOf(kind).sigil,
  maxTargetUrl: factsOf(kind).maxTargetUrl,
  keepsStatuses: factsOf(kind).keepsStatuses,
  reviewBody: factsOf(kind).reviewBody,
});
