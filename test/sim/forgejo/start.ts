import { mkdir } from 'node:fs/promises';
import type { AddressInfo } from 'node:net';
import type { Mail } from '../shared/mail-log.ts';
import { describeApi } from './description.ts';
import { createFaultPlan, type Fault, type FaultMatch, type FaultStep } from './faults.ts';
import * as pulls from './program-pulls.ts';
import * as setup from './program-setup.ts';
import { createRouter, routesFor } from './router.ts';
import { createSite } from './server.ts';
import { type Snapshot, snapshotOf } from './snapshot.ts';
import { type Flavour, type Traits, traitsOf } from './traits.ts';
import { validatorFor } from './validate.ts';
import { replayDelivery } from './webhooks.ts';
import { createRandom, type Delivery, type Effect, type QuickAction, type RequestEntry, type World } from './world.ts';

export type ForgejoSimOptions = {
  /** Folder of the bare repositories; created when missing. */
  readonly dataDir: string;
  readonly port?: number;
  readonly flavour?: Flavour;
  /** Epoch milliseconds. Default: the machine's clock. */
  readonly clock?: () => number;
  /** `[server] ROOT_URL`, may have a path. Default: the address that the server listens on. */
  readonly publicUrl?: string;
  readonly seed?: number;
  /** `[api] MAX_RESPONSE_ITEMS`. Default: 50. */
  readonly maxPageSize?: number;
};

type Without<Function> = Function extends (world: World, ...rest: infer Rest) => infer Result
  ? (...rest: Rest) => Result
  : never;

const program = { ...setup, ...pulls };

type Program = { readonly [Name in keyof typeof program]: Without<(typeof program)[Name]> };

export type ForgejoSim = Program & {
  /** The public address; with `publicUrl` it may differ from the address that the server listens on. */
  readonly url: string;
  readonly port: number;
  readonly traits: Traits;
  readonly world: World;
  readonly requests: readonly RequestEntry[];
  readonly effects: readonly Effect[];
  readonly mails: readonly Mail[];
  readonly deliveries: readonly Delivery[];
  readonly quickActions: readonly QuickAction[];
  /** Requests or responses outside the API description, and bugs of the simulator. Empty in a good test. */
  readonly violations: readonly string[];
  fault(match: FaultMatch, script: FaultStep | readonly FaultStep[]): Fault;
  /** Lists hide what their reader wrote less than `ms` ago, by the simulator's clock. */
  setReadLag(ms: number): void;
  /** For `ms` after its first push, a branch is not in the forge's table of branches. */
  setBranchLag(ms: number): void;
  setDeliveryFilter(filter: (delivery: Delivery) => 'send' | 'drop'): void;
  /** Delays each webhook by a random time up to `ms`, so that their order changes. */
  setHookJitter(ms: number): void;
  /** Whether `[webhook] ALLOWED_HOST_LIST` includes private addresses. Default here: yes. */
  setLocalHooks(allowed: boolean): void;
  replay(uuid: string): void;
  snapshot(repo: string, number: number): Snapshot;
  /** Waits for the condition; tests it after every request, effect and delivery. Rejects after `timeoutMs`. */
  until(condition: () => boolean, timeoutMs?: number): Promise<void>;
  settled(): Promise<void>;
  close(): Promise<void>;
};

const createWorld = (options: ForgejoSimOptions): World => ({
  traits: traitsOf(options.flavour ?? 'forgejo-15'),
  clock: options.clock ?? Date.now,
  publicUrl: options.publicUrl?.replace(/\/$/, '') ?? '',
  dataDir: options.dataDir,
  counters: new Map(),
  users: [],
  tokens: new Map(),
  repos: [],
  effects: [],
  mails: [],
  requests: [],
  deliveries: [],
  quickActions: [],
  violations: [],
  random: createRandom(options.seed ?? 1),
  watchers: new Set(),
  readLagMs: 0,
  branchLagMs: 0,
  wipPrefixes: ['WIP:', '[WIP]'],
  maxPageSize: options.maxPageSize ?? 50,
  deliveryFilter: () => 'send',
  hookJitterMs: 0,
  localHooksAllowed: true,
  openDeliveries: new Set(),
});

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

/** Starts a simulated Forgejo or Gitea on loopback. Only git objects are stored on disk. */
export const startForgejoSim = async (options: ForgejoSimOptions): Promise<ForgejoSim> => {
  await mkdir(options.dataDir, { recursive: true });
  const world = createWorld(options);
  const routes = routesFor(world.traits);
  const api = describeApi(world.traits, routes);
  const faults = createFaultPlan();
  const router = createRouter(routes);
  const server = createSite({ world, router, faults, description: api.document, validate: validatorFor(api) });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  // Safe cast: a server that listens on TCP has an address of this type.
  const { port } = server.address() as AddressInfo;
  if (world.publicUrl === '') world.publicUrl = `http://127.0.0.1:${port}`;
  return {
    ...bind(world),
    url: world.publicUrl,
    port,
    traits: world.traits,
    world,
    requests: world.requests,
    effects: world.effects,
    mails: world.mails,
    deliveries: world.deliveries,
    quickActions: world.quickActions,
    violations: world.violations,
    fault: (match, script) => faults.add(match, script),
    setReadLag: (ms) => void (world.readLagMs = ms),
    setBranchLag: (ms) => void (world.branchLagMs = ms),
    setDeliveryFilter: (filter) => void (world.deliveryFilter = filter),
    setHookJitter: (ms) => void (world.hookJitterMs = ms),
    setLocalHooks: (allowed) => void (world.localHooksAllowed = allowed),
    replay: (uuid) => replayDelivery(world, uuid),
    snapshot: (repo, number) => snapshotOf(pulls.pullAt(world, { repo, number })),
    until: (condition, timeoutMs = 10_000) => waitFor(world, condition, timeoutMs),
    settled: () => settle(world),
    close: async () => {
      server.closeAllConnections();
      await new Promise<void>((resolve) => server.close(() => resolve()));
      await settle(world);
    },
  };
};
