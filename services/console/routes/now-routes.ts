import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Sight } from '../access/sight.ts';
import type { Access } from '../access/visitors.ts';
import type { LiveNow } from './live-now.ts';
import { nowPage } from '../pages/now-page.ts';
import { readNow } from '../read/now.ts';
import type { PageSource } from '../read/source.ts';
import { seenBy, visitorOf } from './gate.ts';
import { sendPage, sendProblem } from './send-page.ts';

export type NowDeps = { readonly source: PageSource; readonly live: LiveNow; readonly access: Access };

/** How often a browser without scripts loads the page again. */
const RELOAD_S = 15;

export const addNow = (app: FastifyInstance, { source, live, access }: NowDeps): void => {
  app.get('/', async (request, reply) =>
    sendPage(
      reply,
      { title: 'Now', at: '/', visitor: visitorOf(request), reloadS: RELOAD_S, isLive: true },
      nowPage(await readNow(seenBy(request, source))),
    ),
  );
  app.get('/live', async (request, reply) => {
    const stream = live.open(async () => sightOf(access, request));
    if (stream === null) return sendProblem(reply.header('retry-after', '30'), 503, 'Too many pages are open.');
    return reply
      .type('text/event-stream')
      .header('cache-control', 'no-store')
      .header('x-accel-buffering', 'no')
      .send(stream);
  });
};

/** Asked again for each event, because a membership may end while the page is open. */
const sightOf = async (access: Access, request: FastifyRequest): Promise<Sight | null> => {
  const found = await access.recognise(request);
  return typeof found === 'string' || 'unchecked' in found ? null : found.sight;
};
