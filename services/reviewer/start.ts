import { createCheckpoint } from '../../shared/checkpoint.ts';
import type { Config } from '../../shared/config/load.ts';
import { secretValues } from '../../shared/config/secret-values.ts';
import type { Enqueue } from '../../shared/queue/enqueue.ts';
import { runWorker } from '../../shared/queue/run-worker.ts';
import { Brief } from '../../shared/rounds/brief.ts';
import { ReviewDraft } from '../../shared/rounds/draft.ts';
import type { RunningService, ServiceContext } from '../../shared/run-service.ts';
import { createDocumentStore } from '../../shared/store/documents.ts';
import { createGuardStates } from '../../shared/store/guard-states.ts';
import { createInbox, meaningOf } from '../../shared/store/inbox.ts';
import { createKeys } from '../../shared/store/keys.ts';
import { createRedactor } from '../../shared/text/redact.ts';
import { mirrorAccessOf } from '../../shared/workspace/mirror-access.ts';
import type { ReviewerDeps } from './deps.ts';
import { createReviewHandler, reportLostRun } from './handle.ts';
import type { PacketLimits } from './packet.ts';
import type { Runner } from './runner.ts';
import { createRulesRunner } from './runners/rules.ts';

export const startReviewer = async (context: ServiceContext): Promise<RunningService> =>
  runWorker(context, 'review', async ({ queues }) => {
    const deps = createDeps(context, queues.enqueue);
    return { handle: createReviewHandler(deps), onExhausted: reportLostRun(deps) };
  });

const createDeps = ({ config, redis }: ServiceContext, enqueue: Enqueue): ReviewerDeps => {
  const keys = createKeys(config.redis.prefix);
  const inbox = createInbox(redis, keys, enqueue);
  const briefs = createDocumentStore(redis, Brief);
  const drafts = createDocumentStore(redis, ReviewDraft);
  const states = createGuardStates(redis, keys);
  return {
    mirrors: mirrorAccessOf(config, process.env['PATH']),
    limits: packetLimitsOf(config),
    runner: createRunner(config.review.runner),
    redact: createRedactor(secretValues(config.secrets)),
    loadBrief: async (runId) => briefs.load(keys.ofRun(runId, 'brief')),
    saveDraft: async (draft) => drafts.save(keys.ofRun(draft.runId, 'draft'), draft),
    wantedHead: async (of) => (await states.load(of))?.wanted ?? null,
    deliver: async (of, event) => {
      await inbox.deliver({ changeRequest: of, event, meaning: meaningOf(of, event.id), deliveryId: null });
    },
    nowMs: () => Date.now(),
    checkpoint: createCheckpoint('reviewer', process.env['FIXPOINT_CRASH_AT']),
  };
};

export const createRunner = (name: Config['review']['runner']): Runner => {
  switch (name) {
    case 'auto':
    case 'agent':
    case 'rules':
      return createRulesRunner();
    default:
      return name satisfies never;
  }
};

export const packetLimitsOf = ({ limits, review }: Pick<Config, 'limits' | 'review'>): PacketLimits => ({
  maxFiles: limits.maxFiles,
  maxDiffBytes: limits.maxDiffBytes,
  maxFileBytes: limits.maxFileBytes,
  includePaths: review.includePaths,
  excludePaths: review.excludePaths,
});
