/** Login with an account of the forge: to the forge and back. */
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '../../../shared/errors.ts';
import type { Logger } from '../../../shared/logger.ts';
import { timeLimit } from '../../../shared/time-limit.ts';
import { localPath } from '../access/local-path.ts';
import { CALLBACK_PATH } from '../access/login-forge.ts';
import type { Access, ForgeAccess } from '../access/visitors.ts';
import { enterPage, type LoginProblem, loginPage } from '../pages/login-page.ts';
import { queryText } from './login-routes.ts';
import { sendPage } from './send-page.ts';

export const FORGE_LOGIN_PATH = '/login/forge';

export type ForgeLoginDeps = { readonly access: Access; readonly log: Logger };

const LIMIT_MS = 8_000;

export const addForgeLogin = (app: FastifyInstance, { access, log }: ForgeLoginDeps): void => {
  const { byForge } = access;
  if (byForge === null) return;
  app.get(FORGE_LOGIN_PATH, async (request, reply) => {
    const { url, cookie } = byForge.begin(localPath(queryText(request.query, 'next')));
    return reply.header('set-cookie', cookie).header('cache-control', 'no-store').redirect(url, 303);
  });
  app.get(CALLBACK_PATH, async (request, reply) => {
    const begun = await finish(byForge, request, log);
    // The cookie of a login that is not this one stays: another tab may still come back with it.
    if (begun === 'stale') return showProblem(reply, begun);
    if (typeof begun === 'string') return showProblem(reply.header('set-cookie', byForge.forgetCookie), begun);
    // A page and no redirect: a browser would not send the strict cookie on a redirect that began on the forge.
    reply.header('set-cookie', [byForge.forgetCookie, begun.cookie]);
    return sendPage(reply, { title: 'Logged in', at: '', visitor: null, goTo: begun.next }, enterPage(begun.next));
  });
};

const finish = async (
  byForge: ForgeAccess,
  request: FastifyRequest,
  log: Logger,
): Promise<{ readonly cookie: string; readonly next: string } | NonNullable<LoginProblem>> => {
  const { query } = request;
  const pending = byForge.take(request, queryText(query, 'state') ?? '');
  const code = queryText(query, 'code') ?? '';
  if (pending === null) return 'stale';
  if (code === '' || code.length > 2_000) return 'refused';
  try {
    const cookie = await byForge.enter({ code, verifier: pending.verifier }, timeLimit(LIMIT_MS));
    return { cookie, next: pending.next };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    log.warn({ err: error, address: request.ip }, 'login by the forge failed');
    return byForge.isRefusal(error) ? 'refused' : 'unanswered';
  }
};

const STATUS: Readonly<Partial<Record<NonNullable<LoginProblem>, number>>> = { unanswered: 503 };

const showProblem = (reply: FastifyReply, problem: NonNullable<LoginProblem>): FastifyReply =>
  sendPage(
    reply,
    { title: 'Log in', at: '', visitor: null, status: STATUS[problem] ?? 401 },
    loginPage({ next: '/', problem, byForge: true }),
  );
