import { expect, it } from 'vitest';
import { z } from 'zod';
import { createForgeHttp } from '../../../shared/forge/http.ts';
import { apiPath } from '../../../shared/forge/path.ts';
import { createMetrics } from '../../../shared/metrics.ts';
import { countRequests } from '../../../shared/runtime/connect-forges.ts';
import { countOf, parseMetrics } from '../../support/read-metrics.ts';
import { manualClock } from '../forge/manual-clock.ts';
import { type Answer, startScriptedServer } from '../forge/scripted-server.ts';

const says = (status: number, headers: Readonly<Record<string, string>> = {}): Answer => ({
  kind: 'json',
  status,
  body: {},
  headers,
});

it('counts each request by its status, and shows the limit that the newest answer with one named', async () => {
  const limit = (remaining: string): Answer => says(200, { 'ratelimit-remaining': remaining });
  const server = await startScriptedServer([limit('12'), limit('7'), says(503), says(200)]);
  const metrics = createMetrics({ service: 'guard', processMetrics: false });
  const token = 'a'.repeat(20);
  const onRequest = countRequests(metrics, 'main');
  const http = createForgeHttp({ forgeId: 'main', baseUrl: server.url, token, clock: manualClock(), onRequest });
  const read = async (name: string) => countOf(parseMetrics(await metrics.registry.metrics()), name);
  try {
    expect(await read('fixpoint_forge_rate_limit_remaining')).toEqual({});
    for (let count = 0; count < 3; count += 1)
      await http.read({ path: apiPath`/api/v4/things/${count}`, schema: z.unknown() }, AbortSignal.timeout(10_000));
  } finally {
    await server.close();
  }
  expect(await read('fixpoint_forge_rate_limit_remaining')).toEqual({ 'forge=main': 7 });
  expect(await read('fixpoint_forge_requests_total')).toEqual({
    'forge=main method=GET status=200': 3,
    'forge=main method=GET status=503': 1,
  });
  expect(await read('fixpoint_forge_request_seconds_count')).toEqual({ 'forge=main method=GET': 4 });
});
