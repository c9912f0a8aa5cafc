import { type ChildProcess, fork } from 'node:child_process';
import { createHmac, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import { startRedis } from '../support/redis.ts';
import { makeSettings, type Settings } from '../support/settings.ts';
import { autocannon, type LoadRequest } from './autocannon.ts';
import { type Measured, median, printTable, quantile, ratiosOf, showSpread } from './numbers.ts';

const CONNECTIONS = 64;
const PAYLOAD_BYTES = 8_192;
/** Deliveries that are made before they are sent, so that making them is not measured. */
const DELIVERIES = 5_000;
const ROUNDS = 5;
const ROUND_MS = 5_000;
export const PROJECT = 'acme/widgets';

export type Server = {
  readonly name: string;
  readonly child: ChildProcess;
  readonly port: number;
  readonly idleBytes: number;
  readonly perSecond: number[];
  readonly p99Ms: number[];
  /** Processor time of the server for one delivery: other work on the machine hardly changes it. */
  readonly cpuMs: number[];
};

const isMessage = (
  value: unknown,
): value is { readonly port?: number; readonly rss?: number; readonly cpuMs?: number } =>
  typeof value === 'object' && value !== null;

const nextMessage = async (child: ChildProcess) => {
  const [message] = await once(child, 'message', { signal: AbortSignal.timeout(60_000) });
  return isMessage(message) ? message : {};
};

const usageOf = async (child: ChildProcess) => {
  const answer = nextMessage(child);
  child.send({});
  return answer;
};

export const memoryOf = async (child: ChildProcess): Promise<number> => (await usageOf(child)).rss ?? Number.NaN;

const cpuOf = async ({ child }: Server): Promise<number> => (await usageOf(child)).cpuMs ?? Number.NaN;

export const startServer = async (name: string, kind: string, settings: Settings): Promise<Server> => {
  const script = fileURLToPath(new URL('./ingress-server.ts', import.meta.url));
  const child = fork(script, [kind, settings.toml], {
    execArgv: ['--import', 'tsx'],
    env: { ...settings.env, PATH: process.env['PATH'] },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const { port = 0 } = await nextMessage(child);
  return { name, child, port, idleBytes: await memoryOf(child), perSecond: [], p99Ms: [], cpuMs: [] };
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

type Shot = { readonly ms: number; readonly latencyMs: readonly number[] };

const shoot = async ({ port }: Server, secret: string): Promise<Shot> => {
  const requests = Array.from({ length: DELIVERIES }, () => makeDelivery(secret));
  let next = 0;
  const latencyMs: number[] = [];
  const startMs = performance.now();
  const running = autocannon({
    url: `http://127.0.0.1:${port}`,
    connections: CONNECTIONS,
    amount: DELIVERIES,
    requests: [{ setupRequest: (request) => ({ ...request, ...requests[next++ % DELIVERIES] }) }],
  });
  let endMs = startMs;
  running.on('response', (_client, _status, _bytes, responseMs) => {
    latencyMs.push(responseMs);
    endMs = performance.now();
  });
  // The load tool notices its end only once a second.
  const result = await running;
  const ms = endMs - startMs;
  if (result['2xx'] !== DELIVERIES) throw new Error(`${result['2xx']} of ${DELIVERIES} deliveries were accepted`);
  return { ms, latencyMs };
};

const measureRound = async (server: Server, secret: string): Promise<void> => {
  const latencyMs: number[] = [];
  const cpuBeforeMs = await cpuOf(server);
  let ms = 0;
  while (ms < ROUND_MS) {
    const shot = await shoot(server, secret);
    ms += shot.ms;
    for (const each of shot.latencyMs) latencyMs.push(each);
  }
  server.perSecond.push((latencyMs.length * 1000) / ms);
  server.p99Ms.push(quantile(latencyMs, 0.99));
  server.cpuMs.push(((await cpuOf(server)) - cpuBeforeMs) / latencyMs.length);
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
    for (let round = 0; round < ROUNDS; round += 1) {
      const inTurns = round % 2 === 0 ? servers : servers.toReversed();
      for (const server of inTurns) await measureRound(server, settings.webhookSecret);
    }
    const rows: Measured[] = [];
    for (const server of servers) rows.push(await measured(server));
    const how = `${CONNECTIONS} connections, ${PAYLOAD_BYTES} bytes each, medians of ${ROUNDS} rounds of ${ROUND_MS / 1000} s`;
    printTable(`ingress: distinct signed deliveries, ${how}`, 'requests/s', rows);
    const [bare, ingress] = servers;
    if (bare === undefined || ingress === undefined) return;
    const spreadOf = (base: readonly number[], other: readonly number[]) => showSpread(ratiosOf(base, other));
    const [rate, p99] = [spreadOf(bare.perSecond, ingress.perSecond), spreadOf(bare.p99Ms, ingress.p99Ms)];
    console.log(`ratio in each round, median and extremes: requests/s ${rate}, p99 ${p99}`);
    const [one, other] = [bare, ingress].map(({ cpuMs }) => median(cpuMs).toFixed(3));
    console.log(`processor time per delivery: ${one} and ${other} ms, ratio ${spreadOf(bare.cpuMs, ingress.cpuMs)}`);
  } finally {
    for (const { child } of servers) child.kill();
    await redis.stop();
  }
};
