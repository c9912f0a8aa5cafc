import { randomBytes } from 'node:crypto';
import type { Queue } from 'bullmq';
import { parseProjectScope } from '../../shared/config/projects/project-scope.ts';
import type { ServiceContext } from '../../shared/runtime/service-context.ts';
import { createHookAlarm } from '../../shared/queue/alarms.ts';
import { raiseOver } from '../../shared/queue/raise.ts';
import { createDocumentStore } from '../../shared/store/documents.ts';
import { createEpisodes } from '../../shared/store/episodes.ts';
import { withLease } from '../../shared/store/lease.ts';
import { createHookReports } from '../../shared/store/sweep/sweep-hooks.ts';
import { ProjectMemory } from '../../shared/store/sweep/sweep-memory.ts';
import { createSweepProgress } from '../../shared/store/sweep/sweep-progress.ts';
import { createKnownProjects } from '../../shared/store/sweep/sweep-projects.ts';
import { wake } from './wake.ts';
import type { GuardDeps } from './deps.ts';
import { scheduleSweep } from './sweep/schedule-sweep.ts';
import { createSweep, type Sweep } from './sweep/sweep.ts';
import type { SweepDeps, SweepForge } from './sweep/sweep-deps.ts';
import { showHookHealth } from './sweep/sweep-hooks.ts';

/** If `queue` is missing, no schedule is set. Sweep jobs that another guard scheduled are still handled. */
export const startSweep = async (
  services: ServiceContext,
  guard: GuardDeps,
  queue: Queue | null,
): Promise<{
  readonly sweep: Sweep;
  /** Stops the timer that restores the schedule in Redis. */
  readonly stop: () => void;
}> => {
  const deps = createSweepDeps(services, guard);
  for (const { id } of deps.forges) countFromZero(deps.metrics, id);
  if (queue === null) return { sweep: createSweep(deps), stop: () => {} };
  const { intervalSeconds } = services.config.sweep;
  const stop = await scheduleSweep(queue, intervalSeconds, {
    log: services.log,
    beside: async () => showHookHealth(deps),
  });
  return { sweep: createSweep(deps), stop };
};

/** Without a first value of 0, an increase from nothing to the first number of lost events would not show. */
const countFromZero = ({ sweepFound }: SweepDeps['metrics'], forge: string): void => {
  for (const what of ['change_request', 'head']) sweepFound.inc({ forge, what }, 0);
};

const createSweepDeps = (services: ServiceContext, guard: GuardDeps): SweepDeps => {
  const { config, redis, metrics } = services;
  const { keys } = guard;
  return {
    inbox: guard.inbox,
    states: guard.states,
    slots: guard.slots,
    pauses: guard.pauses,
    runningIn: (forge, path) => (guard.rulesOf?.(forge, path) ?? guard).runningPerProject,
    underLease: guard.underLease,
    nowMs: guard.nowMs,
    startedAtMs: guard.startedAtMs ?? 0,
    keys,
    metrics,
    forges: sweepForges(services),
    requestsPerSecond: config.sweep.requestsPerSecond,
    progress: createSweepProgress(redis, keys),
    memories: createDocumentStore(redis, ProjectMemory),
    known: createKnownProjects(redis, keys),
    hooks: createHookReports(redis, keys),
    hookAlarm: createHookAlarm({
      raise: raiseOver(redis, config),
      episodes: createEpisodes(redis, keys),
      nowMs: guard.nowMs,
    }),
    wake: async (next) => wake(guard, next),
    underSweepLease: async (forge, signal, work) =>
      withLease(
        redis,
        {
          key: keys.ofForge(forge, 'sweep-lock'),
          fenceKey: keys.ofForge(forge, 'sweep-fence'),
          ttlMs: config.queues.lockMs,
          nonce: randomBytes(8).toString('hex'),
        },
        signal,
        async (_lease, leased) => work(leased),
      ),
  };
};

const sweepForges = ({ config, forges }: ServiceContext): readonly SweepForge[] =>
  config.forges.flatMap(({ id, kind, projects }) => {
    const forge = forges.get(id);
    return forge === undefined ? [] : [{ id, kind, read: forge.read, scope: parseProjectScope(projects) }];
  });
