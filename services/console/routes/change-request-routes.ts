import type { FastifyInstance } from 'fastify';
import { changeRequestPage } from '../pages/change-request-page.ts';
import { pathOf } from '../pages/now-page.ts';
import { recentPage } from '../pages/recent-page.ts';
import { runPage } from '../pages/run-page.ts';
import { readChangeRequest } from '../read/change-request.ts';
import { readRecent } from '../read/recent.ts';
import { readRun } from '../read/run.ts';
import type { PageSource } from '../read/source.ts';
import { grantContent } from './grant-routes.ts';
import { seenBy, visitorOf } from './gate.ts';
import { queryText } from './login-routes.ts';
import { type ChangeRequestParams, ONE_CHANGE_REQUEST, pageOf, parseParams } from './params.ts';
import { sendPage, sendProblem } from './send-page.ts';

const AT = '/change-requests';

const NO_SUCH = 'Write it as forge/project id/number, such as main/42/7.';

export const addChangeRequestPages = (app: FastifyInstance, { source }: { readonly source: PageSource }): void => {
  app.get(AT, async (request, reply) =>
    sendPage(
      reply,
      { title: 'Change requests', at: AT, visitor: visitorOf(request) },
      recentPage(await readRecent(seenBy(request, source), pageOf(queryText(request.query, 'page')))),
    ),
  );
  app.get(`${AT}/find`, async (request, reply) => {
    const [forge = '', projectId = '', number = '', ...rest] = (queryText(request.query, 'ref') ?? '')
      .trim()
      .split('/');
    const of = rest.length > 0 ? null : parseParams({ forge, projectId, number });
    return of === null ? sendProblem(reply, 400, NO_SUCH) : reply.redirect(pathOf(of), 303);
  });
  app.get<{ Params: ChangeRequestParams }>(ONE_CHANGE_REQUEST, async (request, reply) => {
    const of = parseParams(request.params);
    const reading = of === null ? null : await readChangeRequest(seenBy(request, source), of);
    if (of === null || reading === null) return sendProblem(reply, 404);
    const title = reading.view?.title ?? 'Change request';
    return sendPage(
      reply,
      { title, at: AT, visitor: visitorOf(request) },
      changeRequestPage(reading, grantContent(request, pathOf(of))),
    );
  });
  app.get<{ Params: ChangeRequestParams & { readonly run: string } }>(
    `${ONE_CHANGE_REQUEST}/runs/:run`,
    async (request, reply) => {
      const of = parseParams(request.params);
      const reading = of === null ? null : await readRun(seenBy(request, source), of, request.params.run);
      if (reading === null) return sendProblem(reply, 404);
      const title = `Review ${reading.review}`;
      return sendPage(reply, { title, at: AT, visitor: visitorOf(request) }, runPage(reading));
    },
  );
};
