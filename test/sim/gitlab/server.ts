import { createHash } from 'node:crypto';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { FaultPlan, FaultStep, Moment } from '../forgejo/faults.ts';
import { json, type Reply } from '../forgejo/reply.ts';
import type { RequestEntry } from '../forgejo/world.ts';
import { checkScope, identify, identifyGit, type Identity } from './access.ts';
import { parseBody } from './body.ts';
import { GitlabRefusal } from './errors.ts';
import { listedAnswers } from '../shared/listed-answers.ts';
import { parseGitPath, serveGit } from './git-http.ts';
import { resetDueApprovals } from './approvals.ts';
import { prepareDue } from './mr-state.ts';
import { authorize, redeem } from './oauth.ts';
import { renderPage } from './pages.ts';
import { unfold } from './parameters.ts';
import { throttle } from './rate-limits.ts';
import type { Match, Router } from './router.ts';
import type { Validator } from './validate.ts';
import { origin } from './webhooks.ts';
import { touched } from './log.ts';
import type { World } from './world.ts';

export type Site = {
  readonly world: World;
  readonly router: Router;
  readonly faults: FaultPlan;
  readonly validate: Validator;
};

type Incoming = { readonly entry: RequestEntry; readonly req: IncomingMessage; readonly bytes: Buffer };

const PROOF = new URL('./PROOF.md', import.meta.url);

const maxBodyBytes = 32 * 1024 * 1024;

const readBody = async (req: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req) {
    // Safe cast: without an encoding, Node's request streams yield buffers.
    const bytes = chunk as Buffer;
    size += bytes.length;
    if (size > maxBodyBytes) throw new Error('body too large');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks);
};

const send = (res: ServerResponse, reply: Reply): void => {
  for (const [name, value] of Object.entries(reply.headers ?? {})) if (value !== '') res.setHeader(name, value);
  if (reply.json !== undefined) {
    res.setHeader('content-type', 'application/json');
    res.writeHead(reply.status).end(JSON.stringify(reply.json));
    return;
  }
  const text = reply.html ?? reply.text;
  const type = reply.html === undefined ? 'text/plain; charset=utf-8' : 'text/html; charset=utf-8';
  if (text !== undefined) res.setHeader('content-type', type);
  res.writeHead(reply.status).end(text);
};

const first = (value: string | string[] | undefined): string | undefined => (Array.isArray(value) ? value[0] : value);

const credentials = (req: IncomingMessage) => ({
  privateToken: first(req.headers['private-token']),
  authorization: req.headers.authorization,
});

/** GraphQL is not below the REST API's path. */
const apiPath = (pathname: string): string =>
  pathname === '/api/graphql' ? '/graphql' : pathname.slice('/api/v4'.length);

const callRoute = async (site: Site, incoming: Incoming, identity: Identity | null, found: Match): Promise<Reply> => {
  const { world } = site;
  const { entry, req, bytes } = incoming;
  const url = new URL(entry.path, 'http://sim');
  const { route, params } = found;
  const token = identity?.token ?? null;
  checkScope(token, entry.method, route.scope ?? 'api');
  const type = req.headers['content-type'];
  const body = await parseBody(bytes, type);
  const sent = { ...unfold(url.searchParams.entries()), ...body };
  const user = identity?.user ?? null;
  const path = apiPath(url.pathname);
  const reply = await attempt(async () =>
    route.handle({ world, user, token, params, path, query: url.searchParams, sent }),
  );
  world.violations.push(...listedAnswers(PROOF, 0)(`${route.method} ${route.path}`, reply.status));
  if (route.described !== null) {
    const query = [...url.searchParams.keys()];
    const typed = type?.startsWith('application/json') ?? false;
    const { method } = entry;
    world.violations.push(
      ...site.validate({ method, path: route.described, query, body, typed, status: reply.status }),
    );
  }
  return reply;
};

const attempt = async (task: () => Promise<Reply>): Promise<Reply> => {
  try {
    return await task();
  } catch (error) {
    if (error instanceof GitlabRefusal) return json(error.status, error.body, { ...error.headers });
    throw error;
  }
};

const answerApi = async (site: Site, incoming: Incoming): Promise<Reply> => {
  const { world } = site;
  const { entry, req } = incoming;
  const { pathname } = new URL(entry.path, 'http://sim');
  let limited: Readonly<Record<string, string>> = {};
  const reply = await attempt(async () => {
    const identity = identify(world, credentials(req));
    const throttled = throttle(world, identity?.user ?? null);
    limited = throttled.headers;
    // Rack answers in plain text before the API runs.
    if (throttled.over) return { status: 429, text: 'Retry later\n' };
    const found = site.router(entry.method, apiPath(pathname));
    if (found === null || found === 'other method') {
      world.violations.push(`${entry.method} ${pathname}: ${found ?? 'no such route here'}`);
      return json(found === null ? 404 : 405, { error: found === null ? '404 Not Found' : '405 Not Allowed' });
    }
    return callRoute(site, incoming, identity, found);
  });
  return conditional(req, { ...reply, headers: { ...reply.headers, ...limited } });
};

/** Adds an ETag to every response (Rack::ETag), and answers 304 when it matches (Rack::ConditionalGet). */
const conditional = (req: IncomingMessage, reply: Reply): Reply => {
  if (req.method !== 'GET' || reply.status !== 200 || reply.json === undefined) return reply;
  const etag = `W/"${createHash('sha256').update(JSON.stringify(reply.json)).digest('hex').slice(0, 32)}"`;
  const headers = { ...reply.headers, etag };
  return req.headers['if-none-match'] === etag ? { status: 304, headers } : { ...reply, headers };
};

const answer = async (site: Site, incoming: Incoming): Promise<Reply> => {
  const { pathname, searchParams } = new URL(incoming.entry.path, 'http://sim');
  if (pathname === '/oauth/authorize') return authorize(site.world, searchParams);
  if (pathname === '/oauth/token') return redeem(site.world, incoming.bytes.toString('utf8'));
  const isApi = pathname.startsWith('/api/v4/') || pathname === '/api/graphql';
  return isApi ? answerApi(site, incoming) : renderPage(site.world, pathname);
};

/** Runs a fault step at its moment. True: the request is finished, and nothing more may be sent. */
const disturb = async (step: FaultStep, moment: Moment, res: ServerResponse): Promise<boolean> => {
  if (step.kind === 'pass' || step.kind === 'truncate' || (step.when ?? 'before') !== moment) return false;
  switch (step.kind) {
    case 'status':
      send(res, {
        status: step.status,
        headers: step.headers ?? {},
        ...(step.body === undefined ? { json: { message: `${step.status} fault on purpose` } } : { text: step.body }),
      });
      return true;
    case 'reset':
      res.socket?.resetAndDestroy();
      return true;
    case 'timeout':
      return true;
    case 'meanwhile':
      await step.task();
      return false;
  }
  return step satisfies never;
};

const truncate = (res: ServerResponse, reply: Reply): void => {
  const text = JSON.stringify(reply.json ?? null);
  res.writeHead(reply.status, {
    'content-type': 'application/json',
    'content-length': String(Buffer.byteLength(text)),
  });
  res.write(text.slice(0, Math.floor(text.length / 2)), () => res.destroy());
};

const serve = async (site: Site, incoming: Incoming, res: ServerResponse): Promise<void> => {
  const { entry, req } = incoming;
  const step = site.faults.take(entry);
  if (await disturb(step, 'before', res)) return;
  const eventUuid = first(req.headers['x-gitlab-event-uuid']) ?? null;
  const reply = await origin.run({ eventUuid }, () => answer(site, incoming));
  if (await disturb(step, 'after', res)) return;
  entry.status = reply.status;
  if (step.kind === 'truncate') truncate(res, reply);
  else send(res, reply);
};

/** Only for the request log: invalid credentials give null. */
const nameOf = (world: World, req: IncomingMessage): string | null => {
  try {
    const identity = identify(world, credentials(req)) ?? identifyGit(world, req.headers.authorization);
    return identity?.user.username ?? null;
  } catch (error) {
    if (error instanceof GitlabRefusal) return null;
    throw error;
  }
};

const handle = async (site: Site, req: IncomingMessage, res: ServerResponse): Promise<void> => {
  const { world } = site;
  const prefix = new URL(world.publicUrl).pathname.replace(/\/$/, '');
  const raw = req.url ?? '/';
  const path = prefix !== '' && raw.startsWith(prefix) ? raw.slice(prefix.length) : raw;
  const [pathname = '/', query = ''] = path.split('?', 2);
  await prepareDue(world);
  await resetDueApprovals(world);
  const git = parseGitPath(world, pathname, query);
  const bytes = git === null ? await readBody(req) : Buffer.alloc(0);
  const body = bytes.toString('utf8');
  const user = nameOf(world, req);
  const entry: RequestEntry = { atMs: world.clock(), method: req.method ?? 'GET', path, user, body, status: 0 };
  world.requests.push(entry);
  touched(world);
  if (git === null) await serve(site, { entry, req, bytes }, res);
  else if (!(await disturb(site.faults.take(entry), 'before', res))) await serveGit(world, git, req, res);
  if (entry.status === 0 && res.headersSent) entry.status = res.statusCode;
  touched(world);
};

export const createSite = (site: Site): Server =>
  createServer((req, res) => {
    handle(site, req, res).catch((error: unknown) => {
      // A bug of the simulator must fail the test, not look like an answer of the forge.
      site.world.violations.push(
        `simulator: ${error instanceof Error ? (error.stack ?? error.message) : String(error)}`,
      );
      if (res.headersSent) res.destroy();
      else send(res, json(500, { message: 'simulator error' }));
    });
  });
