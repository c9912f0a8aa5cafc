import path from 'node:path';
import { secretValues } from '../../shared/config/secret-values.ts';
import { runWorker } from '../../shared/queue/run-worker.ts';
import { Brief } from '../../shared/rounds/brief.ts';
import { Notes, Question } from '../../shared/rounds/question.ts';
import type { RunningService, ServiceContext } from '../../shared/run-service.ts';
import { createDocumentStore } from '../../shared/store/documents.ts';
import { createKeys } from '../../shared/store/keys.ts';
import { createRedactor } from '../../shared/text/redact.ts';
import { removeOldCheckouts } from '../../shared/workspace/checkout.ts';
import { mirrorAccessOf } from '../../shared/workspace/mirror-access.ts';
import type { ExplorerDeps } from './deps.ts';
import { createExploreHandler } from './handle.ts';

/** A process that was killed could not take its checkouts away; nothing explores for as long as this. */
const LEFTOVER_MS = 24 * 3600 * 1000;

export const startExplorer = async (context: ServiceContext): Promise<RunningService> =>
  runWorker(context, 'explore', async () => {
    const deps = createDeps(context);
    await removeOldCheckouts(deps.checkoutFolder, { nowMs: Date.now(), maxAgeMs: LEFTOVER_MS });
    return { handle: createExploreHandler(deps) };
  });

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
