import type { AddressInfo } from 'node:net';
import { createExchanges } from './exchange.ts';
import { createIds } from './ids.ts';
import { type RateLimits, WIDE_LIMITS, createRateLimiter } from './limits.ts';
import { type RequestEntry, type Spend, spendOf } from './log.ts';
import { MODELS, type ModelFacts } from './models.ts';
import { createPromptCache } from './prompt-cache.ts';
import { type Script, type ScriptHandle, type ScriptMatch, createScripts } from './script.ts';
import { createApi } from './server.ts';
import { createWatch } from './watch.ts';
import type { World } from './world.ts';

export type MessagesSimOptions = {
  readonly port?: number;
  /** Epoch milliseconds, used for cache entries and rate limits. Default: the machine's clock. */
  readonly clock?: () => number;
  /** Default: one key, `sim.apiKey`. */
  readonly apiKeys?: readonly string[];
  readonly rateLimits?: RateLimits;
  /** Default: 32 MiB, the API's limit. */
  readonly maxBodyBytes?: number;
  /** Changes to what a model accepts or costs, by id. */
  readonly models?: Readonly<Record<string, Partial<ModelFacts>>>;
};

export type MessagesSim = {
  /** Value for the client's `baseURL` or `ANTHROPIC_BASE_URL`. */
  readonly url: string;
  readonly apiKey: string;
  readonly requests: readonly RequestEntry[];
  readonly aborted: readonly string[];
  /** Requests without a script, scripts that threw, unknown endpoints, bugs of the simulator. Empty in a good test. */
  readonly violations: readonly string[];
  /** Newer scripts take precedence while they match and have a step left. */
  script(script: Script, match?: ScriptMatch): ScriptHandle;
  /** The cost of all requests, or of the selected ones. */
  spend(of?: (entry: RequestEntry) => boolean): Spend;
  cacheEntries(): number;
  /** Waits for the condition; tests it after every start and end of a request. Rejects after `timeoutMs`. */
  until(condition: () => boolean, timeoutMs?: number): Promise<void>;
  close(): Promise<void>;
};

const createWorld = (options: MessagesSimOptions): World => {
  const clock = options.clock ?? Date.now;
  return {
    clock,
    apiKeys: options.apiKeys ?? ['messages-sim-key'],
    maxBodyBytes: options.maxBodyBytes ?? 32 * 1024 * 1024,
    models: MODELS.map((model) => ({ ...model, ...options.models?.[model.id] })),
    requests: [],
    violations: [],
    aborted: [],
    ids: createIds(),
    cache: createPromptCache(clock),
    limiter: createRateLimiter(options.rateLimits ?? WIDE_LIMITS, clock),
    scripts: createScripts(),
    exchangeFor: createExchanges(),
    paused: new Set(),
    watch: createWatch(),
  };
};

/** Starts a simulated Messages API on loopback. It stores nothing on disk and opens no connections. */
export const startMessagesSim = async (options: MessagesSimOptions = {}): Promise<MessagesSim> => {
  const world = createWorld(options);
  const server = createApi(world);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(options.port ?? 0, '127.0.0.1', resolve);
  });
  // Safe cast: a server that listens on TCP has an address of this type.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    apiKey: world.apiKeys[0] ?? '',
    requests: world.requests,
    aborted: world.aborted,
    violations: world.violations,
    script: (script, match) => world.scripts.add(script, match),
    spend: (of = () => true) => spendOf(world.requests.filter(of)),
    cacheEntries: () => world.cache.size(),
    until: (condition, timeoutMs = 10_000) => world.watch.until(condition, timeoutMs),
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
};
