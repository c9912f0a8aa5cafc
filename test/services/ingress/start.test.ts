import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Config, loadConfig } from '../../../shared/config/load.ts';
import { createLogger } from '../../../shared/logger.ts';
import { createMetrics } from '../../../shared/metrics.ts';
import { createKeys } from '../../../shared/store/keys.ts';
import { connectRedis } from '../../../shared/store/redis.ts';
import { freePort, startRedis, type TestRedis } from '../../support/redis.ts';
import { startIngress } from '../../../services/ingress/start.ts';
import type { RunningIngress } from '../../../services/ingress/start.ts';
import { forgejoPullRequest } from '../../shared/webhooks/payloads.ts';
import { type Delivery, forgejoDelivery, SECRETS } from './fake-ingress.ts';
import { CONFIG_TEXT } from './config-text.ts';
import { fastestOf } from '../../support/fastest.ts';

const configOf = (redisUrl: string): Config => {
  const env = { REDIS_URL: redisUrl, CODE_WEBHOOK_SECRET: SECRETS.code };
  const loaded = loadConfig({ text: CONFIG_TEXT, env, needs: ['webhooks', 'redis'] });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return loaded.config;
};

const start = async (redisUrl: string, signal: AbortSignal = new AbortController().signal): Promise<RunningIngress> =>
  startIngress(configOf(redisUrl), {
    log: createLogger({ service: 'ingress', level: 'silent', to: 'stderr', secrets: [] }),
    metrics: createMetrics({ service: 'ingress', processMetrics: false }),
    signal,
  });

const post = async (ingress: RunningIngress, { url, headers, payload }: Delivery): Promise<Response> =>
  fetch(`http://127.0.0.1:${ingress.address.port}${url}`, { method: 'POST', headers, body: new Uint8Array(payload) });

/** A change request of its own for each test, so that they can share one Redis. */
const openedOf = (number: number): Delivery =>
  forgejoDelivery('pull_request', forgejoPullRequest({ number }), { 'x-forgejo-delivery': `id-${number}` });

describe('the ingress on a real Redis', () => {
  let redis: TestRedis;
  let ingress: RunningIngress | null = null;

  beforeAll(async () => {
    redis = await startRedis();
  });
  afterEach(async () => {
    await ingress?.close();
    ingress = null;
  });
  afterAll(async () => {
    await redis.stop();
  });

  const running = async (): Promise<RunningIngress> => (ingress = await start(redis.url));

  const stored = async (number: number): Promise<{ readonly events: number; readonly wakes: number }> => {
    const client = connectRedis(redis.url, 'worker');
    const keys = createKeys('fixpoint');
    const inbox = keys.ofChangeRequest({ forge: 'code', projectId: 3, number }, 'inbox');
    const [events, jobs] = [await client.llen(inbox), await client.keys(`${keys.queues}:guard:wake-*`)];
    const payloads = await Promise.all(jobs.map(async (job) => client.hget(job, 'data')));
    client.disconnect();
    return { events, wakes: payloads.filter((payload) => payload?.includes(`"number":${number}`)).length };
  };

  it('stores one event and one wake-up out of a hundred equal requests at once', async () => {
    const app = await running();
    const responses = await Promise.all(Array.from({ length: 100 }, async () => post(app, openedOf(1))));
    for (const { status } of responses) expect([200, 202]).toContain(status);
    expect(responses.some(({ status }) => status === 202)).toBe(true);
    expect(await stored(1)).toEqual({ events: 1, wakes: 1 });
  });

  it('stores nothing more for a replay under a new delivery id', async () => {
    const app = await running();
    expect((await post(app, openedOf(2))).status).toBe(202);
    const replay = openedOf(2);
    const again = await post(app, { ...replay, headers: { ...replay.headers, 'x-forgejo-delivery': 'replayed' } });
    expect(again.status).toBe(200);
    expect(await stored(2)).toEqual({ events: 1, wakes: 1 });
  });

  it('answers 503 in less than half a second without Redis, and takes the same delivery when it is back', async () => {
    const app = await running();
    expect((await post(app, openedOf(3))).status).toBe(202);
    await redis.kill();
    try {
      const tookMs = await fastestOf(5, async () => expect((await post(app, openedOf(4))).status).toBe(503));
      expect(tookMs).toBeLessThan(500);
      expect((await fetch(`http://127.0.0.1:${app.address.port}/readyz`)).status).toBe(503);
      expect((await fetch(`http://127.0.0.1:${app.address.port}/healthz`)).status).toBe(200);
    } finally {
      await redis.restart();
    }
    await expect
      .poll(async () => (await fetch(`http://127.0.0.1:${app.address.port}/readyz`)).status, { timeout: 10_000 })
      .toBe(200);
    expect((await post(app, openedOf(4))).status).toBe(202);
    expect(await stored(4)).toEqual({ events: 1, wakes: 1 });
  });

  it('answers 503 in less than half a second when Redis hangs, and stores the second try once', async () => {
    const app = await running();
    process.kill(redis.pid, 'SIGSTOP');
    try {
      const tookMs = await fastestOf(3, async () => expect((await post(app, openedOf(5))).status).toBe(503));
      expect(tookMs).toBeLessThan(500);
    } finally {
      process.kill(redis.pid, 'SIGCONT');
    }
    expect([200, 202]).toContain((await post(app, openedOf(5))).status);
    expect(await stored(5)).toEqual({ events: 1, wakes: 1 });
  });

  it('does not start on an address that is taken', async () => {
    const app = await running();
    const config = configOf(redis.url);
    const taken = { ...config, ingress: { ...config.ingress, port: app.address.port } };
    const deps = {
      log: createLogger({ service: 'ingress', level: 'silent', to: 'stderr', secrets: [] }),
      metrics: createMetrics({ service: 'ingress', processMetrics: false }),
      signal: new AbortController().signal,
    };
    await expect(startIngress(taken, deps)).rejects.toMatchObject({ code: 'EADDRINUSE' });
  });
});

describe('the ingress at start', () => {
  it('gives up on a Redis that does not answer', async () => {
    const url = `redis://127.0.0.1:${await freePort()}`;
    await expect(start(url, AbortSignal.timeout(200))).rejects.toMatchObject({ code: 'REDIS_UNREACHABLE' });
  });

  it('refuses a Redis that can lose jobs', async () => {
    const redis = await startRedis({ settings: ['--appendonly', 'no', '--save', ''] });
    try {
      await expect(start(redis.url)).rejects.toMatchObject({ code: 'REDIS_UNSAFE' });
    } finally {
      await redis.stop();
    }
  });
});
