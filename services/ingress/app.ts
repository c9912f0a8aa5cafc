import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import { askReady, type ReadyCheck } from '../../shared/health.ts';
import type { Metrics } from '../../shared/metrics.ts';
import { addMessagesRoutes, type MessagesDeps } from './messages-route.ts';
import { addWebhookRoute, type WebhookDeps } from './webhook-route.ts';

export type IngressDeps = Omit<WebhookDeps, 'webhookEvents'> & {
  readonly metrics: Metrics;
  readonly bodyLimitBytes: number;
  readonly check: ReadyCheck;
  readonly messages: Omit<MessagesDeps, 'log'>;
};

/** GitLab gives up after 10 s, Forgejo after 5: whoever sends slower is no forge. */
const REQUEST_TIMEOUT_MS = 10_000;

const UNREADABLE = 'the request is not readable';

const ERRORS: ReadonlyMap<number, string> = new Map([
  [413, 'the body is too large'],
  [415, 'this content type is not read; webhooks come as application/json'],
]);

/** No listener yet and no side effects: `app.inject` or `app.listen` brings it to life. */
export const createApp = (deps: IngressDeps): FastifyInstance => {
  const app = fastify({
    // Its own lines would carry addresses and errors that quote what was sent.
    logger: false,
    bodyLimit: deps.bodyLimitBytes,
    requestTimeout: REQUEST_TIMEOUT_MS,
    frameworkErrors: answerUnreadable,
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (_request, body, done) => done(null, body));
  addErrorAnswers(app, deps);
  addWebhookRoute(app, { ...deps, webhookEvents: deps.metrics.webhookEvents });
  addMessagesRoutes(app, { ...deps.messages, log: deps.log });
  addOperatorRoutes(app, deps);
  return app;
};

/** The framework's own answer quotes the address. */
const answerUnreadable = (_error: unknown, _request: unknown, reply: FastifyReply): void => {
  reply.code(400).send({ error: UNREADABLE });
};

const addErrorAnswers = (app: FastifyInstance, { log }: IngressDeps): void => {
  app.setNotFoundHandler(async (_request, reply) => reply.code(404).send({ error: 'not found' }));
  app.setErrorHandler(async (error: { readonly statusCode?: number }, _request, reply) => {
    const status = error.statusCode ?? 500;
    if (status >= 500) log.error({ err: error }, 'request failed');
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
