import type { FastifyInstance } from 'fastify';
import { costPage } from '../pages/cost-page.ts';
import { COST_PERIODS, readCost } from '../read/cost.ts';
import type { PageSource } from '../read/source.ts';
import { seenBy, visitorOf } from './gate.ts';
import { queryText } from './login-routes.ts';
import { sendPage } from './send-page.ts';

export const addCost = (app: FastifyInstance, { source }: { readonly source: PageSource }): void => {
  app.get('/cost', async (request, reply) => {
    const given = Number(queryText(request.query, 'days'));
    const period = COST_PERIODS.find((each) => each === given) ?? 30;
    const content = costPage(await readCost(seenBy(request, source), period));
    return sendPage(reply, { title: 'Cost', at: '/cost', visitor: visitorOf(request) }, content);
  });
};
