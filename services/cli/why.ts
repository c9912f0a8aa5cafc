import { findConfigPath, loadConfig } from '../../shared/config/load.ts';
import { demand } from '../../shared/config/secrets.ts';
import type { ChangeRequest } from '../../shared/rounds/vocabulary.ts';
import { createDecisions, type DecisionRecord } from '../../shared/store/decisions.ts';
import { createKeys } from '../../shared/store/keys.ts';
import { awaitRedis, connectRedis } from '../../shared/store/redis.ts';
import { escapeForTerminalLine } from '../../shared/text/visible.ts';
import { parseReference } from './reference.ts';
import { UsageError } from './usage-error.ts';
import { timeLimit } from '../../shared/time-limit.ts';

export type WhyOptions = { readonly config?: string };

const REDIS_TIMEOUT_MS = 5_000;

/** `fixpoint why FORGE/PROJECT_ID/NUMBER`: every decision about one change request, in order, with its reason. */
export const why = async (reference: string, options: WhyOptions): Promise<number> => {
  const of = parseReference(reference);
  const loaded = loadConfig({ path: findConfigPath(options.config, process.env), env: process.env, needs: ['redis'] });
  if (!loaded.ok) throw new UsageError(loaded.problems.join('\n'));
  const redis = connectRedis(demand(loaded.config.secrets.redisUrl, 'redis'), 'worker');
  try {
    await awaitRedis(redis, REDIS_TIMEOUT_MS, timeLimit(REDIS_TIMEOUT_MS));
    const records = await createDecisions(redis, createKeys(loaded.config.redis.prefix)).list(of);
    process.stdout.write(records.length === 0 ? nothingKnown(of) : records.map(lineOf).join(''));
    return 0;
  } finally {
    redis.disconnect();
  }
};

const nothingKnown = ({ forge, projectId, number }: ChangeRequest): string =>
  `nothing is recorded about ${forge}/${projectId}/${number}\n`;

const lineOf = ({ atMs, command, reason, head, events }: DecisionRecord): string => {
  const at = new Date(atMs).toISOString();
  const because = events.length === 0 ? '' : ` [${events.join(', ')}]`;
  return `${at} ${head?.slice(0, 10) ?? '-'} ${escapeForTerminalLine(`${command}: ${reason}${because}`)}\n`;
};
