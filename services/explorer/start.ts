import path from 'node:path';
import { createBoundaries } from '../../shared/agent/boundary.ts';
import { createCheckpoint } from '../../shared/checkpoint.ts';
import { agentFor } from '../../shared/config/model-roles.ts';
import type { Config } from '../../shared/config/load.ts';
import { everySettings, perSettings } from '../../shared/config/project-settings.ts';
import { needsModel } from '../../shared/config/model-needs.ts';
import { secretValues } from '../../shared/config/loaded/secret-values.ts';
import { connectCage } from '../../shared/runtime/connect-cage.ts';
import { settingsOfBrief } from '../../shared/runtime/settings-of-brief.ts';
import { connectModel } from '../../shared/runtime/connect-model.ts';
import { observeAgent } from '../../shared/runtime/observe-agent.ts';
import type { ExploreJob } from '../../shared/queue/contracts.ts';
import { runWorker } from '../../shared/runtime/run-worker.ts';
import { Brief } from '../../shared/rounds/model/brief.ts';
import { Notes, Question } from '../../shared/vocabulary/question.ts';
import type { ServiceContext } from '../../shared/runtime/service-context.ts';
import type { RunningService } from '../../shared/runtime/run-service.ts';
import { isCurrentRun } from '../../shared/store/current-run.ts';
import { createDocumentStore } from '../../shared/store/documents.ts';
import { createGuardStates } from '../../shared/store/guard-states.ts';
import { createInbox, deliverTo } from '../../shared/queue/inbox.ts';
import { createKeys, type Keys } from '../../shared/store/keys.ts';
import { tellThatItWaits } from '../../shared/outage/report-outage.ts';
import { transcriptsOf } from '../../shared/store/transcripts.ts';
import { createRedactor } from '../../shared/text/redact.ts';
import { removeOldCheckouts } from '../../shared/workspace/tree/checkout.ts';
import { keepMirrors } from '../../shared/runtime/mirrors/keep-mirrors.ts';
import type { MirrorKeeper } from '../../shared/workspace/mirror/mirror-keeper.ts';
import { mirrorAccessOf } from '../../shared/runtime/mirrors/mirror-access.ts';
import type { ExplorerDeps } from './deps.ts';
import type { ModelExplorer } from './converse.ts';
import { createExploreHandler, reportLostExploration } from './handle.ts';

/** Checkouts left by a killed process are removed after this time; no exploration takes that long. */
const LEFTOVER_MS = 24 * 3600 * 1000;

export const startExplorer = async (context: ServiceContext): Promise<RunningService> =>
  runWorker(context, 'explore', async ({ keys, queues }) => {
    const needed = context.config.secrets.model !== null;
    const { cage, notices } = await connectCage(context, { path: process.env['PATH'], needed });
    const { keeper, close } = keepMirrors(context, crashHere());
    const deps = createDeps(context, { cage, keeper });
    await removeOldCheckouts(deps.checkoutFolder, { nowMs: Date.now(), maxAgeMs: LEFTOVER_MS });
    const inbox = createInbox(context.redis, keys, queues.enqueue);
    const teller = { deliver: deliverTo(inbox), nowMs: context.nowMs };
    const onOutage = tellThatItWaits<ExploreJob>(teller, ({ questionId }) => questionId);
    return {
      handle: createExploreHandler(deps),
      onExhausted: reportLostExploration(deps),
      onOutage,
      onClose: close,
      notices,
    };
  });

type Means = Pick<ExplorerDeps, 'cage'> & { readonly keeper: MirrorKeeper };

const createDeps = (context: ServiceContext, { cage, keeper }: Means): ExplorerDeps => {
  const { config, redis } = context;
  const keys = createKeys(config.redis.prefix);
  const briefs = createDocumentStore(redis, Brief);
  const questions = createDocumentStore(redis, Question);
  const notes = createDocumentStore(redis, Notes);
  const states = createGuardStates(redis, keys);
  return {
    mirrors: mirrorAccessOf(config, process.env['PATH'], { keeper }),
    checkoutFolder: path.join(config.dataDir, 'checkouts'),
    cage,
    redact: createRedactor(secretValues(config.secrets)),
    ...modelsPerProject(context, keys),
    loadBrief: async (runId) => briefs.load(keys.ofRun(runId, 'brief')),
    loadQuestion: async (id) => questions.load(keys.question(id)),
    loadNotes: async (id) => notes.load(keys.notes(id)),
    saveNotes: async (id, document) => notes.save(keys.notes(id), document),
    isCurrent: async (of, runId) => isCurrentRun(states, of, runId),
    checkpoint: crashHere(),
  };
};

const crashHere = () => createCheckpoint('explorer', process.env['FIXPOINT_CRASH_AT']);

type Models = Pick<ExplorerDeps, 'model' | 'verifier'>;

/** Makes the models for every project at start, so that a model without a price is reported then. */
const modelsPerProject = (context: ServiceContext, keys: Keys): Models & Required<Pick<ExplorerDeps, 'modelsOf'>> => {
  const { config } = context;
  const modelsFor = perSettings((own: Config): Models => {
    const asOwn = { ...context, config: own };
    return {
      model: createModelExplorer(asOwn, keys, 'explorer'),
      verifier: createModelExplorer(asOwn, keys, 'verifier'),
    };
  });
  for (const own of everySettings(config)) modelsFor(own);
  return { ...modelsFor(config), modelsOf: (brief) => modelsFor(settingsOfBrief(config, brief)) };
};

const createModelExplorer = (
  context: ServiceContext,
  keys: Keys,
  role: 'explorer' | 'verifier',
): ModelExplorer | null => {
  const { config, redis, log, metrics, answered, nowMs } = context;
  const connected = needsModel(config.review.runner) ? connectModel(config, context, role) : null;
  if (connected === null) return null;
  return {
    connected,
    agent: agentFor(config.agent, role),
    transcripts: transcriptsOf(redis, keys, config.transcripts),
    redact: createRedactor(secretValues(config.secrets)),
    boundaryOf: createBoundaries(secretValues(config.secrets), nowMs),
    observe: observeAgent({ log, metrics, answered }),
    checkpoint: crashHere(),
  };
};
