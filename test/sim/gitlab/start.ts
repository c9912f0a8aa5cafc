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
  /** Folder of the bare repositories; created when missing. */
  readonly dataDir: string;
  readonly port?: number;
  /** Epoch milliseconds. Default: the machine's clock. */
  readonly clock?: () => number;
  /** `external_url`, may have a path. Default: the address that the server listens on. */
  readonly publicUrl?: string;
  /** Version in `GET /version`. Default: 18.9.0. Below 16, a body with only commands is a 400. */
  readonly version?: string;
  /** Default `ee`: has group hooks and approval resets, and authors may not approve. */
  readonly edition?: Edition;
  /** Default: true for `ee`. False: Enterprise Edition without a licence. */
  readonly premium?: boolean;
  readonly seed?: number;
};

type Without<Function> = Function extends (world: World, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : never;

const program = { ...setup, ...mergeRequests, ...ci };

type Program = { readonly [Name in keyof typeof program]: Without<(typeof program)[Name]> };

export type GitlabSim = Program & {
  /** The public address; with `publicUrl` it may differ from the address that the server listens on. */
  readonly url: string;
  readonly port: number;
  readonly world: World;
  readonly requests: readonly RequestEntry[];
  readonly effects: readonly Effect[];
  readonly mails: readonly Mail[];
  readonly deliveries: readonly Delivery[];
  readonly quickActions: readonly QuickAction[];
  /** Requests outside the API description, invisible comments, and bugs of the simulator. */
  readonly violations: readonly string[];
  fault(match: FaultMatch, script: FaultStep | readonly FaultStep[]): Fault;
  /** Until the returned function is called, every read of the project answers 200 and `null`, as Gitea does during a move. */
  moveProject(path: string): () => void;
  /** Lists hide what their reader wrote less than `ms` ago, by the simulator's clock. */
  setReadLag(ms: number): void;
  /** How long new merge requests have no `diff_refs` and no `open` event. Default: 0. */
  setPrepareDelay(ms: number): void;
  /** How long approvals stay after a push. Default: 10 seconds. */
  setApprovalResetDelay(ms: number): void;
  setDeliveryFilter(filter: (delivery: Delivery) => 'send' | 'drop'): void;
  /** Delays each webhook by a random time up to `ms`, so that their order changes. */
  setHookJitter(ms: number): void;
  /** Whether webhooks may call the local network. Default here: yes. */
  setLocalHooks(allowed: boolean): void;
  /** The ops flag `auto_disabling_web_hooks`. Default: off. */
  setAutoDisable(on: boolean): void;
  /** Requests per minute and user over the whole API; null disables the limit and its headers. */
  setRateLimit(limit: RateLimit | null): void;
  /** The application limit `notes_create` per minute and user. Default: 300. */
  setNotesLimit(perMinute: number): void;
  setDiffLimits(limits: World['diffLimits']): void;
  /** How long a status waits for another update of its commit before it fails with 409. Default: 10 seconds. */
  setStatusLockWait(ms: number): void;
  /** "Resend": same idempotency key, new request UUID. */
  replay(uuid: string): void;
  snapshot(project: string, iid: number): Snapshot;
  /** Waits for the condition; tests it after every request, effect and delivery. Rejects after `timeoutMs`. */
  until(condition: () => boolean, timeoutMs?: number): Promise<void>;
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
    localHooksAllowed: true,
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
    // Safe cast: every export of the program takes the world first; the mapped type above checks the other parameters.
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
  setLocalHooks: (allowed) => void (world.localHooksAllowed = allowed),
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

/** Starts a simulated GitLab on loopback. Only git objects are stored on disk. */
export const startGitlabSim = async (options: GitlabSimOptions): Promise<GitlabSim> => {
  await mkdir(options.dataDir, { recursive: true });
  const world = createWorld(options);
  const faults = createFaultPlan();
  const router = createRouter(routesFor(world.edition));
  const server = createSite({ world, router, faults, validate: sharedValidator() });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  // Safe cast: a server that listens on TCP has an address of this type.
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
