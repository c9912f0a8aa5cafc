import path from 'node:path';
import { secretValues } from '../../shared/config/secret-values.ts';
import { createQueues } from '../../shared/queue/enqueue.ts';
import { startWorker } from '../../shared/queue/worker.ts';
import { Brief } from '../../shared/rounds/brief.ts';
import { Notes, Question } from '../../shared/rounds/question.ts';
import type { RunningService, ServiceContext } from '../../shared/run-service.ts';
import { createDocumentStore } from '../../shared/store/documents.ts';
import { createKeys } from '../../shared/store/keys.ts';
import { createRedactor } from '../../shared/text/redact.ts';
import { mirrorAccessOf } from '../../shared/workspace/mirror-access.ts';
import type { ExplorerDeps } from './deps.ts';
import { createExploreHandler } from './handle.ts';

export const startExplorer = async (context: ServiceContext): Promise<RunningService> => {
  const { config, redis, log, metrics } = context;
  const keys = createKeys(config.redis.prefix);
  const queues = createQueues(redis, keys.queues, config.queues);
  const worker = startWorker({
    name: 'explore',
    connection: redis,
    prefix: keys.queues,
    concurrency: config.queues.concurrency.explore,
    lockMs: config.queues.lockMs,
    stalledMs: config.queues.stalledMs,
    log,
    handle: createExploreHandler(createDeps(context)),
    onEnded: (seconds) => metrics.jobSeconds.observe({ queue: 'explore' }, seconds),
  });
  return {
    close: async (deadlineMs) => {
      await worker.close(deadlineMs);
      await queues.close();
    },
  };
};

const createDeps = ({ config, redis }: ServiceContext): ExplorerDeps => {
  const keys = createKeys(config.redis.prefix);
  const briefs = createDocumentStore(redis, Brief);
  const questions = createDocumentStore(redis, Question);
  const notes = createDocumentStore(redis, Notes);
  return {
    mirrors: mirrorAccessOf(config, process.env['PATH']),
    checkoutFolder: path.join(config.dataDir, 'checkouts'),
    redact: createRedactor(secretValues(config.secrets)),
    loadBrief: async (runId) => briefs.load(keys.ofRun(runId, 'brief')),
    loadQuestion: async (id) => questions.load(keys.question(id)),
    saveNotes: async (id, document) => notes.save(keys.notes(id), document),
  };
};
