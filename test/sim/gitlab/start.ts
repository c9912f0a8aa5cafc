import { mkdir } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import { createFaultPlan, type Fault, type FaultMatch, type FaultStep } from '../forgejo/faults.ts';
import { createRandom, type Delivery, type Effect, type QuickAction, type RequestEntry } from '../forgejo/world.ts';
import type { Mail } from '../shared/mail-log.ts';
import { findProject } from './find.ts';
import * as ci from './program-ci.ts';
import * as mergeRequests from './program-merge-requests.ts';
import * as setup from './program-setup.ts';
import { createRouter, routesFor } from './router.ts';
import { createSite } from './server.ts';
import { type Snapshot, snapshotOf } from './snapshot.ts';
import { sharedValidator } from './validate.ts';
import { replayDelivery } from './webhooks.ts';
import type { Edition, RateLimit, World } from './world.ts';

export type GitlabSimOptions = {
  /** Where the bare repositories are kept; made when missing. */
  readonly dataDir: string;
  /** Default: any free port of 127.0.0.1. */
  readonly port?: number;
  /** Epoch milliseconds; default the machine's clock. */
  readonly clock?: () => number;
  /** `external_url`, with a path for an installation under one. Default: the address listened on. */
  readonly publicUrl?: string;
  /** As `GET /version` answers. Default 18.9.0 of the edition. Below 16 a body of commands alone is a 400. */
  readonly version?: string;
  /** Default `ee`: group hooks, approvals reset by pushes, authors who may not approve. */
  readonly edition?: Edition;
  /** Default true for `ee`. False: Enterprise Edition without a licence. */
  readonly premium?: boolean;
  /** Seed of everything that the real forge leaves to chance. Default 1. */
  readonly seed?: number;
};

type Without<Function> = Function extends (world: World, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : never;

const program = { ...setup, ...mergeRequests, ...ci };

type Program = { readonly [Name in keyof typeof program]: Without<(typeof program)[Name]> };

export type GitlabSim = Program & {
  /** The public address; with `publicUrl` it need not be the one listened on. */
  readonly url: string;
  /** Listened on at 127.0.0.1. */
  readonly port: number;
  readonly world: World;
  readonly requests: readonly RequestEntry[];
  readonly effects: readonly Effect[];
  readonly mails: readonly Mail[];
  readonly deliveries: readonly Delivery[];
  readonly quickActions: readonly QuickAction[];
  /** Requests outside the API description, words that nobody will see, and bugs of the simulator. */
  readonly violations: readonly string[];
  fault(match: FaultMatch, script: FaultStep | readonly FaultStep[]): Fault;
  /**
   * While a project is renamed or transferred every read of it is answered with 200 and `null`, as Gitea does for a moment.
   * The returned function ends that.
   */
  moveProject(path: string): () => void;
  /** Lists hide what their reader wrote less than `ms` ago, by the simulator's clock. */
  setReadLag(ms: number): void;
  /** How long new merge requests have no `diff_refs` and no `open` event; default 0. */
  setPrepareDelay(ms: number): void;
  /** How long after a push approvals stand; default 10 seconds. */
  setApprovalResetDelay(ms: number): void;
  setDeliveryFilter(filter: (delivery: Delivery) => 'send' | 'drop'): void;
  /** Waits a random time up to `ms` before each webhook, so that they overtake each other. */
  setHookJitter(ms: number): void;
  /** The ops flag `auto_disabling_web_hooks`; off by default. */
  setAutoDisable(on: boolean): void;
  /** Requests per minute and user over the whole API; null takes the limit and its headers away. */
  setRateLimit(limit: RateLimit | null): void;
  /** The application limit `notes_create` per minute and user, default 300. */
  setNotesLimit(perMinute: number): void;
  setDiffLimits(limits: World['diffLimits']): void;
  /** How long a status waits for another update of its commit before it is a 409; default 10 seconds. */
  setStatusLockWait(ms: number): void;
  /** "Resend": the same idempotency key under a new request UUID. */
  replay(uuid: string): void;
  snapshot(project: string, iid: number): Snapshot;
  /** Waits until the condition holds; looked at after every request, effect and delivery. Rejects after `timeoutMs`. */
  until(condition: () => boolean, timeoutMs?: number): Promise<void>;
  /** Waits until no webhook is under way. */
  settled(): Promise<void>;
  close(): Promise<void>;
};

const createWorld = (options: GitlabSimOptions): World => {
  const edition = options.edition ?? 'ee';
  return {
    version: options.version ?? (edition === 'ee' ? '18.9.0-ee' : '18.9.0'),
    edition,
    premium: edition === 'ee' && (options.premium ?? true),
    clock: options.clock ?? Date.now,
    realTime: options.clock === undefined,
    publicUrl: options.publicUrl?.replace(/\/$/, '') ?? '',
    dataDir: options.dataDir,
    counters: new Map(),
    instance: { kind: 'instance', hooks: [] },
    users: [],
    tokens: new Map(),
    groups: [],
    projects: [],
    effects: [],
    mails: [],
    requests: [],
    deliveries: [],
    quickActions: [],
    violations: [],
    random: createRandom(options.seed ?? 1),
    watchers: new Set(),
    readLagMs: 0,
    prepareDelayMs: 0,
    approvalResetDelayMs: 10_000,
    deliveryFilter: () => 'send',
    hookJitterMs: 0,
    autoDisableHooks: false,
    rateLimit: null,
    notesPerMinute: 300,
    spent: new Map(),
    diffLimits: { maxFiles: 1_000, maxPatchBytes: 200 * 1024 },
    statusLocks: new Map(),
    statusLockWaitMs: 10_000,
    openDeliveries: new Set(),
    awaited: [],
    timers: new Set(),
    called: new Map(),
  };
};

const waitFor = (world: World, condition: () => boolean, timeoutMs: number): Promise<void> =>
  new Promise((resolve, reject) => {
    const finish = (settle: () => void): void => {
      clearTimeout(timer);
      world.watchers.delete(look);
      settle();
    };
    const look = (): void => {
      if (condition()) finish(resolve);
    };
    const late = (): void => finish(() => reject(new Error(`the condition did not hold within ${timeoutMs} ms`)));
    const timer = setTimeout(late, timeoutMs);
    world.watchers.add(look);
    look();
  });

const settle = async (world: World): Promise<void> => {
  while (world.openDeliveries.size > 0) await Promise.all(world.openDeliveries);
};

const bind = (world: World): Program => {
  const bound = Object.entries(program).map(([name, action]) => [
    name,
    // Every export of the program takes the world first; what follows is checked by the mapped type above.
    (action as (...all: readonly unknown[]) => unknown).bind(null, world),
  ]);
  return Object.fromEntries(bound) as Program;
};

type Controls = Omit<GitlabSim, keyof Program | 'close' | 'url' | 'port'>;

const controlsOf = (world: World): Omit<Controls, 'fault' | 'moveProject'> => ({
  world,
  requests: world.requests,
  effects: world.effects,
  mails: world.mails,
  deliveries: world.deliveries,
  quickActions: world.quickActions,
  violations: world.violations,
  setReadLag: (ms) => void (world.readLagMs = ms),
  setPrepareDelay: (ms) => void (world.prepareDelayMs = ms),
  setApprovalResetDelay: (ms) => void (world.approvalResetDelayMs = ms),
  setDeliveryFilter: (filter) => void (world.deliveryFilter = filter),
  setHookJitter: (ms) => void (world.hookJitterMs = ms),
  setAutoDisable: (on) => void (world.autoDisableHooks = on),
  setRateLimit: (limit) => void (world.rateLimit = limit),
  setNotesLimit: (perMinute) => void (world.notesPerMinute = perMinute),
  setDiffLimits: (limits) => void (world.diffLimits = limits),
  setStatusLockWait: (ms) => void (world.statusLockWaitMs = ms),
  replay: (uuid) => replayDelivery(world, uuid),
  snapshot: (project, iid) => snapshotOf(mergeRequests.mergeRequestAt(world, { project, iid })),
  until: (condition, timeoutMs = 10_000) => waitFor(world, condition, timeoutMs),
  settled: () => settle(world),
});

/** Starts a simulated GitLab on loopback. Only git objects touch the disk. */
export const startGitlabSim = async (options: GitlabSimOptions): Promise<GitlabSim> => {
  await mkdir(options.dataDir, { recursive: true });
  const world = createWorld(options);
  const faults = createFaultPlan();
  const router = createRouter(routesFor(world.edition));
  const server = createSite({ world, router, faults, validate: sharedValidator() });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  // A server that listens on TCP has an address of this shape.
  const { port } = server.address() as AddressInfo;
  if (world.publicUrl === '') world.publicUrl = `http://127.0.0.1:${port}`;
  return {
    ...bind(world),
    ...controlsOf(world),
    url: world.publicUrl,
    port,
    fault: (match, script) => faults.add(match, script),
    moveProject: (path) => {
      const names = `${findProject(world, path).id}|${encodeURIComponent(path)}`;
      const reads = { method: 'GET', path: new RegExp(`^/api/v4/projects/(?:${names})(?:[/?]|$)`) };
      const step = { kind: 'status', status: 200, body: 'null' } as const;
      const fault = faults.add({ ...reads, times: Number.POSITIVE_INFINITY }, step);
      return () => fault.remove();
    },
    close: async () => {
      for (const timer of world.timers) clearTimeout(timer);
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await settle(world);
    },
  };
};
