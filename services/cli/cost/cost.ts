import { findConfigPath } from '../../../shared/config/load.ts';
import { redisTargetOf } from '../../../shared/runtime/redis-target.ts';
import { awaitRedis, connectRedis } from '../../../shared/store/redis.ts';
import { createProjectNames, loadNames } from '../../../shared/store/spending/project-names.ts';
import { readSpending } from '../../../shared/store/spending/read-spending.ts';
import { timeLimit } from '../../../shared/time-limit.ts';
import { loadWithRedis } from '../redis/own-redis.ts';
import { type CostOptions, parseCostOptions, recordedPeriod } from './parse-cost-options.ts';
import { printCost } from './print-cost.ts';

const REDIS_TIMEOUT_MS = 5_000;
const LIMIT_MS = 60_000;

/** `fixpoint cost`: what model calls cost, by day, forge, project, role or model. Reads only Redis. */
export const cost = async (options: CostOptions): Promise<number> => {
  const nowMs = Date.now();
  const question = parseCostOptions(options, nowMs);
  const file = findConfigPath(options.config, process.env);
  const settings = loadWithRedis({ path: file, env: process.env, needs: ['redis'] });
  const { prefix } = settings.redis;
  const redis = connectRedis(redisTargetOf(settings), 'worker');
  try {
    await awaitRedis(redis, REDIS_TIMEOUT_MS, timeLimit(REDIS_TIMEOUT_MS));
    const period = recordedPeriod(question.period, nowMs);
    const rows = await readSpending(redis, { prefix, ...period }, timeLimit(LIMIT_MS));
    const names = await loadNames(rows, createProjectNames(redis, prefix));
    process.stdout.write(printCost(question, rows, names));
    return 0;
  } finally {
    redis.disconnect();
  }
};
