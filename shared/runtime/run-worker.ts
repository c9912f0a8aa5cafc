import { randomUUID } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Config } from '../config/load.ts';
import { withLease } from '../store/lease.ts';
import type { ServiceContext } from './service-context.ts';
import type { RunningService } from './run-service.ts';
import { createEpisodes } from '../store/episodes.ts';
import { createKeys, type Keys } from '../store/keys.ts';
import { createOutageStore } from '../outage/outages.ts';
import { knownCode } from '../error-codes/explain.ts';
import { type QueueName, QUEUES } from '../queue/contracts.ts';
import type { Alone } from '../queue/deaths.ts';
import { createWorkerAlarms, type WorkerAlarms } from '../queue/alarms.ts';
import { createQueues, type Queues } from '../queue/enqueue.ts';
import { createRaise } from '../queue/raise.ts';
import { startWorker, type WorkerOptions } from '../queue/worker.ts';
import { createMistakeStore, type MistakeStore } from '../outage/mistakes.ts';

export type WorkerTools = {
  readonly keys: Keys;
  readonly queues: Queues;
  /** Stores configuration errors that no job error reports. */
  readonly mistakes: Pick<MistakeStore, 'meet'>;
  /** For work during which a process of this service has died. */
  readonly alone: Alone;
};

export type WorkerPlan<Name extends QueueName> = Pick<WorkerOptions<Name>, 'handle' | 'onExhausted' | 'onOutage'> & {
  /** Ends background work before the worker stops taking jobs. Contract: returns at once. */
  readonly onClose?: () => void;
  readonly notices?: RunningService['notices'];
};

/** Longest delay between retries in an outage. So work continues at most this long after the end of the outage. */
const LONGEST_PAUSE_MS = 60_000;

export const runWorker = async <Name extends QueueName>(
  { config, redis, log, metrics, nowMs }: ServiceContext,
  name: Name,
  prepare: (tools: WorkerTools) => Promise<WorkerPlan<Name>>,
): Promise<RunningService> => {
  const keys = createKeys(config.redis.prefix);
  const queues = createQueues(redis, keys.queues, config.queues);
  const mistakes = createMistakeStore(redis, keys, { queue: name, nowMs });
  await mistakes.begin();
  const raise = createRaise(queues.enqueue, config.notify);
  const alarms = createWorkerAlarms({ raise, episodes: createEpisodes(redis, keys), nowMs, log });
  const tools = { keys, queues, mistakes: telling(mistakes, alarms), alone: aloneIn(redis, keys, { name, config }) };
  const { onClose, notices = [], ...plan } = await prepare(tools);
  const worker = startWorker({
    ...plan,
    name,
    connection: redis,
    prefix: keys.queues,
    concurrency: config.queues.concurrency[name],
    lockMs: config.queues.lockMs,
    ...(QUEUES[name].aloneAfterDeath === true ? { alone: tools.alone } : {}),
    stalledMs: config.queues.stalledMs,
    log,
    mistakes,
    // Failed notifications raise no alarm, because an alarm would be another notification.
    ...(name === 'notify' ? {} : { alarms }),
    outages: createOutageStore(redis, keys, {
      patienceMs: config.agent.outagePatienceS * 1000,
      baseMs: config.queues.backoffMs,
      capMs: LONGEST_PAUSE_MS,
      nowMs,
      random: Math.random,
    }),
    onBegun: (waitedSeconds) => metrics.jobWaitSeconds.observe({ queue: name }, waitedSeconds),
    onEnded: (seconds) => metrics.jobSeconds.observe({ queue: name }, seconds),
    onFailed: (code) => metrics.jobsFailed.inc({ queue: name, code: knownCode(code) }),
  });
  return {
    notices,
    close: async (deadlineMs) => {
      onClose?.();
      await worker.close(deadlineMs);
      await queues.close();
    },
  };
};

const aloneIn = (
  redis: Redis,
  keys: Keys,
  { name, config }: { readonly name: QueueName; readonly config: Pick<Config, 'queues'> },
): Alone => {
  const places = { key: keys.suspects(name, 'lock'), fenceKey: keys.suspects(name, 'fence') };
  return async (signal, work) =>
    withLease(redis, { ...places, ttlMs: config.queues.lockMs, nonce: randomUUID() }, signal, async (_lease, until) =>
      work(until),
    );
};

const telling = (mistakes: Pick<MistakeStore, 'meet'>, alarms: WorkerAlarms): WorkerTools['mistakes'] => ({
  meet: async (mistake) => {
    await mistakes.meet(mistake);
    await alarms.mistake(null, mistake);
  },
});
