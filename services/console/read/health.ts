import type { Troubles } from '../../../shared/overview/troubles.ts';
import { createHeartbeats, type Heartbeat, type LastAnswer } from '../../../shared/store/board/heartbeats.ts';
import { servicesOf } from '../../../shared/config/service-needs.ts';
import { fetchRedisFacts, judgeRedis } from '../../../shared/store/server/redis-safety.ts';
import { createHookReports, type HookReport, isAmiss } from '../../../shared/store/sweep/sweep-hooks.ts';
import { readTroubles } from './troubles.ts';
import type { PageSource } from './source.ts';

export type ShownAnswer = LastAnswer & { readonly service: string };

export type HealthReading = Troubles & {
  readonly processes: readonly Heartbeat[];
  /** Services that should run, and of which no process does. */
  readonly missing: readonly string[];
  readonly redis: { readonly version: string; readonly problems: readonly string[] };
  /** What each forge and the models last answered to any process. */
  readonly answers: readonly ShownAnswer[];
  /** Webhooks that do not work. */
  readonly hooks: readonly (HookReport & { readonly forge: string })[];
  readonly nowMs: number;
};

export const readHealth = async (source: PageSource): Promise<HealthReading> => {
  const { redis, keys, config } = source;
  const nowMs = source.nowMs();
  const reports = createHookReports(redis, keys);
  const [processes, facts, troubles, hooks] = await Promise.all([
    createHeartbeats(redis, keys).list(nowMs),
    fetchRedisFacts(redis),
    readTroubles(source),
    Promise.all(config.forges.map(async ({ id }) => (await reports.all(id)).map((one) => ({ ...one, forge: id })))),
  ]);
  const running = new Set(processes.map(({ service }) => service));
  return {
    ...troubles,
    processes,
    missing: servicesOf(config).filter((name) => !running.has(name)),
    answers: newestOf(processes),
    redis: { version: facts.version, problems: judgeRedis(facts, config.redis) },
    hooks: hooks.flat().filter(isAmiss),
    nowMs,
  };
};

const newestOf = (processes: readonly Heartbeat[]): readonly ShownAnswer[] => {
  const all = processes.flatMap(({ service, answers }) => answers.map((answer) => ({ ...answer, service })));
  const newest = new Map<string, ShownAnswer>();
  for (const answer of all) if (answer.atMs > (newest.get(answer.of)?.atMs ?? 0)) newest.set(answer.of, answer);
  return [...newest.values()].toSorted((one, other) => one.of.localeCompare(other.of, 'en'));
};
