import helmet from '@fastify/helmet';
import fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import type { Logger } from '../../shared/logger.ts';
import { BUSY, boundConnections, RETRY_AFTER_S } from '../../shared/runtime/bound-connections.ts';
import type { Access } from './access/visitors.ts';
import { addGate } from './routes/gate.ts';
import { addAssets } from './routes/assets.ts';
import { addBullBoard } from './routes/bull-board-routes.ts';
import { addChangeRequestPages } from './routes/change-request-routes.ts';
import { addCost } from './routes/cost-routes.ts';
import { addForgeLogin } from './routes/forge-login-routes.ts';
import { addGrants } from './routes/grant-routes.ts';
import { addHealth } from './routes/health-routes.ts';
import { addLogin } from './routes/login-routes.ts';
import { addNow } from './routes/now-routes.ts';
import { addProjects } from './routes/project-routes.ts';
import { addQueues } from './routes/queue-routes.ts';
import { sendProblem } from './routes/send-page.ts';
import type { Board } from './bull-board/board.ts';
import type { PageSource } from './read/source.ts';
import type { LiveNow } from './routes/live-now.ts';

export type ConsoleDeps = {
  readonly source: PageSource;
  readonly access: Access;
  readonly live: LiveNow;
  /** Null unless it is switched on. */
  readonly board: Board | null;
  readonly log: Logger;
  /** True if browsers use https. */
  readonly isSecure: boolean;
};

const REQUEST_TIMEOUT_MS = 10_000;
const IDLE_TIMEOUT_MS = 5_000;
const LOOK_MS = 500;
/** A page loads four files, and a stream stays open. */
const MAX_CONNECTIONS = 200;
/** Forms contain a token or an id. */
const BODY_LIMIT_BYTES = 16_384;
const MAX_PARAM_LENGTH = 200;

/** Creates the app without starting a listener; call `app.inject` or `app.listen`. */
export const createConsole = async (deps: ConsoleDeps): Promise<FastifyInstance> => {
  const app = fastify({
    // fastify's own log lines would contain addresses and errors that quote the request.
    logger: false,
    bodyLimit: BODY_LIMIT_BYTES,
    routerOptions: { maxParamLength: MAX_PARAM_LENGTH },
    requestTimeout: REQUEST_TIMEOUT_MS,
    keepAliveTimeout: IDLE_TIMEOUT_MS,
    http: {
      headersTimeout: REQUEST_TIMEOUT_MS,
      requestTimeout: REQUEST_TIMEOUT_MS,
      connectionsCheckingInterval: LOOK_MS,
    },
    frameworkErrors: (_error, _request, reply) => void sendProblem(reply, 400),
  });
  boundConnections(app, MAX_CONNECTIONS);
  await app.register(helmet, headersFor(deps.isSecure));
  addForms(app);
  addProblems(app, deps);
  addAssets(app);
  addGate(app, deps);
  addLogin(app, deps);
  addForgeLogin(app, deps);
  addNow(app, deps);
  addChangeRequestPages(app, deps);
  addGrants(app, deps);
  addProjects(app, deps);
  addQueues(app, deps);
  addBullBoard(app, deps);
  addCost(app, deps);
  addHealth(app, deps);
  return app;
};

const SELF = ["'self'"];
const NONE = ["'none'"];

/** Pages need their own style sheet, one script and icon, and nothing from anywhere else. */
const headersFor = (isSecure: boolean) => ({
  contentSecurityPolicy: {
    useDefaults: false,
    directives: {
      defaultSrc: NONE,
      styleSrc: SELF,
      scriptSrc: SELF,
      imgSrc: SELF,
      connectSrc: SELF,
      formAction: SELF,
      baseUri: NONE,
      frameAncestors: NONE,
    },
  },
  crossOriginEmbedderPolicy: true,
  // Not "no-referrer": with it, browsers hide the origin of the page's own forms too.
  referrerPolicy: { policy: 'same-origin' as const },
  xFrameOptions: { action: 'deny' as const },
  strictTransportSecurity: isSecure ? { maxAge: 31_536_000, includeSubDomains: false } : (false as const),
});

/** Forms only; no page takes JSON. */
const addForms = (app: FastifyInstance): void => {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) => {
    done(null, new URLSearchParams(String(body)));
  });
};

const addProblems = (app: FastifyInstance, { source, log }: ConsoleDeps): void => {
  app.setNotFoundHandler(async (_request, reply) => sendProblem(reply, 404));
  app.setErrorHandler(async (error: { readonly statusCode?: number }, _request, reply: FastifyReply) => {
    const status = error.statusCode ?? 500;
    if (status < 500) return sendProblem(reply, status);
    const isAway = source.redis.status !== 'ready';
    if (!isAway && status === 500) log.error({ err: error }, 'page could not be shown');
    if (!isAway && status === 500) return sendProblem(reply, 500);
    return sendProblem(reply.header('retry-after', RETRY_AFTER_S), 503, isAway ? null : BUSY);
  });
};
