import { findConfigPath } from '../../../shared/config/load.ts';
import { redisTargetOf } from '../../../shared/runtime/redis-target.ts';
import { awaitRedis, connectRedis } from '../../../shared/store/redis.ts';
import { createProjectNames, type ProjectNames } from '../../../shared/store/spending/project-names.ts';
import { readSpending, type SpendingRow } from '../../../shared/store/spending/read-spending.ts';
import { type NamesById, projectKey } from '../../../shared/store/spending/sum-spending.ts';
import { timeLimit } from '../../../shared/time-limit.ts';
import { loadWithRedis } from '../redis/own-redis.ts';
import { type CostOptions, parseCostOptions } from './parse-cost-options.ts';
import { printCost } from './print-cost.ts';

const REDIS_TIMEOUT_MS = 5_000;
const LIMIT_MS = 60_000;

/** `fixpoint cost`: what model calls cost, by day, forge, project, role or model. Reads only Redis. */
export const cost = async (options: CostOptions): Promise<number> => {
  const question = parseCostOptions(options, Date.now());
  const file = findConfigPath(options.config, process.env);
  const settings = loadWithRedis({ path: file, env: process.env, needs: ['redis'] });
  const { prefix } = settings.redis;
  const redis = connectRedis(redisTargetOf(settings), 'worker');
  try {
    await awaitRedis(redis, REDIS_TIMEOUT_MS, timeLimit(REDIS_TIMEOUT_MS));
    const rows = await readSpending(redis, { prefix, ...question.period }, timeLimit(LIMIT_MS));
    const names = await namesOf(rows, createProjectNames(redis, prefix));
    process.stdout.write(printCost(question, rows, names));
    return 0;
  } finally {
    redis.disconnect();
  }
};

const namesOf = async (rows: readonly SpendingRow[], names: ProjectNames): Promise<NamesById> => {
  const projects = [...new Map(rows.map((row) => [projectKey(row), row])).values()];
  const found = await names.load(projects);
  return new Map(
    projects.flatMap((project, index): readonly [string, string][] => {
      const name = found[index];
      return typeof name === 'string' ? [[projectKey(project), name]] : [];
    }),
  );
};
