import type { AddressInfo } from 'node:net';
import type { Redis } from 'ioredis';
import { createCheckpoint } from '../../shared/checkpoint.ts';
import type { Config } from '../../shared/config/load.ts';
import type { Logger } from '../../shared/logger.ts';
import type { Metrics } from '../../shared/metrics.ts';
import { createQueues } from '../../shared/queue/enqueue.ts';
import { startHeartbeat } from '../../shared/runtime/heartbeat.ts';
import { createSettingsByPath } from '../../shared/overview/settings-by-path.ts';
import { createRedisCheck } from '../../shared/runtime/redis-check.ts';
import { createHeads } from '../../shared/store/heads.ts';
import { createInbox } from '../../shared/queue/inbox.ts';
import { createKeys, type Keys } from '../../shared/store/keys.ts';
import { assertRedisIsSafe } from '../../shared/store/server/redis-safety.ts';
import { createKnownPaths } from '../../shared/store/known-paths.ts';
import { createSourceBranches } from '../../shared/store/source-branches.ts';
import { redisTargetOf } from '../../shared/runtime/redis-target.ts';
import { awaitRedis, connectRedis } from '../../shared/store/redis.ts';
import { createReviewRequestStore } from '../../shared/mailbox/review-request-store.ts';
import { createMailOfProjects } from '../../shared/mailbox/mail-of-projects.ts';
import { createMessageStore } from '../../shared/mailbox/message-store.ts';
import { createUnknownChangeRequests } from '../../shared/mailbox/unknown-change-requests.ts';
import type { ChangeRequest } from '../../shared/vocabulary/ids.ts';
import { createApp } from './app.ts';
import { createClientRights } from './client-rights.ts';
import { ingressForges } from './ingress-forge.ts';
import { createWake, knownClients } from './message-clients.ts';
import type { FolderDeps } from './folder-exchange.ts';
import { createStoreEvent } from './store-event.ts';
import { createCursors, folderClients, type FolderWatch, watchFolders } from './watch-folders.ts';

/** The configuration must be loaded with the needs `webhooks` and `redis`. */
export type IngressConfig = Pick<
  Config,
  'forges' | 'secrets' | 'ingress' | 'redis' | 'queues' | 'messages' | 'rounds' | 'console' | 'project' | 'agent'
>;

export type StartDeps = {
  readonly log: Logger;
  readonly metrics: Metrics;
  /** Aborts the wait for Redis at start; does not stop a running ingress. */
  readonly signal: AbortSignal;
  readonly nowMs?: () => number;
  /** If set, this connection is used instead of connecting to the configured address. For running everything in one process. */
  readonly redis?: Redis;
};

export type RunningIngress = {
  readonly address: { readonly host: string; readonly port: number };
  /** Finishes open requests, accepts no new ones, then closes Redis. */
  readonly close: () => Promise<void>;
};

const connectConfigured = (config: IngressConfig, log: Logger): Redis =>
  connectRedis(redisTargetOf(config), 'producer', (err) => {
    log.warn({ err }, 'Redis connection failed');
  });

const START_REDIS_MS = 5_000;
/** Time limit for storing an event, so that a 503 is sent within half a second. */
const STORE_TIMEOUT_MS = 350;

/** Closes everything before it throws `REDIS_UNREACHABLE`, `REDIS_UNSAFE` (Redis can lose jobs) or errors of `listen`. */
export const startIngress = async (config: IngressConfig, deps: StartDeps): Promise<RunningIngress> => {
  const { log, metrics, signal, nowMs = Date.now } = deps;
  const redis = deps.redis ?? connectConfigured(config, log);
  const keys = createKeys(config.redis.prefix);
  const queues = createQueues(redis, keys.queues, config.queues);
  const inbox = createInbox(redis, keys, queues.enqueue, createCheckpoint('ingress', process.env['FIXPOINT_CRASH_AT']));
  const messages = { ...storesOfMessages({ config, redis, keys, nowMs }), wake: createWake(inbox, nowMs) };
  const app = createApp({
    forges: ingressForges(config),
    storeEvent: createStoreEvent(inbox),
    heads: createHeads(redis, keys),
    messages,
    storeTimeoutMs: STORE_TIMEOUT_MS,
    bodyLimitBytes: config.ingress.bodyLimitBytes,
    limits: { bytesInFlight: config.ingress.maxBytesInFlight, connections: config.ingress.maxConnections },
    check: createRedisCheck(redis, keys.ready),
    log,
    metrics,
    nowMs,
  });
  let background: FolderWatch | null = null;
  const close = async (): Promise<void> => {
    await background?.close();
    await app.close();
    await queues.close();
    redis.disconnect();
  };
  try {
    await awaitRedis(redis, START_REDIS_MS, signal);
    await assertRedisIsSafe(redis, config.redis);
    await app.listen({ host: config.ingress.host, port: config.ingress.port });
    background = startBackground({ config, redis, keys, messages: { ...messages, log }, nowMs });
  } catch (cause) {
    await close();
    throw cause;
  }
  // A listening TCP server has an AddressInfo; the other cases of the type are pipes and closed servers.
  const { address, port } = app.server.address() as AddressInfo;
  return { address: { host: address, port }, close };
};

type Stored = {
  readonly config: IngressConfig;
  readonly redis: Redis;
  readonly keys: Keys;
  readonly nowMs: () => number;
};

/** What the messages of outside reviewers and authors read and write. */
const storesOfMessages = ({ config, redis, keys, nowMs }: Stored) => {
  const branches = createSourceBranches(redis, keys);
  const settingsFor = createSettingsByPath(redis, keys, config);
  return {
    clients: knownClients(config),
    messageStore: createMessageStore(redis, keys, {
      maxRoundsOf: async (of) => (await settingsFor(of)).rounds.max,
      leader: config.messages.name,
    }),
    mail: createMailOfProjects(redis, keys),
    requestStore: createReviewRequestStore(redis, keys, nowMs),
    rights: createClientRights(config, createKnownPaths(redis, keys)),
    programs: config.messages.client,
    ownName: config.messages.name,
    branchOf: async (of: ChangeRequest) => branches.load(of),
    unknown: createUnknownChangeRequests(redis, keys, branches),
  };
};

type Background = Stored & {
  readonly messages: Omit<FolderDeps, keyof ReturnType<typeof createCursors>>;
};

const startBackground = ({ config, redis, keys, messages, nowMs }: Background): FolderWatch => {
  const folders = watchFolders(
    { ...messages, ...createCursors(redis, keys) },
    { clients: folderClients(config), everyMs: config.messages.folderSeconds * 1000 },
  );
  if (!config.console.enabled) return folders;
  const heart = startHeartbeat({ redis, keys, service: 'ingress', notices: () => [], nowMs });
  return {
    close: async () => {
      await heart.stop();
      await folders.close();
    },
  };
};
