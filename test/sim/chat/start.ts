import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { buffer } from 'node:stream/consumers';
import type { AddressInfo } from 'node:net';
import { createExchanges } from '../messages/exchange.ts';
import { createIds } from '../messages/ids.ts';
import { spendOf } from '../messages/log.ts';
import { MODELS } from '../messages/models.ts';
import { createPromptCache } from '../messages/prompt-cache.ts';
import { createScripts } from '../messages/script.ts';
import type { MessagesSim } from '../messages/start.ts';
import { createWatch } from '../messages/watch.ts';
import { type ChatCall, openCall, refuse, sendJson } from './call.ts';
import { completeChat } from './complete-chat.ts';
import { type Dialect, PLAIN } from './dialect.ts';
import type { ChatModel, ChatWorld } from './world.ts';

export type ChatSimOptions = {
  readonly clock?: () => number;
  /** Default: one key, `sim.apiKey`. */
  readonly apiKeys?: readonly string[];
  readonly maxBodyBytes?: number;
  readonly models?: readonly ChatModel[];
  readonly dialect?: Partial<Dialect>;
};

/** `url` is the client's `baseURL`, with the version. */
export type ChatSim = Omit<MessagesSim, 'cacheEntries'>;

/** The models of the simulated Messages API, as a gateway offers them. */
const GATEWAY: readonly ChatModel[] = MODELS.map(({ id, contextTokens, prices }) => ({
  id,
  contextTokens,
  minCacheTokens: 1024,
  prices,
}));

const createWorld = (options: ChatSimOptions): ChatWorld => {
  const clock = options.clock ?? Date.now;
  return {
    clock,
    apiKeys: options.apiKeys ?? ['chat-sim-key'],
    maxBodyBytes: options.maxBodyBytes ?? 32 * 1024 * 1024,
    models: options.models ?? GATEWAY,
    dialect: { ...PLAIN, ...options.dialect },
    requests: [],
    violations: [],
    aborted: [],
    ids: createIds(),
    cache: createPromptCache(clock),
    scripts: createScripts(),
    exchangeFor: createExchanges(),
    watch: createWatch(),
  };
};

const hasKey = ({ apiKeys, dialect }: ChatWorld, { headers }: IncomingMessage): boolean => {
  if (dialect.key === 'none') return true;
  if (dialect.key === 'api-key') return apiKeys.includes(String(headers['api-key']));
  return apiKeys.some((key) => headers.authorization === `Bearer ${key}`);
};

const route = async (call: ChatCall): Promise<void> => {
  const { world, entry } = call;
  const { pathname } = new URL(entry.path, 'http://localhost');
  if (entry.method === 'POST' && pathname === '/v1/chat/completions') return completeChat(call);
  if (entry.method === 'GET' && pathname === '/v1/models' && world.dialect.lists) {
    return sendJson(call, { object: 'list', data: world.models.map(({ id }) => ({ id, object: 'model' })) });
  }
  if (pathname !== '/v1/models') world.violations.push(`no such endpoint: ${entry.method} ${pathname}`);
  refuse(call, { status: 404, type: 'not_found_error', message: 'Not Found' });
};

const handle = async (world: ChatWorld, request: IncomingMessage, response: ServerResponse): Promise<void> => {
  const bytes = await buffer(request);
  const call = openCall(world, { request, response, body: bytes.toString('utf8') });
  if (bytes.length > world.maxBodyBytes) {
    return refuse(call, { status: 413, type: 'request_too_large', message: 'Request Entity Too Large' });
  }
  if (hasKey(world, request)) return route(call);
  refuse(call, { status: 401, type: 'authentication_error', message: 'Incorrect API key provided.' });
};

/** Longer than a client keeps idle connections, so that none is closed while a request is being sent. */
const KEEP_ALIVE_MS = 120_000;

const createApi = (world: ChatWorld): Server =>
  createServer({ keepAliveTimeout: KEEP_ALIVE_MS }, (request, response) => {
    handle(world, request, response).catch((error: unknown) => {
      // A client that disconnects while sending is not a bug of the simulator.
      if (request.destroyed && !request.complete) return;
      world.violations.push(`the simulator failed: ${error instanceof Error ? error.stack : String(error)}`);
      response.destroy();
      world.watch.notify();
    });
  });

/** Starts a simulated server for chat completions on loopback. It stores nothing on disk and opens no connections. */
export const startChatSim = async (options: ChatSimOptions = {}): Promise<ChatSim> => {
  const world = createWorld(options);
  const server = createApi(world);
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject).listen(0, '127.0.0.1', resolve);
  });
  // Safe cast: a server that listens on TCP has an address of this type.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}/v1`,
    apiKey: world.apiKeys[0] ?? '',
    requests: world.requests,
    aborted: world.aborted,
    violations: world.violations,
    script: (script, match) => world.scripts.add(script, match),
    spend: (of = () => true) => spendOf(world.requests.filter(of)),
    until: (condition, timeoutMs = 10_000) => world.watch.until(condition, timeoutMs),
    close: async () => {
      const closed = new Promise<void>((resolve) => server.close(() => resolve()));
      server.closeAllConnections();
      await closed;
    },
  };
};
