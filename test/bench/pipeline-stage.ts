/** Guard and poster as they are, with a reviewer that drafts a clean review after a fixed time and a forge in memory. */
import { createHmac, randomUUID } from 'node:crypto';
import { tmpdir } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { request } from 'undici';
import { startGuard } from '../../services/guard/start.ts';
import { startIngress } from '../../services/ingress/start.ts';
import { startPoster } from '../../services/poster/start.ts';
import { loadConfig } from '../../shared/config/load.ts';
import type { Logger } from '../../shared/logger.ts';
import { createMetrics } from '../../shared/metrics.ts';
import { createQueues } from '../../shared/queue/enqueue.ts';
import { createInbox } from '../../shared/queue/inbox.ts';
import { startWorker } from '../../shared/queue/worker.ts';
import { Brief } from '../../shared/rounds/model/brief.ts';
import { ReviewDraft } from '../../shared/rounds/model/draft.ts';
import type { ServiceContext } from '../../shared/runtime/service-context.ts';
import { createDocumentStore } from '../../shared/store/documents.ts';
import { createKeys } from '../../shared/store/keys.ts';
import type { ChangeRequest } from '../../shared/vocabulary/ids.ts';
import { NOTHING_SPENT } from '../../shared/vocabulary/spent.ts';
import { makeSettings } from '../support/settings.ts';
import { createMemoryForge, headOf } from './memory-forge.ts';

export type PipelineWish = {
  readonly redis: Redis;
  readonly log: Logger;
  readonly prefix: string;
  /** Additional TOML, whole tables only. */
  readonly more: string;
  readonly concurrency: { readonly review: number };
  /** How long one review takes. Default: no time. */
  readonly reviewMs?: number;
  readonly onVerdict: (of: ChangeRequest) => void;
  readonly onComment?: (of: ChangeRequest) => void;
  /** The same Redis as `redis`. If set, there is an ingress too. */
  readonly redisUrl?: string;
};

const PROJECT = 'acme/widgets';

export type Pipeline = {
  /** An event as the ingress stores it. */
  readonly open: (of: ChangeRequest, source?: 'forge' | 'sweep') => Promise<void>;
  /** Sends the webhook of a new change request to the ingress. */
  readonly deliver: (of: ChangeRequest) => Promise<void>;
  readonly close: () => Promise<void>;
};

export const startPipeline = async (wish: PipelineWish): Promise<Pipeline> => {
  const { redis, log, prefix } = wish;
  const settings = makeSettings({
    forgeUrl: 'http://127.0.0.1:1',
    token: 'not-used-here',
    projects: [PROJECT],
    dataDir: tmpdir(),
    redisPrefix: prefix,
    ...(wish.redisUrl === undefined ? {} : { redisUrl: wish.redisUrl }),
    more: `[sweep]\ninterval_seconds = 3600\n${wish.more}`,
  });
  const edge = wish.redisUrl === undefined ? [] : (['redis', 'webhooks'] as const);
  const needs = ['marker_secret', 'read_token', 'post_token', ...edge] as const;
  const loaded = loadConfig({ text: settings.toml, folder: tmpdir(), env: settings.env, needs });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  const leaving = new AbortController();
  const context: ServiceContext = {
    config: loaded.config,
    redis,
    log,
    metrics: createMetrics({ service: 'bench', processMetrics: false }),
    forges: new Map([['sim', createMemoryForge(wish)]]),
    signal: leaving.signal,
    nowMs: () => Date.now(),
  };
  const services = [await startPoster(context), await startGuard(context), startInstantReviewer(wish)];
  const { config, metrics, signal } = context;
  const ingress = wish.redisUrl === undefined ? null : await startIngress(config, { log, metrics, signal });
  const queues = createQueues(redis, createKeys(prefix).queues);
  const inbox = createInbox(redis, createKeys(prefix), queues.enqueue);
  return {
    deliver: async (of) => sendWebhook(ingress?.address.port ?? 0, of, settings.webhookSecret),
    open: async (of, source = 'forge') => {
      const at = { id: `opened-${of.projectId}-${of.number}`, atMs: Date.now(), head: headOf(of) };
      await inbox.notify(
        of,
        source === 'sweep'
          ? { source, ...at }
          : { source, kind: 'opened', ...at, noteId: null, actorId: 2, requestedReviewerId: null },
      );
    },
    close: async () => {
      leaving.abort();
      await ingress?.close();
      for (const service of services) await service.close(1_000);
      await queues.close();
    },
  };
};

const sendWebhook = async (port: number, of: ChangeRequest, secret: string): Promise<void> => {
  const body = JSON.stringify({
    action: 'opened',
    number: of.number,
    pull_request: { title: 'Change', draft: false, head: { sha: headOf(of) } },
    repository: { id: of.projectId, full_name: PROJECT },
    sender: { id: 2 },
  });
  const headers = {
    'content-type': 'application/json',
    'x-forgejo-event': 'pull_request',
    'x-forgejo-event-type': 'pull_request',
    'x-forgejo-delivery': randomUUID(),
    'x-forgejo-signature': createHmac('sha256', secret).update(body).digest('hex'),
  };
  const answer = await request(`http://127.0.0.1:${port}/webhooks/sim`, { method: 'POST', headers, body });
  await answer.body.dump();
  if (answer.statusCode !== 202) throw new Error(`the ingress answered ${answer.statusCode}`);
};

/** The reviewer without git and rules: brief in, clean draft out, report to guard. */
const startInstantReviewer = ({ redis, log, prefix, concurrency, reviewMs = 0 }: PipelineWish) => {
  const keys = createKeys(prefix);
  const queues = createQueues(redis, keys.queues);
  const inbox = createInbox(redis, keys, queues.enqueue);
  const briefs = createDocumentStore(redis, Brief);
  const drafts = createDocumentStore(redis, ReviewDraft);
  const worker = startWorker({
    name: 'review',
    connection: redis,
    prefix: keys.queues,
    concurrency: concurrency.review,
    lockMs: 30_000,
    stalledMs: 30_000,
    log,
    handle: async ({ runId, changeRequest }) => {
      const brief = await briefs.load(keys.ofRun(runId, 'brief'));
      if (brief === null) throw new Error('the brief is gone');
      await pause(reviewMs);
      await drafts.save(keys.ofRun(runId, 'draft'), cleanDraft(brief));
      const event = {
        source: 'run',
        kind: 'drafted',
        id: `drafted-${runId}`,
        atMs: Date.now(),
        runId,
        code: null,
      } as const;
      await inbox.notify(changeRequest, event);
      return { kind: 'done' };
    },
  });
  return {
    close: async (deadlineMs: number) => {
      await worker.close(deadlineMs);
      await queues.close();
    },
  };
};

const cleanDraft = ({ runId, review, attempt, head, targetHead }: Brief): ReviewDraft => ({
  v: 1,
  runId,
  review,
  attempt,
  head,
  base: targetHead,
  targetHead,
  rules: '0'.repeat(32),
  patchFingerprint: 'f'.repeat(64),
  summary: 'Nothing was found.',
  findings: [],
  answers: [],
  exceeded: null,
  validations: [],
  moved: [],
  coverage: { files: 1, reviewed: 1, omitted: [], complete: true },
  spent: NOTHING_SPENT,
});
