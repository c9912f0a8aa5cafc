import path from 'node:path';
import { isFromCi } from '../../shared/config/analyzer-settings.ts';
import { CiReport } from '../../shared/analyzers/ci/ci-report.ts';
import { connectAnalyzers } from '../../shared/analyzers/connect.ts';
import { createBoundaries } from '../../shared/agent/boundary.ts';
import { TranscriptUnreadableError } from '../../shared/agent/pack-transcript.ts';
import { createCheckpoint } from '../../shared/checkpoint.ts';
import type { Config } from '../../shared/config/load.ts';
import { everySettings, perSettings } from '../../shared/config/project-settings.ts';
import { needsModel } from '../../shared/config/model-needs.ts';
import { secretValues } from '../../shared/config/loaded/secret-values.ts';
import { reviewerFor } from '../../shared/config/projects/message-reach.ts';
import { createKnownPaths } from '../../shared/store/known-paths.ts';
import { FINDER_TURNS, VERIFIER_TURNS } from '../../shared/config/agent-settings.ts';
import { agentFor } from '../../shared/config/model-roles.ts';
import { connectCage } from '../../shared/runtime/connect-cage.ts';
import { SOURCES_S } from '../../shared/config/rule-settings.ts';
import { connectRuleSources } from '../../shared/rule-sources/connect.ts';
import { projectIn, projectOfBrief, settingsOfBrief } from '../../shared/runtime/settings-of-brief.ts';
import { connectModel } from '../../shared/runtime/connect-model.ts';
import { createReviewRequestStore } from '../../shared/mailbox/review-request-store.ts';
import { observeAgent } from '../../shared/runtime/observe-agent.ts';
import type { Queues } from '../../shared/queue/enqueue.ts';
import type { ReviewJob } from '../../shared/queue/contracts.ts';
import { runWorker, type WorkerTools } from '../../shared/runtime/run-worker.ts';
import { Brief } from '../../shared/rounds/model/brief.ts';
import { ReviewDraft } from '../../shared/rounds/model/draft.ts';
import { Analysis } from '../../shared/rules/model/analysis.ts';
import { Notes, Question } from '../../shared/vocabulary/question.ts';
import type { ServiceContext } from '../../shared/runtime/service-context.ts';
import type { RunningService } from '../../shared/runtime/run-service.ts';
import { isCurrentRun } from '../../shared/store/current-run.ts';
import { createDocumentStore } from '../../shared/store/documents.ts';
import { createGuardStates } from '../../shared/store/guard-states.ts';
import { createInbox } from '../../shared/queue/inbox.ts';
import type { Keys } from '../../shared/store/keys.ts';
import { NotesText, RawText, RulesFound } from '../../shared/store/texts.ts';
import { tellThatItWaits } from '../../shared/outage/report-outage.ts';
import { type Transcripts, transcriptsOf } from '../../shared/store/transcripts.ts';
import { createRedactor } from '../../shared/text/redact.ts';
import { connectValidation } from '../../shared/validation/connect.ts';
import type { Cage } from '../../shared/workspace/cage/cage.ts';
import { removeOldCheckouts } from '../../shared/workspace/tree/checkout.ts';
import { keepMirrors } from '../../shared/runtime/mirrors/keep-mirrors.ts';
import type { MirrorKeeper } from '../../shared/workspace/mirror/mirror-keeper.ts';
import { mirrorAccessOf } from '../../shared/runtime/mirrors/mirror-access.ts';
import { connectClaudeCode, tidyClaudeCode } from './connect-claude-code.ts';
import type { ReviewerDeps } from './deps.ts';
import { createReviewHandler, reportLostRun } from './handle.ts';
import { operatorRulesOf } from './rules/operator-rules.ts';
import type { PacketLimits } from './packet/packet.ts';
import { createQueuedExplorers } from './queued-explorers.ts';
import type { Runner } from './run/runner.ts';
import { mostVerified } from './run/model-review.ts';
import { conversationsOf } from './run/plan-review.ts';
import { createAgentRunner } from './runners/agent.ts';
import { createMessagesRunner } from './runners/messages.ts';
import { createRulesRunner } from './runners/rules.ts';

/** Checkouts left by a killed process are removed after this time; no review takes that long. */
const LEFTOVER_MS = 24 * 3600 * 1000;

const checkoutFolderOf = ({ dataDir }: Config): string => path.join(dataDir, 'checkouts');

export const startReviewer = async (context: ServiceContext): Promise<RunningService> =>
  runWorker(context, 'review', async ({ queues, keys, mistakes }) => {
    await removeOldCheckouts(checkoutFolderOf(context.config), { nowMs: Date.now(), maxAgeMs: LEFTOVER_MS });
    await tidyClaudeCode(context.config, Date.now());
    const needed = everySettings(context.config).some(needsCage);
    const { cage, notices } = await connectCage(context, { path: process.env['PATH'], needed });
    const { keeper, close } = keepMirrors(context, checkpoint);
    const deps = depsPerProject(context, { queues, keys, cage, mistakes, keeper });
    const onOutage = tellThatItWaits<ReviewJob>(deps, ({ runId }) => runId);
    return { handle: createReviewHandler(deps), onExhausted: reportLostRun(deps), onOutage, onClose: close, notices };
  });

const checkpoint = createCheckpoint('reviewer', process.env['FIXPOINT_CRASH_AT']);

type Means = Pick<WorkerTools, 'queues' | 'keys' | 'mistakes'> & {
  readonly cage: Cage | null;
  readonly keeper: MirrorKeeper;
};

const needsCage = ({ secrets, validation, analyzer }: Config): boolean =>
  secrets.model !== null || validation.command.length > 0 || !analyzer.every(isFromCi);

/** Makes the dependencies for every project at start, so that a model without a price is reported then. */
const depsPerProject = (context: ServiceContext, means: Means): ReviewerDeps => {
  const { config } = context;
  const depsFor = perSettings((own: Config) => createDeps({ ...context, config: own }, means));
  for (const own of everySettings(config)) depsFor(own);
  return { ...depsFor(config), depsOf: (brief) => depsFor(settingsOfBrief(config, brief)) };
};

const createDeps = (context: ServiceContext, { queues, keys, cage, mistakes, keeper }: Means): ReviewerDeps => {
  const { config, redis } = context;
  const inbox = createInbox(redis, keys, queues.enqueue);
  const briefs = createDocumentStore(redis, Brief);
  const drafts = createDocumentStore(redis, ReviewDraft);
  const raws = createDocumentStore(redis, RawText);
  const rulesFound = createDocumentStore(redis, RulesFound);
  const notes = createDocumentStore(redis, NotesText);
  const states = createGuardStates(redis, keys);
  const analyses = createDocumentStore(redis, Analysis);
  const mirrors = mirrorAccessOf(config, process.env['PATH'], { keeper });
  return {
    mirrors,
    ...(config.rules.from.length === 0 ? {} : { ruleSources: ruleSourcesOf(config, mirrors) }),
    limits: packetLimitsOf(config),
    runner: createRunner(context, keys, cage),
    explorersOf: explorersOf(context, queues, keys),
    ...(config.analyzer.length === 0 ? {} : { analyzers: analyzersOf(context, keys, cage) }),
    analyses: {
      load: async (runId) => analyses.load(keys.ofRun(runId, 'analysis')),
      save: async (runId, analysis) => analyses.save(keys.ofRun(runId, 'analysis'), analysis),
    },
    ...connectValidation(config, { cage, checkoutFolder: checkoutFolderOf(config) }),
    redact: createRedactor(secretValues(config.secrets)),
    loadBrief: async (runId) => briefs.load(keys.ofRun(runId, 'brief')),
    // Parsing puts the fields into schema order, so that a replay gives the same bytes.
    saveDraft: async (draft) => drafts.save(keys.ofRun(draft.runId, 'draft'), ReviewDraft.parse(draft)),
    loadNotes: async (of) => (await notes.load(keys.ofChangeRequest(of, 'notes')))?.text ?? null,
    saveRulesFound: async (runId, findings) =>
      rulesFound.save(keys.ofRun(runId, 'rules'), { v: 1, findings: [...findings] }),
    saveRawText: async (runId, text) => raws.save(keys.ofRun(runId, 'raw'), { v: 1, text }),
    wasAnswered: async (runId) => wasAnswered(transcriptsOf(redis, keys, config.transcripts), runId),
    wantedInput: async (of) => (await states.load(of))?.wanted ?? null,
    operatorRulesOf: (brief) => operatorRulesOf(config, projectOfBrief(config, brief)),
    projectIgnores: config.review.projectIgnores,
    analyzerNames: [...config.analyzer, ...config.rules.from].map(({ name }) => name),
    isCurrent: async (of, runId) => isCurrentRun(states, of, runId),
    deliver: async (of, event) => {
      await inbox.notify(of, event);
    },
    noteMistake: async (mistake) => mistakes.meet(mistake),
    nowMs: context.nowMs,
    checkpoint,
  };
};

const analyzersOf = (
  { config, redis }: ServiceContext,
  keys: Keys,
  cage: Cage | null,
): NonNullable<ReviewerDeps['analyzers']> => {
  const reports = createDocumentStore(redis, CiReport);
  return connectAnalyzers(config, {
    cage,
    checkoutFolder: checkoutFolderOf(config),
    loadReport: async (runId, name) => reports.load(keys.ciReport(runId, name)),
  });
};

const ruleSourcesOf = (config: Config, mirrors: ReviewerDeps['mirrors']): NonNullable<ReviewerDeps['ruleSources']> => {
  const sources = connectRuleSources(config, mirrors);
  return {
    loadS: config.rules.from.length === 0 ? 0 : SOURCES_S,
    load: async ({ changeRequest, projectPath, git }, signal) => {
      const { baseUrl = '' } = config.forges.find(({ id }) => id === changeRequest.forge) ?? {};
      return sources.load(projectPath ?? projectIn(git.url, baseUrl), signal);
    },
  };
};

/** An unreadable transcript counts as answered, because the run had already used the model. */
const wasAnswered = async (transcripts: Pick<Transcripts, 'load'>, runId: string): Promise<boolean> => {
  try {
    const held = await conversationsOf(transcripts, runId);
    return held.some(({ inputs }) => inputs.some(({ kind }) => kind === 'reply'));
  } catch (error) {
    if (error instanceof TranscriptUnreadableError) return true;
    throw error;
  }
};

const explorersOf = ({ config, redis }: ServiceContext, queues: Queues, keys: Keys): ReviewerDeps['explorersOf'] => {
  const questions = createDocumentStore(redis, Question);
  const notes = createDocumentStore(redis, Notes);
  const { maxTurns, maxRuntimeS } = config.agent.explorer;
  const deps = {
    enqueue: queues.enqueue,
    queue: queues.queue('explore'),
    saveQuestion: async (id: string, question: Question) => questions.save(keys.question(id), question),
    loadNotes: async (id: string) => notes.load(keys.notes(id)),
    budgets: {
      explore: { maxTurns, maxRuntimeS },
      find: { maxTurns: FINDER_TURNS, maxRuntimeS },
      verify: { maxTurns: VERIFIER_TURNS, maxRuntimeS },
    },
    checkpoint,
  };
  return (parent) => createQueuedExplorers(deps, parent);
};

/** Uses a model if one is configured; otherwise uses only the rules and logs a warning. */
const createRunner = (context: ServiceContext, keys: Keys, cage: Cage | null): Runner => {
  const { config, redis, log, metrics, answered, nowMs } = context;
  if (config.review.runner === 'messages') return createOutsideRunner(context, keys);
  const connected = needsModel(config.review.runner) ? connectModel(config, context, 'reviewer') : null;
  if (connected === null) {
    if (config.review.runner === 'auto') log.warn('no model key is set: only the built-in rules run');
    return createRulesRunner();
  }
  if (config.review.runner === 'claude-code') {
    return connectClaudeCode(context, { keys, connected, checkoutFolder: checkoutFolderOf(config) });
  }
  const notes = createDocumentStore(redis, NotesText);
  return createAgentRunner({
    connected,
    agent: agentFor(config.agent, 'reviewer'),
    verifyMax: config.review.verify ? mostVerified(config.agent) : null,
    finders: config.review.finders,
    duplicateThreshold: config.rounds.duplicateThreshold,
    transcripts: transcriptsOf(redis, keys, config.transcripts),
    checkoutFolder: checkoutFolderOf(config),
    cage,
    redact: createRedactor(secretValues(config.secrets)),
    saveNotes: async (of, text) => notes.save(keys.ofChangeRequest(of, 'notes'), { v: 1, text }),
    boundaryOf: createBoundaries(secretValues(config.secrets), nowMs),
    observe: observeAgent({ log, metrics, answered }),
    checkpoint,
  });
};

const createOutsideRunner = ({ config, redis, nowMs }: ServiceContext, keys: Keys): Runner => {
  const paths = createKnownPaths(redis, keys);
  return createMessagesRunner({
    requestStore: createReviewRequestStore(redis, keys, nowMs),
    reviewerOf: async ({ forge, projectId }) =>
      reviewerFor(config, { forge, projectId, path: await paths.load({ forge, projectId }) }),
    ownName: config.messages.name,
    agent: config.agent,
    maxRounds: config.rounds.max,
    duplicateThreshold: config.rounds.duplicateThreshold,
    redact: createRedactor(secretValues(config.secrets)),
    nowMs,
    checkpoint,
  });
};

export const packetLimitsOf = ({
  limits,
  review,
  rounds,
}: Pick<Config, 'limits' | 'review' | 'rounds'>): PacketLimits => ({
  maxRounds: rounds.max,
  maxFiles: limits.maxFiles,
  maxDiffBytes: limits.maxDiffBytes,
  maxFileBytes: limits.maxFileBytes,
  includePaths: review.includePaths,
  excludePaths: review.excludePaths,
  unknownLanguages: review.unknownLanguages,
  onlyExcluded: review.onlyExcluded,
});
