import type { IncomingMessage } from 'node:http';
import fastify, { type FastifyInstance, type FastifyReply, type FastifyRequest } from 'fastify';
import { BUSY, boundConnections, RETRY_AFTER_S } from '../../shared/runtime/bound-connections.ts';
import { askReady, type ReadyCheck } from '../../shared/runtime/health.ts';
import type { Metrics } from '../../shared/metrics.ts';
import { createBodyStore } from './body-store.ts';
import { addMessagesRoutes, type MessagesDeps, YAML_TYPES } from './messages-route.ts';
import { addWebhookRoute, type WebhookDeps } from './webhook-route.ts';

export type IngressDeps = Omit<WebhookDeps, 'webhookEvents'> & {
  readonly metrics: Metrics;
  readonly bodyLimitBytes: number;
  readonly limits: { readonly bytesInFlight: number; readonly connections: number };
  readonly check: ReadyCheck;
  readonly messages: Omit<MessagesDeps, 'log'>;
};

/** GitLab waits 10 s for a response and Forgejo waits 5 s, so a request that takes longer does not come from a forge. */
const REQUEST_TIMEOUT_MS = 10_000;

const IDLE_TIMEOUT_MS = 5_000;
const LOOK_MS = 500;
const UNREADABLE = 'the request cannot be read';

const ERRORS: ReadonlyMap<number, string> = new Map([
  [413, 'the body is too large'],
  [503, BUSY],
  [415, 'this content type is not accepted; expected application/json'],
]);

/** Creates the app without starting a listener; call `app.inject` or `app.listen`. */
export const createApp = (deps: IngressDeps): FastifyInstance => {
  const app = fastify({
    // fastify's own log lines would contain addresses and errors that quote the request.
    logger: false,
    // The parser below enforces the limit, because fastify checks only the announced length.
    bodyLimit: Number.MAX_SAFE_INTEGER,
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: IDLE_TIMEOUT_MS,
    // By default, Node checks for slow requests only every 30 s and allows a minute for headers.
    http: {
      headersTimeout: REQUEST_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: LOOK_MS,
    },
    frameworkErrors: answerUnreadable,
  });
  boundConnections(app, deps.limits.connections);
  const bodies = createBodyStore({ maxBytes: deps.bodyLimitBytes, maxTotalBytes: deps.limits.bytesInFlight });
  app.removeAllContentTypeParsers();
  const types = ['application/json', ...(deps.messages.clients.length === 0 ? [] : YAML_TYPES)];
  app.addContentTypeParser(types, async (request: FastifyRequest, payload: IncomingMessage) =>
    bodies.read(request.raw, payload),
  );
  addErrorAnswers(app, deps);
  addWebhookRoute(app, { ...deps, webhookEvents: deps.metrics.webhookEvents });
  addMessagesRoutes(app, { ...deps.messages, log: deps.log });
  addOperatorRoutes(app, deps);
  return app;
};

/** fastify's default response would quote the address. */
const answerUnreadable = (_error: unknown, _request: unknown, reply: FastifyReply): void => {
  reply.code(400).send({ error: UNREADABLE });
};

const addErrorAnswers = (app: FastifyInstance, { log }: IngressDeps): void => {
  app.setNotFoundHandler(async (_request, reply) => reply.code(404).send({ error: 'not found' }));
  app.setErrorHandler(async (error: { readonly statusCode?: number }, _request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500 && status !== 503) log.error({ err: error }, 'request failed');
    if (status === 503) reply.header('retry-after', RETRY_AFTER_S);
    // Closes the connection instead of reading the rest of a refused body.
    reply.header('connection', 'close');
    return reply.code(status).send({ error: ERRORS.get(status) ?? (status >= 500 ? 'internal error' : UNREADABLE) });
  });
};

const addOperatorRoutes = (app: FastifyInstance, { check, metrics }: IngressDeps): void => {
  app.get('/healthz', async () => ({ alive: true }));
  app.get('/readyz', async (_request, reply) => {
    const { status, body } = await askReady(check);
    return reply.code(status).type('application/json').header('cache-control', 'no-store').send(body);
  });
  app.get('/metrics', async (_request, reply) =>
    reply.type(metrics.registry.contentType).send(await metrics.registry.metrics()),
  );
};
