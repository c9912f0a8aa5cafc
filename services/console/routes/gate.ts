/** Every address except the login and the assets needs a visitor; every form needs the value of its session. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { isCsrfOf, isForeignOrigin } from '../access/csrf.ts';
import { localPath } from '../access/local-path.ts';
import { type Access, hasToken, type Visitor } from '../access/visitors.ts';
import type { PageSource } from '../read/source.ts';
import { sendProblem } from './send-page.ts';

const visitors = new WeakMap<FastifyRequest, Visitor>();

/** Contract: called in a handler of a route behind the gate. */
export const visitorOf = (request: FastifyRequest): Visitor => {
  const visitor = visitors.get(request);
  if (visitor === undefined) throw new Error('a route without the gate asked for its visitor');
  return visitor;
};

/** The source without the projects that the visitor may not see. */
export const seenBy = (request: FastifyRequest, source: PageSource): PageSource => ({
  ...source,
  sight: visitorOf(request).sight,
});

export const formOf = (request: FastifyRequest): URLSearchParams =>
  request.body instanceof URLSearchParams ? request.body : new URLSearchParams();

const IS_OPEN = new Set([
  '/login',
  '/login/forge',
  '/login/forge/callback',
  '/assets/style.css',
  '/assets/live.js',
  '/assets/icon.svg',
]);

/** Works also while the forge does not answer. */
const LOGOUT = '/logout';

/** What people may open who see only some projects. Every other address is for operators. */
const IS_FOR_MEMBERS = new Set([
  '/',
  '/live',
  LOGOUT,
  '/cost',
  '/projects',
  '/projects/:forge/:projectId',
  '/change-requests',
  '/change-requests/find',
  '/change-requests/:forge/:projectId/:number',
  '/change-requests/:forge/:projectId/:number/runs/:run',
]);

const UNCHECKED = 'The forge has not yet said which projects you may see. Load the page again in a moment.';

/** Routes that only look are the ones with GET, which fastify also uses for HEAD. */
const isLook = ({ method }: FastifyRequest): boolean => method === 'GET' || method === 'HEAD';

export type GateDeps = { readonly access: Access; readonly source: Pick<PageSource, 'config'> };

/** Unknown addresses are refused before anything says that they are unknown. */
export const addGate = (app: FastifyInstance, { access, source }: GateDeps): void => {
  const { publicUrl } = source.config.console;
  app.addHook('onRequest', async (request, reply) => {
    const { origin, host } = request.headers;
    if (!isLook(request) && isForeignOrigin(origin, { host, publicUrl })) return sendProblem(reply, 403);
    if (IS_OPEN.has(request.routeOptions.url ?? '')) return undefined;
    const found = await access.recognise(request);
    if (found === 'blocked') return sendProblem(reply.header('retry-after', '60'), 429);
    if (found === 'unknown') return refuse(request, reply);
    if ('unchecked' in found) {
      if (request.routeOptions.url !== LOGOUT) return sendProblem(reply.header('retry-after', '5'), 503, UNCHECKED);
      visitors.set(request, found.unchecked);
      return undefined;
    }
    if (!found.sight.isWhole && !IS_FOR_MEMBERS.has(request.routeOptions.url ?? '')) return sendProblem(reply, 404);
    visitors.set(request, found);
    return undefined;
  });
  app.addHook('preHandler', async (request, reply) => {
    const visitor = visitors.get(request);
    if (visitor === undefined || isLook(request) || visitor.session === null) return undefined;
    const given = formOf(request).get('csrf') ?? '';
    return isCsrfOf(visitor.session.id, given) ? undefined : sendProblem(reply, 403);
  });
};

/** A browser is led to the login and back; a program gets 401. */
const refuse = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
  const wantsPage = isLook(request) && (request.headers.accept ?? '').includes('text/html');
  if (!wantsPage || hasToken(request)) return sendProblem(reply.header('www-authenticate', 'Bearer'), 401);
  return reply.redirect(`/login?next=${encodeURIComponent(localPath(request.url))}`, 303);
};
