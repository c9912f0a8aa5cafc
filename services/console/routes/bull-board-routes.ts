/** bull-board below the page Queues: it only looks, and its answers are those of its own routes with GET. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { FastifyInstance, FastifyReply } from 'fastify';
import type { Board, BoardQuery } from '../bull-board/board.ts';
import { bullBoardPage } from '../pages/bull-board-page.ts';
import { sendHtml, sendProblem } from './send-page.ts';

export const BULL_BOARD_PATH = '/queues/bull-board';

const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.png': 'image/png',
  '.ico': 'image/x-icon',
};

const NOT_LOOKING = ['POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'];

export const addBullBoard = (app: FastifyInstance, { board }: { readonly board: Board | null }): void => {
  if (board === null) return;
  const html = bullBoardPage(board.look, BULL_BOARD_PATH);
  for (const below of ['', ...board.pages])
    app.get(`${BULL_BOARD_PATH}${below}`, async (_request, reply) => sendHtml(ownPolicy(reply), html));
  for (const { path: below, answer } of board.routes)
    app.get<{ Params: BoardQuery['params']; Querystring: BoardQuery['query'] }>(
      `${BULL_BOARD_PATH}${below}`,
      async ({ params, query }, reply) => {
        const { status, body } = await answer({ params, query });
        return reply
          .code(status)
          .type('application/json; charset=utf-8')
          .header('cache-control', 'no-store')
          .send(JSON.stringify(body));
      },
    );
  app.get<{ Params: { readonly '*': string } }>(`${BULL_BOARD_PATH}/static/*`, async ({ params }, reply) => {
    const file = board.files.get(params['*']);
    const type = TYPES[path.extname(file ?? '')];
    if (file === undefined || type === undefined) return sendProblem(reply, 404);
    return reply
      .type(type)
      .header('cache-control', 'private, max-age=3600')
      .send(await readFile(file));
  });
  app.route({
    method: NOT_LOOKING,
    url: `${BULL_BOARD_PATH}/*`,
    // Before the body is read, whatever its type.
    onRequest: async (_request, reply) => sendProblem(reply.header('allow', 'GET, HEAD'), 405),
    handler: async (_request, reply) => sendProblem(reply, 405),
  });
};

/** The page of bull-board finds its files by `<base>`; all else is as on every page. */
const ownPolicy = (reply: FastifyReply): FastifyReply => {
  const policy = String(reply.getHeader('content-security-policy'));
  return reply.header('content-security-policy', policy.replace("base-uri 'none'", "base-uri 'self'"));
};
