import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { checkScope, identify } from './access.ts';
import { type Call, describedPath } from './call.ts';
import type { Description } from './description.ts';
import type { FaultPlan, FaultStep, Moment } from './faults.ts';
import { parseGitPath, serveGit } from './git-http.ts';
import { authorize, redeem } from './oauth.ts';
import { renderPage } from './pages.ts';
import { empty, json, type Reply, SimHttpError } from './reply.ts';
import { createRouter, everyRoute, type Router } from './router.ts';
import type { Validator } from './validate.ts';
import { listedAnswers } from '../shared/listed-answers.ts';
import { type RequestEntry, touched, type World } from './world.ts';

export type Site = {
  readonly world: World;
  readonly router: Router;
  readonly faults: FaultPlan;
  readonly description: Description;
  readonly validate: Validator;
};

const maxBodyBytes = 32 * 1024 * 1024;

const readBody = async (req: IncomingMessage): Promise<string> => {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of req) {
    // Safe cast: without an encoding, Node's request streams yield buffers.
    const bytes = chunk as Buffer;
    size += bytes.length;
    if (size > maxBodyBytes) throw new SimHttpError(413, 'body too large');
    chunks.push(bytes);
  }
  return Buffer.concat(chunks).toString('utf8');
};

const send = (res: ServerResponse, reply: Reply): void => {
  for (const [name, value] of Object.entries(reply.headers ?? {})) res.setHeader(name, value);
  const type = reply.html === undefined ? 'text/plain; charset=utf-8' : 'text/html; charset=utf-8';
  if (reply.json !== undefined) {
    res.setHeader('content-type', 'application/json;charset=utf-8');
    res.writeHead(reply.status).end(JSON.stringify(reply.json));
    return;
  }
  const text = reply.html ?? reply.text;
  if (text !== undefined) res.setHeader('content-type', type);
  res.writeHead(reply.status).end(text);
};

const parsedBody = (raw: string): unknown => {
  if (raw === '') return undefined;
  try {
    return JSON.parse(raw);
  } catch (cause) {
    throw new SimHttpError(422, `body is not JSON: ${cause instanceof Error ? cause.message : ''}`);
  }
};

const refused = (site: Site, error: unknown): Reply => {
  if (!(error instanceof SimHttpError)) throw error;
  if (!error.hasBody) return empty(error.status);
  return json(error.status, { message: error.message, url: `${site.world.publicUrl}/api/swagger` });
};

const everywhere = createRouter(everyRoute);

const PROOF = new URL('./PROOF.md', import.meta.url);

const listed = ({ traits }: World) => listedAnswers(PROOF, traits.product === 'forgejo' ? 0 : 1);

const callRoute = async (
  site: Site,
  entry: RequestEntry,
  call: Omit<Call, 'params' | 'body' | 'query'>,
): Promise<Reply> => {
  const { world } = site;
  const url = new URL(entry.path, 'http://sim');
  const path = url.pathname.slice('/api/v1'.length);
  const found = site.router(entry.method, path);
  if (found === null || found === 'other method') {
    world.violations.push(`${entry.method} ${path}: ${found ?? 'no such route here'}`);
    // A route of another release counts as a known path with a wrong method.
    return found === null && everywhere(entry.method, path) === null
      ? { status: 404, text: '404 page not found\n' }
      : empty(405);
  }
  const body = parsedBody(entry.body);
  let reply: Reply;
  try {
    checkScope(call.token, found.route.category, entry.method);
    reply = await found.route.handle({ ...call, params: found.params, query: url.searchParams, body });
  } catch (error) {
    reply = refused(site, error);
  }
  world.violations.push(...listed(world)(`${found.route.method} ${found.route.path}`, reply.status));
  const described = describedPath(found.route);
  const exchange = {
    method: entry.method,
    path: described,
    requestBody: body,
    status: reply.status,
    answer: reply.json,
  };
  world.violations.push(...site.validate(exchange));
  return reply;
};

const answerApi = async (site: Site, entry: RequestEntry, header: string | undefined): Promise<Reply> => {
  const { world } = site;
  const identity = identify(world, header);
  if (identity === undefined) return json(401, { message: 'invalid username, password or token', url: '' });
  try {
    return await callRoute(site, entry, { world, user: identity?.user ?? null, token: identity?.token ?? null });
  } catch (error) {
    return refused(site, error);
  }
};

const answer = async (site: Site, entry: RequestEntry, header: string | undefined): Promise<Reply> => {
  const { pathname, searchParams } = new URL(entry.path, 'http://sim');
  if (pathname === '/login/oauth/authorize') return authorize(site.world, searchParams);
  if (pathname === '/login/oauth/access_token') return redeem(site.world, entry);
  if (pathname === '/swagger.v1.json') return json(200, site.description);
  if (pathname === '/api/forgejo/v1/version' && site.world.traits.product === 'forgejo')
    return json(200, { version: site.world.traits.version });
  if (pathname.startsWith('/api/v1/')) return answerApi(site, entry, header);
  return renderPage(site.world, pathname);
};

/** Runs a fault step at its moment. True: the request is finished, and nothing more may be sent. */
const disturb = async (step: FaultStep, moment: Moment, res: ServerResponse): Promise<boolean> => {
  if (step.kind === 'pass' || step.kind === 'truncate' || (step.when ?? 'before') !== moment) return false;
  switch (step.kind) {
    case 'status':
      send(res, {
        status: step.status,
        headers: step.headers ?? {},
        ...(step.body === undefined ? { json: { message: 'fault on purpose', url: '' } } : { text: step.body }),
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
  res.writeHead(reply.status, { 'content-type': 'application/json', 'content-length': String(text.length) });
  res.write(text.slice(0, Math.floor(text.length / 2)), () => res.destroy());
};

const serveEntry = async (
  site: Site,
  entry: RequestEntry,
  req: IncomingMessage,
  res: ServerResponse,
): Promise<void> => {
  const step = site.faults.take(entry);
  if (await disturb(step, 'before', res)) return;
  const reply = await answer(site, entry, req.headers.authorization);
  if (await disturb(step, 'after', res)) return;
  entry.status = reply.status;
  if (step.kind === 'truncate') truncate(res, reply);
  else send(res, reply);
};

const handle = async (site: Site, req: IncomingMessage, res: ServerResponse): Promise<void> => {
  const { world } = site;
  const prefix = new URL(world.publicUrl).pathname.replace(/\/$/, '');
  const raw = req.url ?? '/';
  const path = prefix !== '' && raw.startsWith(prefix) ? raw.slice(prefix.length) : raw;
  const [pathname = '/', query = ''] = path.split('?', 2);
  const git = parseGitPath(world, pathname, query);
  const user = identify(world, req.headers.authorization)?.user.login ?? null;
  const body = git === null ? await readBody(req) : '';
  const entry: RequestEntry = { atMs: world.clock(), method: req.method ?? 'GET', path, user, body, status: 0 };
  world.requests.push(entry);
  touched(world);
  if (git === null) await serveEntry(site, entry, req, res);
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
      else send(res, json(500, { message: 'simulator error', url: '' }));
    });
  });
