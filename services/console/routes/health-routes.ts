import type { FastifyInstance } from 'fastify';
import { healthPage } from '../pages/health-page.ts';
import { readHealth } from '../read/health.ts';
import type { PageSource } from '../read/source.ts';
import { seenBy, visitorOf } from './gate.ts';
import { sendPage } from './send-page.ts';

export const addHealth = (app: FastifyInstance, { source }: { readonly source: PageSource }): void => {
  app.get('/health', async (request, reply) =>
    sendPage(
      reply,
      { title: 'Health', at: '/health', visitor: visitorOf(request) },
      healthPage(await readHealth(seenBy(request, source))),
    ),
  );
};
