/** The service as its main file starts it. */
import type { Redis } from 'ioredis';
import { expect, test } from 'vitest';
import { startConsole } from '../../../services/console/start.ts';
import { loadConfig } from '../../../shared/config/load.ts';
import { SERVICE_NEEDS } from '../../../shared/config/service-needs.ts';
import { createLogger } from '../../../shared/logger.ts';
import { createMetrics } from '../../../shared/metrics.ts';
import { freePort } from '../../support/redis.ts';
import { makeSettings } from '../../support/settings.ts';
import { useRedis } from '../../support/use-redis.ts';
import { TOKENS } from './console-stage.ts';

let redis: Redis;
let redisUrl = '';
useRedis((connection, url) => {
  [redis, redisUrl] = [connection, url];
});

test('listens where it is configured, with Redis and its own token only, and stops with open streams', async () => {
  const port = await freePort();
  const wish = { forgeUrl: 'http://forge.example', token: 'unused-token', projects: ['a/b'], dataDir: '/none' };
  const text = makeSettings({ ...wish, more: `[console]\nenabled = true\nport = ${port}\n` }).toml;
  // No variable of a forge, of a model or of the markers.
  const env = { REDIS_URL: redisUrl, CONSOLE_TOKEN: TOKENS.read };
  const loaded = loadConfig({ text, folder: '/', env, needs: SERVICE_NEEDS.console });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  const lines: string[] = [];
  const log = createLogger({
    service: 'console',
    level: 'info',
    to: { write: (line) => void lines.push(line) },
    secrets: [],
  });
  const service = await startConsole({
    config: loaded.config,
    redis,
    log,
    metrics: createMetrics({ service: 'console', processMetrics: false }),
    forges: new Map(),
    nowMs: Date.now,
    signal: new AbortController().signal,
  });
  const headers = { authorization: `Bearer ${TOKENS.read}` };
  await expect
    .poll(async () => (await fetch(`http://127.0.0.1:${port}/`, { headers })).status, { timeout: 5_000 })
    .toBe(200);
  const stream = await fetch(`http://127.0.0.1:${port}/live`, { headers });
  expect(stream.headers.get('content-type')).toBe('text/event-stream');
  await service.close(1_000);
  await expect(fetch(`http://127.0.0.1:${port}/`)).rejects.toThrow('fetch failed');
  expect(lines.join('')).toContain(`http://127.0.0.1:${port}`);
});
