import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { createBoundaries } from '../../shared/agent/boundary.ts';
import type { Config } from '../../shared/config/load.ts';
import { createCheckpoint } from '../../shared/checkpoint.ts';
import { removeOldHomes } from '../../shared/claude-code/home.ts';
import { cliSettingsOf } from '../../shared/claude-code/settings.ts';
import { demand, SecretNotDemandedError } from '../../shared/config/secrets.ts';
import { agentFor } from '../../shared/config/model-roles.ts';
import { everySettings, perSettings } from '../../shared/config/project-settings.ts';
import { secretValues } from '../../shared/config/loaded/secret-values.ts';
import { settingsOfBrief } from '../../shared/runtime/settings-of-brief.ts';
import { type ConnectedModel, connectModel } from '../../shared/runtime/connect-model.ts';
import { observeAgent } from '../../shared/runtime/observe-agent.ts';
import type { Enqueue } from '../../shared/queue/enqueue.ts';
import type { FixJob } from '../../shared/queue/contracts.ts';
import { runWorker } from '../../shared/runtime/run-worker.ts';
import { FixBrief, FixReport } from '../../shared/rounds/model/fix-brief.ts';
import type { ServiceContext } from '../../shared/runtime/service-context.ts';
import type { RunningService } from '../../shared/runtime/run-service.ts';
import { createDocumentStore } from '../../shared/store/documents.ts';
import { createGuardStates } from '../../shared/store/guard-states.ts';
import { createInbox } from '../../shared/queue/inbox.ts';
import { tellThatItWaits } from '../../shared/outage/report-outage.ts';
import { createKeys } from '../../shared/store/keys.ts';
import { createRedactor } from '../../shared/text/redact.ts';
import { connectValidation } from '../../shared/validation/connect.ts';
import { removeOldCheckouts } from '../../shared/workspace/tree/checkout.ts';
import { keepMirrors } from '../../shared/runtime/mirrors/keep-mirrors.ts';
import type { MirrorKeeper } from '../../shared/workspace/mirror/mirror-keeper.ts';
import { mirrorAccessOf } from '../../shared/runtime/mirrors/mirror-access.ts';
import type { FixAgent } from './change/agent.ts';
import { createClaudeCodeAgent } from './agents/claude-code.ts';
import { createModelAgent } from './agents/model.ts';
import { type AuthorCage, connectAuthorCage } from './connect-cage.ts';
import { connectCommand } from './connect-command.ts';
import type { AuthorDeps, AuthorForge } from './deps.ts';
import { AuthorOffError } from './errors.ts';
import { createFixHandler, reportLostFix } from './handle.ts';
import { StoredWork } from './kept-work.ts';

/** Checkouts left by a killed process are removed after this time; no fix takes that long. */
const LEFTOVER_MS = 24 * 3600 * 1000;

/** Time reserved for a push. A push that starts with less time left could finish after guard has abandoned the order. */
const PUSH_MS = 5_000;

const checkpoint = createCheckpoint('author', process.env['FIXPOINT_CRASH_AT']);

export const startAuthor = async (context: ServiceContext): Promise<RunningService> => {
  if (!everySettings(context.config).some(({ author }) => author.enabled)) throw new AuthorOffError();
  return runWorker(context, 'fix', async ({ queues }) => {
    const cage = await connectAuthorCage(context, process.env['PATH']);
    const { keeper, close } = keepMirrors(context, checkpoint);
    const deps = depsPerProject(context, { ...cage, enqueue: queues.enqueue, keeper });
    await removeOldCheckouts(deps.checkoutFolder, { nowMs: Date.now(), maxAgeMs: LEFTOVER_MS });
    await mkdir(deps.scratchFolder, { recursive: true, mode: 0o700 });
    await removeOldHomes(deps.scratchFolder, { nowMs: Date.now(), maxAgeMs: LEFTOVER_MS });
    const onOutage = tellThatItWaits<FixJob>(deps, ({ runId }) => runId);
    const onExhausted = reportLostFix(deps);
    return { handle: createFixHandler(deps), onExhausted, onOutage, onClose: close, notices: cage.notices };
  });
};

type Means = AuthorCage & { readonly enqueue: Enqueue; readonly keeper: MirrorKeeper };

/** Makes the dependencies for every project with an author at start, so that a mistake is reported then. */
const depsPerProject = (context: ServiceContext, means: Means): AuthorDeps => {
  const { config } = context;
  const depsFor = perSettings((own: Config) =>
    own.author.enabled ? createDeps({ ...context, config: own }, means) : null,
  );
  const [first] = everySettings(config).flatMap((own) => depsFor(own) ?? []);
  if (first === undefined) throw new AuthorOffError();
  return { ...first, depsOf: (brief) => depsFor(settingsOfBrief(config, brief)) };
};

const createDeps = (context: ServiceContext, { enqueue, cage, mayWork, keeper }: Means): AuthorDeps => {
  const { config, redis } = context;
  const { author } = config;
  const keys = createKeys(config.redis.prefix);
  const inbox = createInbox(redis, keys, enqueue);
  const briefs = createDocumentStore(redis, FixBrief);
  const reports = createDocumentStore(redis, FixReport);
  const works = createDocumentStore(redis, StoredWork);
  const states = createGuardStates(redis, keys);
  const scratchFolder = path.join(config.dataDir, 'fixes');
  const checkoutFolder = path.join(config.dataDir, 'fix-checkouts');
  return {
    forges: authorForges(context, keeper),
    mayWork,
    agent: createAgent(context, scratchFolder, cage),
    rules: {
      protectedPaths: author.protectedPaths,
      lockFiles: author.lockFiles,
      newFiles: author.newFiles,
      maxFiles: author.maxFiles,
      maxBytes: author.maxChangeBytes,
      secrets: secretValues(config.secrets),
    },
    commit: { name: author.commitName, email: author.commitEmail },
    validation: connectValidation(config, { cage, checkoutFolder }),
    checkoutFolder,
    scratchFolder,
    loadBrief: async (runId) => briefs.load(keys.ofRun(runId, 'fix-brief')),
    loadReport: async (runId) => reports.load(keys.ofRun(runId, 'fix-report')),
    saveReport: async (report) => reports.save(keys.ofRun(report.runId, 'fix-report'), report),
    loadWork: async (runId) => works.load(keys.ofRun(runId, 'fix-work')),
    saveWork: async (work) => works.save(keys.ofRun(work.runId, 'fix-work'), work),
    isOrdered: async (of, runId) => {
      const fix = (await states.load(of))?.fixing ?? null;
      return fix?.runId === runId && fix.phase === 'working' && fix.deadlineMs - context.nowMs() > PUSH_MS;
    },
    deliver: async (of, event) => {
      await inbox.notify(of, event);
    },
    nowMs: context.nowMs,
    checkpoint,
  };
};

const authorForges = ({ config, forges }: ServiceContext, keeper: MirrorKeeper): ReadonlyMap<string, AuthorForge> => {
  const accesses = mirrorAccessOf(config, process.env['PATH'], { need: 'push_token', keeper });
  return new Map(
    config.forges.flatMap(({ id, botUserIds, allowedBotUserIds }) => {
      const [forge, access] = [forges.get(id), accesses.get(id)];
      if (forge === undefined || access === undefined) return [];
      const otherBots = { ignored: new Set(botUserIds), allowed: new Set(allowedBotUserIds), marks: forge.botMarks };
      return [[id, { read: forge.read, otherBots, access }] as const];
    }),
  );
};

const authorModel = (context: ServiceContext): ConnectedModel => {
  const connected = connectModel(context.config, context, 'author');
  if (connected === null) throw new SecretNotDemandedError('author_model_key');
  return connected;
};

const createAgent = (context: ServiceContext, scratchFolder: string, cage: AuthorCage['cage']): FixAgent => {
  const { config, log, metrics, answered, nowMs } = context;
  const { agent, maxChangeBytes } = config.author;
  switch (agent) {
    case 'command':
    case 'messages':
      return connectCommand(config, { scratchFolder, path: process.env['PATH'], cage });
    case 'claude-code':
      return createClaudeCodeAgent({
        ...cliSettingsOf(config, {
          connected: authorModel(context),
          access: demand(config.secrets.model, 'author_model_key'),
        }),
        scratchFolder,
      });
    case 'agent': {
      const connected = authorModel(context);
      const redact = createRedactor(secretValues(config.secrets));
      const observe = observeAgent({ log, metrics, answered });
      const maxFileCharacters = maxChangeBytes;
      return createModelAgent({
        connected,
        agent: agentFor(config.agent, 'author'),
        maxFileCharacters,
        cage,
        redact,
        boundaryOf: createBoundaries(secretValues(config.secrets), nowMs),
        observe,
      });
    }
    default:
      return agent satisfies never;
  }
};
