import { expect, test } from 'vitest';
import { startHealthServer } from '../../shared/runtime/health.ts';
import type { ReadyCheck } from '../../shared/runtime/health.ts';
import { createMetrics } from '../../shared/metrics.ts';

test('every metric carries the service and its labels', async () => {
  const metrics = createMetrics({ service: 'poster', processMetrics: false });
  metrics.webhookEvents.inc({ forge: 'home', kind: 'pushed', outcome: 'accepted' });
  metrics.decisions.inc({ effect: 'review' });
  metrics.jobSeconds.observe({ queue: 'post' }, 0.2);
  metrics.postedComments.inc({ kind: 'inline' });
  metrics.alarms.inc({ code: 'FORGE_COMMANDS_ONLY' });
  metrics.forgeRequests.inc({ forge: 'home', method: 'GET', status: '200' });
  const text = await metrics.registry.metrics();
  for (const line of [
    'fixpoint_webhook_events_total{forge="home",kind="pushed",outcome="accepted",service="poster"} 1',
    'fixpoint_decisions_total{effect="review",service="poster"} 1',
    'fixpoint_job_seconds_sum{service="poster",queue="post"} 0.2',
    'fixpoint_posted_comments_total{kind="inline",service="poster"} 1',
    'fixpoint_alarms_total{code="FORGE_COMMANDS_ONLY",service="poster"} 1',
    'fixpoint_forge_requests_total{forge="home",method="GET",status="200",service="poster"} 1',
  ]) {
    expect(text.split('\n')).toContain(line);
  }
});

test('services in one process have registries of their own', async () => {
  const [one, two] = [1, 2].map((n) => createMetrics({ service: `s${n}`, processMetrics: true }));
  one?.decisions.inc({ effect: 'review' });
  expect(await two?.registry.metrics()).not.toContain('command="review"');
  expect(await two?.registry.metrics()).toContain('process_cpu_seconds_total');
});

async function withServer(check: ReadyCheck, use: (base: string) => Promise<void>): Promise<void> {
  const { registry } = createMetrics({ service: 'guard', processMetrics: false });
  const server = await startHealthServer({ host: '127.0.0.1', port: 0, registry, check });
  try {
    await use(`http://127.0.0.1:${server.port}`);
  } finally {
    await server.close();
  }
}

const get = async (url: string): Promise<[number, string]> => {
  const response = await fetch(url);
  return [response.status, await response.text()];
};

test('the health server tells that it lives, whether it can work, and its metrics', async () => {
  await withServer(
    async () => [],
    async (base) => {
      expect(await get(`${base}/healthz`)).toEqual([200, '{"alive":true}']);
      expect(await get(`${base}/readyz?x=1`)).toEqual([200, '{"ready":true,"problems":[]}']);
      expect((await get(`${base}/metrics`))[1]).toContain('# TYPE fixpoint_decisions_total counter');
      expect(await get(`${base}/other`)).toEqual([404, '{"error":"not found"}']);
      expect((await fetch(`${base}/healthz`, { method: 'POST' })).status).toBe(405);
    },
  );
});

test.each<[name: string, check: ReadyCheck, problems: string[]]>([
  ['says what is missing', async () => ['Redis does not answer'], ['Redis does not answer']],
  ['throws', () => Promise.reject(new Error('hush')), ['the check failed']],
  ['hangs', () => new Promise(() => {}), ['the check did not answer in time']],
])('a worker is alive but not ready when its check %s', async (_, check, problems) => {
  await withServer(check, async (base) => {
    expect(await get(`${base}/readyz`)).toEqual([503, JSON.stringify({ ready: false, problems })]);
    expect((await get(`${base}/healthz`))[0]).toBe(200);
  });
});

test('an address in use is an error at start', async () => {
  await withServer(
    async () => [],
    async (base) => {
      const { registry } = createMetrics({ service: 'guard', processMetrics: false });
      const port = Number(new URL(base).port);
      const second = startHealthServer({ host: '127.0.0.1', port, registry, check: async () => [] });
      await expect(second).rejects.toMatchObject({ code: 'EADDRINUSE' });
    },
  );
});
