import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Logger } from '../../../shared/logger.ts';
import { localPath } from '../access/local-path.ts';
import type { Access } from '../access/visitors.ts';
import { type LoginProblem, loginPage } from '../pages/login-page.ts';
import { formOf, visitorOf } from './gate.ts';
import { sendPage } from './send-page.ts';

export type LoginDeps = { readonly access: Access; readonly log: Logger };

export const addLogin = (app: FastifyInstance, { access, log }: LoginDeps): void => {
  const show = (next: string, problem: LoginProblem) => loginPage({ next, problem, byForge: access.byForge !== null });
  app.get('/login', async (request, reply) =>
    sendPage(reply, { title: 'Log in', at: '', visitor: null }, show(nextOf(request), null)),
  );
  app.post('/login', async (request, reply) => {
    const form = formOf(request);
    const next = localPath(form.get('next') ?? undefined);
    const begun = await access.logIn(form.get('token') ?? '', request.ip);
    if (typeof begun !== 'string') return reply.header('set-cookie', begun.cookie).redirect(next, 303);
    log.warn({ address: request.ip }, 'login to the console refused');
    const status = begun === 'blocked' ? 429 : 401;
    if (status === 429) reply.header('retry-after', '60');
    return sendPage(reply, { title: 'Log in', at: '', visitor: null, status }, show(next, begun));
  });
  app.post('/logout', async (request, reply) =>
    reply.header('set-cookie', await access.logOut(visitorOf(request))).redirect('/login', 303),
  );
};

const nextOf = ({ query }: FastifyRequest): string => localPath(queryText(query, 'next'));

/** A parameter that is given once. */
export const queryText = (query: unknown, name: string): string | undefined => {
  const value: unknown = typeof query === 'object' && query !== null ? Reflect.get(query, name) : undefined;
  return typeof value === 'string' ? value : undefined;
};
