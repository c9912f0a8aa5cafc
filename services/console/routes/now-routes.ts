import type { FastifyInstance } from 'fastify';
import type { LiveNow } from './live-now.ts';
import { nowPage } from '../pages/now-page.ts';
import { readNow } from '../read/now.ts';
import type { PageSource } from '../read/source.ts';
import { seenBy, visitorOf } from './gate.ts';
import { sendPage, sendProblem } from './send-page.ts';

export type NowDeps = { readonly source: PageSource; readonly live: LiveNow };

/** How often a browser without scripts loads the page again. */
const RELOAD_S = 15;

export const addNow = (app: FastifyInstance, { source, live }: NowDeps): void => {
  app.get('/', async (request, reply) =>
    sendPage(
      reply,
      { title: 'Now', at: '/', visitor: visitorOf(request), reloadS: RELOAD_S, isLive: true },
      nowPage(await readNow(seenBy(request, source))),
    ),
  );
  app.get('/live', async (_request, reply) => {
    const stream = live.open();
    if (stream === null) return sendProblem(reply.header('retry-after', '30'), 503, 'Too many pages are open.');
    return reply
      .type('text/event-stream')
      .header('cache-control', 'no-store')
      .header('x-accel-buffering', 'no')
      .send(stream);
  });
};
