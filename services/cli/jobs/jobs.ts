import { findConfigPath } from '../../../shared/config/load.ts';
import { MAX_FAILED_JOBS, type QueueName } from '../../../shared/queue/contracts.ts';
import { createQueues, type Queues } from '../../../shared/queue/enqueue.ts';
import { createFailedJobs, type FailedJobs, QUEUE_NAMES } from '../../../shared/queue/failed-jobs.ts';
import { countQueues } from '../../../shared/queue/queue-counts.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { redisTargetOf } from '../../../shared/runtime/redis-target.ts';
import { awaitRedis, connectRedis } from '../../../shared/store/redis.ts';
import { escapeForTerminalLine } from '../../../shared/text/visible.ts';
import { timeLimit } from '../../../shared/time-limit.ts';
import { loadWithRedis } from '../redis/own-redis.ts';
import { printJson } from '../terminal/print-json.ts';
import { UsageError } from '../terminal/usage-error.ts';
import { AGAIN_WORDS, countsText, DROP_WORDS, failedText, jobsJson } from './jobs-text.ts';

export type JobsOptions = { readonly config?: string; readonly failed?: true; readonly format: string };
export type AgainOptions = { readonly config?: string; readonly all?: true };

const REDIS_TIMEOUT_MS = 5_000;
/** More failed jobs are counted, but not printed. */
const SHOWN = 200;

type Opened = { readonly queues: Queues; readonly failed: FailedJobs };

const withQueues = async (config: string | undefined, use: (opened: Opened) => Promise<number>): Promise<number> => {
  const path = findConfigPath(config, process.env);
  const settings = loadWithRedis({ path, env: process.env, needs: ['redis'] });
  const redis = connectRedis(redisTargetOf(settings), 'worker');
  const keys = createKeys(settings.redis.prefix);
  const queues = createQueues(redis, keys.queues, settings.queues);
  try {
    await awaitRedis(redis, REDIS_TIMEOUT_MS, timeLimit(REDIS_TIMEOUT_MS));
    return await use({ queues, failed: createFailedJobs({ redis, keys, queues }) });
  } finally {
    await queues.close().catch(() => undefined);
    redis.disconnect();
  }
};

/** `fixpoint jobs`: what each queue holds, or the failed jobs. */
export const showJobs = async ({ config, failed: isFailed, format }: JobsOptions): Promise<number> => {
  if (format !== 'text' && format !== 'json') throw new UsageError('--format: expected text or json');
  return withQueues(config, async ({ queues, failed }) => {
    const nowMs = Date.now();
    const counts = await countQueues(queues);
    const listed = isFailed === true ? await failed.list(SHOWN) : null;
    if (format === 'json') process.stdout.write(printJson(jobsJson(counts, listed, nowMs)));
    else process.stdout.write(listed === null ? countsText(counts, nowMs) : failedText(listed));
    return 0;
  });
};

type Named = { readonly queue: QueueName; readonly jobId: string };

/** The id of a job may contain slashes; the name of a queue does not. */
const parseId = (text: string): Named => {
  const slash = text.indexOf('/');
  const queue = QUEUE_NAMES.find((name) => name === text.slice(0, slash));
  const jobId = text.slice(slash + 1);
  if (slash < 0 || queue === undefined || jobId === '')
    throw new UsageError(`expected QUEUE/ID with one of the queues ${QUEUE_NAMES.join(', ')}`);
  return { queue, jobId };
};

const say = (line: string): void => void process.stdout.write(`${escapeForTerminalLine(line)}\n`);

/** `fixpoint jobs retry ID` and `fixpoint jobs retry --all`. */
export const retryJobs = async (id: string | undefined, { config, all }: AgainOptions): Promise<number> => {
  if ((id === undefined) === (all === undefined)) throw new UsageError('expected either the id of a job or --all');
  const named = id === undefined ? null : parseId(id);
  return withQueues(config, async ({ failed }) => {
    if (named === null) return retryAll(failed);
    const outcome = await failed.runAgain(named.queue, named.jobId);
    say(`${named.queue}/${named.jobId} ${AGAIN_WORDS[outcome]}`);
    return outcome === 'queued' ? 0 : 1;
  });
};

const retryAll = async (failed: FailedJobs): Promise<number> => {
  const { jobs } = await failed.list(MAX_FAILED_JOBS * QUEUE_NAMES.length);
  for (const { queue, jobId } of jobs) say(`${queue}/${jobId} ${AGAIN_WORDS[await failed.runAgain(queue, jobId)]}`);
  if (jobs.length === 0) say('no job has failed');
  return 0;
};

/** `fixpoint jobs drop ID`. */
export const dropJob = async (id: string, { config }: Pick<AgainOptions, 'config'>): Promise<number> => {
  const { queue, jobId } = parseId(id);
  return withQueues(config, async ({ failed }) => {
    const outcome = await failed.drop(queue, jobId);
    say(`${queue}/${jobId} ${DROP_WORDS[outcome]}`);
    return outcome === 'dropped' ? 0 : 1;
  });
};
