/** The HTTP server of a worker for `/healthz`, `/readyz` and `/metrics`. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { Server, ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Registry } from 'prom-client';
import { timeLimit } from '../time-limit.ts';

const READY_TIMEOUT_MS = 2000;

/** Requests have no body, so slow requests and idle connections are closed after five seconds. */
const LIMITS = {
  headersTimeout: 5000,
  requestTimeout: 5000,
  keepAliveTimeout: 5000,
  connectionsCheckingInterval: 500,
} as const;
const MAX_CONNECTIONS = 100;

/**
 * Contract: returns the problems that keep the service from working, without secrets. Empty means ready. The check is called
 * for each request and must obey the signal, which aborts after two seconds.
 */
export type ReadyCheck = (signal: AbortSignal) => Promise<readonly string[]>;

export type HealthServerOptions = {
  readonly host: string;
  /** With port 0, a free port is chosen. */
  readonly port: number;
  readonly registry: Registry;
  readonly check: ReadyCheck;
  /** Contract: returns disabled features of a working service, without secrets. */
  readonly notices?: () => readonly string[];
};

export type HealthServer = { readonly port: number; readonly close: () => Promise<void> };

/** The response of `/readyz`, also used by the ingress. A check that fails or hangs is reported as a problem. */
export async function askReady(
  check: ReadyCheck,
  notices: readonly string[] = [],
): Promise<{ readonly status: 200 | 503; readonly body: string }> {
  const signal = timeLimit(READY_TIMEOUT_MS);
  const late = new Promise<readonly string[]>((resolve) => {
    signal.addEventListener('abort', () => resolve(['the check did not answer in time']), { once: true });
  });
  const problems = await Promise.race([check(signal).catch(() => ['the check failed']), late]);
  return {
    status: problems.length === 0 ? 200 : 503,
    body: JSON.stringify({ ready: problems.length === 0, problems, ...(notices.length === 0 ? {} : { notices }) }),
  };
}

async function answer(path: string, options: HealthServerOptions, response: ServerResponse): Promise<void> {
  const send = (status: number, type: string, body: string): void => {
    response.writeHead(status, { 'content-type': type, 'cache-control': 'no-store' }).end(body);
  };
  if (path === '/healthz') return send(200, 'application/json', '{"alive":true}');
  if (path === '/readyz') {
    const { status, body } = await askReady(options.check, options.notices?.());
    return send(status, 'application/json', body);
  }
  if (path === '/metrics') return send(200, options.registry.contentType, await options.registry.metrics());
  return send(404, 'application/json', '{"error":"not found"}');
}

function stop(server: Server): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}

/** Rejects when the address cannot be bound. */
export async function startHealthServer(options: HealthServerOptions): Promise<HealthServer> {
  const server = createServer(LIMITS, (request, response) => {
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { allow: 'GET, HEAD' }).end();
      return;
    }
    const path = (request.url ?? '/').split('?')[0] ?? '/';
    answer(path, options, response).catch(() => response.destroy());
  });
  server.maxConnections = MAX_CONNECTIONS;
  server.listen(options.port, options.host);
  await once(server, 'listening');
  // The cast is safe because a listening TCP server has an AddressInfo.
  const { port } = server.address() as AddressInfo;
  return { port, close: () => stop(server) };
}
