/**
 * Reviews one change request for an operator's program and posts the result. The request goes through the pipeline like a
 * commander's: the same caps and the same memory apply, and nothing is posted twice.
 */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { Redis } from 'ioredis';
import { type Config, findConfigPath } from '../../shared/config/load.ts';
import { settingsOf } from '../../shared/config/project-settings.ts';
import { secretValues } from '../../shared/config/loaded/secret-values.ts';
import type { Environment } from '../../shared/config/secrets.ts';
import { connectForges } from '../../shared/runtime/connect-forges.ts';
import { AppError } from '../../shared/errors.ts';
import { createLogger, type LoggerOptions } from '../../shared/logger.ts';
import { createMetrics } from '../../shared/metrics.ts';
import { type Input, inputOf } from '../../shared/rounds/model/input.ts';
import type { ChangeRequest } from '../../shared/vocabulary/ids.ts';
import { createIdentities } from '../../shared/store/identities.ts';
import { createKeys } from '../../shared/store/keys.ts';
import { assertRedisIsSafe } from '../../shared/store/server/redis-safety.ts';
import { redisTargetOf } from '../../shared/runtime/redis-target.ts';
import { awaitRedis, connectRedis } from '../../shared/store/redis.ts';
import { isAtRest, lastReason, askGuard, untilKnown } from './ask-review.ts';
import { startWorkers } from './one-process.ts';
import { loadWithRedis } from './redis/own-redis.ts';
import { forgeOf, parseReference } from './terminal/reference.ts';
import { type PostedReview, readOpen, readPosted, type PostTarget } from './review/review-posted.ts';
import { UsageError } from './terminal/usage-error.ts';
import { timeLimit } from '../../shared/time-limit.ts';

export type PostRequest = {
  readonly reference: string;
  /** Path of a `fixpoint.toml`. Default: the file that the command line would use. */
  readonly configPath?: string | undefined;
  /** Text of a configuration instead of a file. Its paths are relative to the working directory. */
  readonly config?: string | undefined;
  /** Environment with the secrets. Default: the environment of this process. */
  readonly env?: Environment | undefined;
  /** Time limit for review and posting together. Default: one hour. */
  readonly timeoutMs?: number | undefined;
  /** Destination of the services' log lines. By default, warnings go to standard error. */
  readonly log?: Pick<Exclude<LoggerOptions['to'], string>, 'write'> | undefined;
  readonly signal?: AbortSignal | undefined;
};

export class ReviewNotPostedError extends AppError {
  constructor(reason: string) {
    super({
      code: 'REVIEW_NOT_POSTED',
      message: `no review was posted: ${reason}`,
      disposition: { kind: 'fail' },
    });
  }
}

const TIMEOUT_MS = 3_600_000;
const REDIS_TIMEOUT_MS = 5_000;
const NEVER = new AbortController().signal;

/** See `reviewAndPost` in `api.ts`. If someone pushes in the meantime, the verdict may belong to a later head. */
export const reviewChangeRequest = async (request: PostRequest): Promise<PostedReview> => {
  const of = parseReference(request.reference);
  const loaded = await loadSettings(request);
  forgeOf(loaded.config, of);
  const signal = timeLimit(request.timeoutMs ?? TIMEOUT_MS, request.signal ?? NEVER);
  const redis = connectRedis(redisTargetOf(loaded.config), 'worker');
  try {
    await awaitRedis(redis, REDIS_TIMEOUT_MS, signal);
    await assertRedisIsSafe(redis, loaded.config.redis);
    return await withWorkers({ ...loaded, of, redis }, signal);
  } catch (error) {
    request.signal?.throwIfAborted();
    if (signal.aborted) throw new ReviewNotPostedError('timed out');
    throw error;
  } finally {
    redis.disconnect();
  }
};

type Loaded = {
  readonly config: Config;
  readonly settings: string;
  readonly folder: string;
  readonly env: Environment;
  readonly logTo: LoggerOptions['to'];
};

/** Loads what this process needs: guard's read access and the marker secret. Each worker loads what it needs itself. */
const loadSettings = async (request: PostRequest): Promise<Loaded> => {
  const env = request.env ?? process.env;
  const { settings, folder } = await readSettings(request, env);
  const config = loadWithRedis({ text: settings, folder, env, needs: ['redis', 'read_token', 'marker_secret'] });
  return { config, settings, folder, env, logTo: request.log ?? 'stderr' };
};

const readSettings = async ({ config, configPath }: PostRequest, env: Environment) => {
  if (config !== undefined) return { settings: config, folder: process.cwd() };
  const file = path.resolve(findConfigPath(configPath, env));
  const settings = await readFile(file, 'utf8').catch(() => null);
  if (settings === null) throw new UsageError(`no configuration found at ${file}`);
  return { settings, folder: path.dirname(file) };
};

type Errand = Loaded & { readonly of: ChangeRequest; readonly redis: Redis };

const withWorkers = async (errand: Errand, signal: AbortSignal): Promise<PostedReview> => {
  const { config, settings, folder, env, logTo, of } = errand;
  const reading = { of, config, forge: await connectForge(errand, signal) };
  const facts = await readOpen(reading, signal);
  if (settingsOf(config, { forge: of.forge, path: facts.projectPath }).review.dryRun)
    throw new UsageError('review.dry_run is on: nothing would be posted');
  const input = inputOf(facts);
  const workers = await startWorkers({
    settings,
    folder,
    env,
    logTo,
    logLevel: 'warn',
    connectRedis: () => connectRedis(redisTargetOf(config), 'worker'),
  });
  try {
    return await askAndWait(errand, { reading, input }, signal);
  } finally {
    await workers.close();
  }
};

const connectForge = async ({ config, of, logTo }: Errand, signal: AbortSignal): Promise<PostTarget['forge']> => {
  const secrets = secretValues(config.secrets);
  const log = createLogger({ service: 'cli', level: 'warn', to: logTo, secrets });
  const metrics = createMetrics({ service: 'cli', processMetrics: false });
  const only = { ...config, forges: config.forges.filter(({ id }) => id === of.forge) };
  const forge = (await connectForges(only, 'read_token', { log, metrics, signal })).get(of.forge);
  if (forge === undefined) throw new UsageError(`the configuration has no forge "${of.forge}"`);
  return forge;
};

type Asking = { readonly reading: PostTarget; readonly input: Input };

const askAndWait = async (errand: Errand, { reading, input }: Asking, signal: AbortSignal): Promise<PostedReview> => {
  const { config, of, redis } = errand;
  const keys = createKeys(config.redis.prefix);
  const bot = await untilKnown(async () => createIdentities(redis, keys).load(of.forge), signal);
  const previous = config.forges.find(({ id }) => id === of.forge)?.previousBotUserIds ?? [];
  const botIds = new Set([bot.id, ...previous]);
  const before = await readPosted(reading, { input, botIds }, signal);
  if (before !== null) return { ...before, isNew: false };
  const askedAtMs = Date.now();
  await askGuard(errand, bot);
  await untilKnown(async () => ((await isAtRest(errand)) ? true : null), signal);
  const now = inputOf(await readOpen(reading, signal));
  const posted = await readPosted(reading, { input: now, botIds }, signal);
  if (posted !== null) return { ...posted, isNew: true };
  throw new ReviewNotPostedError(await lastReason(errand, askedAtMs));
};
