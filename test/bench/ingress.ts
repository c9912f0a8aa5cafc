import { type ChildProcess, fork } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { startRedis } from '../support/redis.ts';
import { makeSettings, type Settings } from '../support/settings.ts';
import { autocannon, type LoadRequest, type LoadResult } from './autocannon.ts';
import { type Measured, printTable } from './numbers.ts';

const CONNECTIONS = 64;
const PAYLOAD_BYTES = 8_192;
const DELIVERIES = 2_000;
const ROUNDS = 5;
export const PROJECT = 'acme/widgets';

export type Server = {
  readonly name: string;
  readonly child: ChildProcess;
  readonly port: number;
  readonly idleBytes: number;
  readonly perSecond: number[];
  readonly p99Ms: number[];
};

const isMessage = (value: unknown): value is { readonly port?: number; readonly rss?: number } =>
  typeof value === 'object' && value !== null;

const nextMessage = async (child: ChildProcess) => {
  const [message] = await once(child, 'message', { signal: AbortSignal.timeout(60_000) });
  return isMessage(message) ? message : {};
};

export const memoryOf = async (child: ChildProcess): Promise<number> => {
  const answer = nextMessage(child);
  child.send({});
  return (await answer).rss ?? Number.NaN;
};

export const startServer = async (name: string, kind: string, settings: Settings): Promise<Server> => {
  const script = fileURLToPath(new URL('./ingress-server.ts', import.meta.url));
  const child = fork(script, [kind, settings.toml], {
    execArgv: ['--import', 'tsx'],
    env: { ...settings.env, PATH: process.env['PATH'] },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const { port = 0 } = await nextMessage(child);
  return { name, child, port, idleBytes: await memoryOf(child), perSecond: [], p99Ms: [] };
};

let sent = 0;

/** Each is an event of its own: another change request, another delivery id. */
const makeDelivery = (secret: string): LoadRequest => {
  sent += 1;
  const payload = {
    action: 'synchronized',
    number: sent,
    pull_request: { title: 'Count', draft: false, head: { sha: sent.toString(16).padStart(40, '0') }, body: '' },
    repository: { id: 3, full_name: PROJECT },
    sender: { id: 11 },
  };
  payload.pull_request.body = 'x'.repeat(PAYLOAD_BYTES - JSON.stringify(payload).length);
  const body = JSON.stringify(payload);
  return {
    method: 'POST',
    path: '/webhooks/sim',
    body,
    headers: {
      'content-type': 'application/json',
      'x-forgejo-event': 'pull_request',
      'x-forgejo-event-type': 'pull_request_sync',
      'x-forgejo-delivery': randomUUID(),
      'x-forgejo-signature': createHmac('sha256', secret).update(body).digest('hex'),
    },
  };
};

const shoot = async ({ port }: Server, secret: string): Promise<LoadResult> => {
  const requests = Array.from({ length: DELIVERIES }, () => makeDelivery(secret));
  let next = 0;
  const result = await autocannon({
    url: `http://127.0.0.1:${port}`,
    connections: CONNECTIONS,
    amount: DELIVERIES,
    requests: [{ setupRequest: (request) => ({ ...request, ...requests[next++ % DELIVERIES] }) }],
  });
  if (result['2xx'] !== DELIVERIES) throw new Error(`${result['2xx']} of ${DELIVERIES} deliveries were accepted`);
  return result;
};

const measureReview = async (server: Server, secret: string): Promise<void> => {
  const { duration, latency } = await shoot(server, secret);
  server.perSecond.push(DELIVERIES / duration);
  server.p99Ms.push(latency.p99);
};

const measured = async ({ name, perSecond, p99Ms, child, idleBytes }: Server): Promise<Measured> => ({
  name,
  perSecond,
  p99Ms,
  memoryBytes: (await memoryOf(child)) - idleBytes,
});

/** Accepted deliveries per second over one Redis, rounds of both sides in turns. */
export const benchIngress = async (): Promise<void> => {
  const redis = await startRedis();
  const settings = makeSettings({
    forgeUrl: 'http://127.0.0.1:1',
    token: 'not-used-here',
    projects: [PROJECT],
    dataDir: tmpdir(),
    redisUrl: redis.url,
  });
  const servers: Server[] = [];
  try {
    servers.push(await startServer('bare route, one queue.add', 'bare', settings));
    servers.push(await startServer('Fixpoint ingress', 'fixpoint', settings));
    for (const server of servers) await shoot(server, settings.webhookSecret);
    for (let review = 0; review < ROUNDS; review += 1)
      for (const server of servers) await measureReview(server, settings.webhookSecret);
    const rows: Measured[] = [];
    for (const server of servers) rows.push(await measured(server));
    const how = `${CONNECTIONS} connections, ${PAYLOAD_BYTES} bytes each, medians of ${ROUNDS} rounds of ${DELIVERIES}`;
    printTable(`ingress: distinct signed deliveries, ${how}`, 'requests/s', rows);
  } finally {
    for (const { child } of servers) child.kill();
    await redis.stop();
  }
};
