/** The sweep over a real Redis and a forge in memory, which counts what it is asked. */
import type { Redis } from 'ioredis';
import type { GuardDeps } from '../../../services/guard/deps.ts';
import { createSweep, type SweepContext } from '../../../services/guard/sweep/sweep.ts';
import type { SweepDeps, SweepForge } from '../../../services/guard/sweep/sweep-deps.ts';
import { parseProjectScope } from '../../../shared/config/projects/project-scope.ts';
import type { Hook, ListedProject } from '../../../shared/forge/port-listing.ts';
import type { OpenChangeRequest } from '../../../shared/forge/port-facts.ts';
import { createLogger } from '../../../shared/logger.ts';
import { createMetrics } from '../../../shared/metrics.ts';
import type { HandlerResult } from '../../../shared/queue/worker.ts';
import type { GuardState } from '../../../shared/rounds/model/state.ts';
import type { ChangeRequest } from '../../../shared/vocabulary/ids.ts';
import { createDocumentStore } from '../../../shared/store/documents.ts';
import { createGuardStates } from '../../../shared/store/guard-states.ts';
import { createInbox } from '../../../shared/queue/inbox.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { withLease } from '../../../shared/store/lease.ts';
import { createPauses } from '../../../shared/store/board/pauses.ts';
import { createSlots } from '../../../shared/store/slots.ts';
import { createHookReports } from '../../../shared/store/sweep/sweep-hooks.ts';
import { ProjectMemory } from '../../../shared/store/sweep/sweep-memory.ts';
import { createSweepProgress } from '../../../shared/store/sweep/sweep-progress.ts';
import { createKnownProjects } from '../../../shared/store/sweep/sweep-projects.ts';
import { NOW, sha, state } from '../../shared/rounds/builders.ts';
import { never } from '../../shared/workspace/repository.ts';

const keys = createKeys('sweep-test');
export const FORGE = 'main';

export type FakeProject = {
  readonly id: number;
  path: string;
  activeAtMs: number;
  /** Numbers of the open change requests, with the time of their last change. */
  readonly open: Map<number, number>;
  /** Thrown instead of an answer. */
  failure: Error | null;
  /** Null: the account may not ask. */
  hooks: readonly Hook[] | null;
};

export type SweepBench = {
  readonly deps: SweepDeps;
  readonly logged: string[];
  /** What the forge was asked, in order. */
  readonly asked: string[];
  /** Epoch ms; moved by `tick`. */
  readonly now: () => number;
  readonly tick: (ms: number) => void;
  readonly addProject: (path: string, open?: readonly number[]) => FakeProject;
  readonly groupHooks: Map<string, readonly Hook[] | null>;
  /** One execution of a sweep job. */
  readonly slice: (jobId?: string) => Promise<HandlerResult>;
  /** A whole sweep: rests as long as it is told to. Returns how long that was. */
  readonly sweep: (jobId?: string) => Promise<number>;
  readonly save: (of: ChangeRequest, patch: Partial<GuardState>) => Promise<void>;
  /** What waits for guard, by change request; and takes it away. */
  readonly woken: (project: FakeProject, ...numbers: readonly number[]) => Promise<readonly (readonly string[])[]>;
  readonly at: (project: FakeProject, number: number) => ChangeRequest;
  readonly lines: (message: string) => readonly string[];
};

export type BenchWish = {
  readonly projects: readonly string[];
  readonly requestsPerSecond?: number;
  readonly pageSize?: number;
  readonly kind?: SweepForge['kind'];
  /** Of a forge that is none of this bench. */
  readonly read?: SweepForge['read'];
};

const MAX_SLICES = 500;
let benches = 0;

export const headOf = (project: FakeProject, number: number) => sha(`head ${project.id} ${number}`);

const pageOf = <T>(all: readonly T[], page: number, size: number): { readonly items: readonly T[]; last: boolean } => ({
  items: all.slice((page - 1) * size, page * size),
  last: page * size >= all.length,
});

export const createSweepBench = (redis: Redis, wish: BenchWish): SweepBench => {
  const { pageSize = 100 } = wish;
  let nowMs = NOW;
  const projects: FakeProject[] = [];
  const asked: string[] = [];
  const logged: string[] = [];
  const groupHooks = new Map<string, readonly Hook[] | null>();
  benches += 1;

  const byId = (id: number): FakeProject => {
    const found = projects.find((each) => each.id === id);
    if (found === undefined) throw new Error(`no project ${id}`);
    if (found.failure !== null) throw found.failure;
    return found;
  };
  const entriesOf = (project: FakeProject): readonly OpenChangeRequest[] =>
    [...project.open]
      .map(([number, updatedAtMs]) => ({
        changeRequest: { forge: FORGE, projectId: project.id, number },
        head: headOf(project, number),
        draft: false,
        targetBranch: 'main',
        mergeBase: sha('base'),
        updatedAtMs,
      }))
      .toSorted((one, two) => two.updatedAtMs - one.updatedAtMs || two.changeRequest.number - one.changeRequest.number);
  const listed = ({ id, path, activeAtMs }: FakeProject): ListedProject => ({ id, path, activeAtMs });
  const read: SweepForge['read'] = {
    findProject: async (path) => {
      asked.push(`find ${path}`);
      const found = projects.find((each) => each.path.toLowerCase() === path.toLowerCase());
      return found === undefined
        ? null
        : { id: found.id, path: found.path, webUrl: '', defaultBranch: 'main', unusable: null };
    },
    readProjectPage: async (place, page) => {
      asked.push(`projects ${place.kind === 'group' ? place.path : '*'} ${page}`);
      const all = place.kind === 'group' ? projects.filter(({ path }) => path.startsWith(`${place.path}/`)) : projects;
      if (all.length === 0) return null;
      const { items, last } = pageOf(all, page, pageSize);
      return { projects: items.map(listed), last };
    },
    readOpenPage: async ({ id, path }, { page, tag }) => {
      asked.push(`open ${path} ${page}`);
      const all = entriesOf(byId(id));
      const { items, last } = pageOf(all, page, pageSize);
      const fresh = JSON.stringify([items, all.length]);
      return fresh === tag ? null : { open: items, last, total: all.length, tag: fresh };
    },
    // The list tells all that they could.
    fetchBranch: async () => Promise.reject(new Error('a branch was asked for')),
    fetchChangeRequest: async () => Promise.reject(new Error('a change request was asked for')),
    fetchHooks: async (owner) => {
      if (owner.kind === 'group') {
        asked.push(`hooks of group ${owner.path}`);
        return groupHooks.get(owner.path) ?? (groupHooks.has(owner.path) ? null : []);
      }
      asked.push(`hooks ${owner.project.path}`);
      return byId(owner.project.id).hooks;
    },
  };
  const inbox = createInbox(redis, keys, async () => {});
  const states = createGuardStates(redis, keys);
  const lease = (key: string, fenceKey: string) => ({ key, fenceKey, ttlMs: 10_000, nonce: `bench-${benches}` });
  const underLease: GuardDeps['underLease'] = async (of, signal, work) =>
    withLease(redis, lease(keys.ofChangeRequest(of, 'lock'), keys.ofChangeRequest(of, 'fence')), signal, work);
  const deps: SweepDeps = {
    inbox,
    states,
    slots: createSlots(redis, keys),
    pauses: createPauses(redis, keys),
    runningIn: () => 1,
    underLease,
    nowMs: () => nowMs,
    forges: [
      { id: FORGE, kind: wish.kind ?? 'forgejo', read: wish.read ?? read, scope: parseProjectScope(wish.projects) },
    ],
    requestsPerSecond: wish.requestsPerSecond ?? 1_000,
    keys,
    progress: createSweepProgress(redis, keys),
    memories: createDocumentStore(redis, ProjectMemory),
    known: createKnownProjects(redis, keys),
    hooks: createHookReports(redis, keys),
    metrics: createMetrics({ service: 'guard', processMetrics: false }),
    wake: async (of) => {
      const event = { source: 'wake' as const, id: `slot-${nowMs}`, atMs: nowMs };
      await inbox.notify(of, event);
    },
    underSweepLease: async (forge, signal, work) => {
      const [key, fence] = [keys.ofForge(forge, 'sweep-lock'), keys.ofForge(forge, 'sweep-fence')];
      return withLease(redis, lease(key, fence), signal, async (_lease, leased) => work(leased));
    },
  };
  const log = createLogger({
    service: 'guard',
    level: 'info',
    to: { write: (line) => void logged.push(line) },
    secrets: [],
  });
  const run = createSweep(deps);
  let jobs = 0;
  const slice = async (jobId: string): Promise<HandlerResult> => {
    const context: SweepContext = { signal: never(), log, jobId };
    return run(context);
  };
  const newJob = (): string => {
    jobs += 1;
    return `job-${benches}-${jobs}`;
  };
  const at = (project: FakeProject, number: number): ChangeRequest => ({
    forge: FORGE,
    projectId: project.id,
    number,
  });
  return {
    deps,
    logged,
    asked,
    now: () => nowMs,
    tick: (ms) => {
      nowMs += ms;
    },
    addProject: (path, open = []) => {
      const id = projects.length + 1;
      const opened = new Map(open.map((number, index) => [number, NOW - 3_600_000 - index]));
      const project = { id, path, activeAtMs: NOW - 3_600_000, open: opened, failure: null, hooks: [] };
      projects.push(project);
      return project;
    },
    groupHooks,
    slice: async (jobId = newJob()) => slice(jobId),
    sweep: async (jobId = newJob()) => {
      let restedMs = 0;
      for (let review = 0; review < MAX_SLICES; review += 1) {
        const result = await slice(jobId);
        if (result.kind !== 'defer') return restedMs;
        restedMs += result.delayMs;
        nowMs += result.delayMs;
      }
      throw new Error('the sweep does not end');
    },
    save: async (of, patch) => {
      const held = await underLease(of, never(), async (held) => states.save(of, state(patch), held));
      if (held === null) throw new Error('the change request is locked');
    },
    woken: async (project, ...numbers) =>
      Promise.all(
        numbers.map(async (number) => {
          const { events } = await inbox.read(at(project, number));
          await redis.del(keys.ofChangeRequest(at(project, number), 'inbox'));
          return events.map(({ source }) => source);
        }),
      ),
    at,
    lines: (message) => logged.filter((line) => line.includes(message)),
  };
};
