/**
 * One side of the ingress bench, in a process of its own: `fixpoint` is the real ingress with its real log; `bare` is a
 * Fastify route with the same check of the signature, the same parsing and one `queue.add`.
 */
import { createHmac, timingSafeEqual } from 'node:crypto';
import { Queue } from 'bullmq';
import Fastify from 'fastify';
import type { loadConfig as LoadConfig } from '../../shared/config/load.ts';
import type { secretValues as SecretValues } from '../../shared/config/loaded/secret-values.ts';
import type { createLogger as CreateLogger } from '../../shared/logger.ts';
import type { createMetrics as CreateMetrics } from '../../shared/metrics.ts';
import type { startIngress as StartIngress } from '../../services/ingress/start.ts';
import { connectRedis } from '../../shared/store/redis.ts';

const [kind = '', toml = ''] = process.argv.slice(2);

/** What is measured is the compiled code, which users run. */
const built = async (path: string) => import(new URL(`../../dist/${path}.js`, import.meta.url).href);

type Built = {
  readonly loadConfig: typeof LoadConfig;
  readonly secretValues: typeof SecretValues;
  readonly createLogger: typeof CreateLogger;
  readonly createMetrics: typeof CreateMetrics;
  readonly startIngress: typeof StartIngress;
};

const MODULES = [
  'shared/config/load',
  'shared/config/loaded/secret-values',
  'shared/logger',
  'shared/metrics',
  'services/ingress/start',
] as const;

const loadBuilt = async (): Promise<Built> => Object.assign({}, ...(await Promise.all(MODULES.map(built))));

const startFixpoint = async (): Promise<number> => {
  const { loadConfig, secretValues, createLogger, createMetrics, startIngress } = await loadBuilt();
  const loaded = loadConfig({ text: toml, folder: '/', env: process.env, needs: ['redis', 'webhooks'] });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  const { config } = loaded;
  const log = createLogger({ service: 'ingress', level: 'info', to: 'stdout', secrets: secretValues(config.secrets) });
  const metrics = createMetrics({ service: 'ingress', processMetrics: false });
  const ingress = await startIngress(config, { log, metrics, signal: new AbortController().signal });
  return ingress.address.port;
};

const startBare = async (): Promise<number> => {
  const secret = process.env['SIM_WEBHOOK_SECRET'] ?? '';
  const queue = new Queue('bare', {
    connection: connectRedis(process.env['REDIS_URL'] ?? '', 'producer'),
    prefix: '{bare}',
  });
  const app = Fastify();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  app.post('/webhooks/sim', async (request, reply) => {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    const given = Buffer.from(String(request.headers['x-forgejo-signature']), 'hex');
    const wanted = createHmac('sha256', secret).update(body).digest();
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) return reply.code(401).send();
    const { number, action } = JSON.parse(body.toString('utf8'));
    await queue.add('bare', { number, action });
    return reply.code(202).send({ accepted: action });
  });
  await app.listen({ host: '127.0.0.1', port: 0 });
  const address = app.server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
};

const port = await (kind === 'bare' ? startBare() : startFixpoint());
process.on('message', () => {
  const { user, system } = process.cpuUsage();
  process.send?.({ rss: process.memoryUsage.rss(), cpuMs: (user + system) / 1000 });
});
process.send?.({ port });
