import type { FastifyInstance } from 'fastify';
import { ChangeRequest } from '../../../shared/vocabulary/ids.ts';
import { changeRequestPage } from '../pages/change-request-page.ts';
import { pathOf } from '../pages/now-page.ts';
import { recentPage } from '../pages/recent-page.ts';
import { runPage } from '../pages/run-page.ts';
import { readChangeRequest } from '../read/change-request.ts';
import { readRecent } from '../read/recent.ts';
import { readRun } from '../read/run.ts';
import type { PageSource } from '../read/source.ts';
import { visitorOf } from './gate.ts';
import { queryText } from './login-routes.ts';
import { sendPage, sendProblem } from './send-page.ts';

export type ChangeRequestParams = { readonly forge: string; readonly projectId: string; readonly number: string };

const AT = '/change-requests';
export const ONE_CHANGE_REQUEST = `${AT}/:forge/:projectId/:number`;

/** Null unless the parts name a change request, in the one way in which it is written. */
export const parseParams = ({ forge, projectId, number }: ChangeRequestParams): ChangeRequest | null => {
  if (!/^[1-9]\d{0,15}$/.test(projectId) || !/^[1-9]\d{0,15}$/.test(number)) return null;
  const parsed = ChangeRequest.safeParse({ forge, projectId: Number(projectId), number: Number(number) });
  return parsed.success ? parsed.data : null;
};

const pageOf = (text: string | undefined): number => (/^[1-9]\d{0,3}$/.test(text ?? '') ? Number(text) : 1);

const NO_SUCH = 'Write it as forge/project id/number, such as main/42/7.';

export const addChangeRequestPages = (app: FastifyInstance, { source }: { readonly source: PageSource }): void => {
  app.get(AT, async (request, reply) =>
    sendPage(
      reply,
      { title: 'Change requests', at: AT, visitor: visitorOf(request) },
      recentPage(await readRecent(source, pageOf(queryText(request.query, 'page')))),
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
    const reading = of === null ? null : await readChangeRequest(source, of);
    if (reading === null) return sendProblem(reply, 404);
    const title = reading.view?.title ?? 'Change request';
    return sendPage(reply, { title, at: AT, visitor: visitorOf(request) }, changeRequestPage(reading, null));
  });
  app.get<{ Params: ChangeRequestParams & { readonly run: string } }>(
    `${ONE_CHANGE_REQUEST}/runs/:run`,
    async (request, reply) => {
      const of = parseParams(request.params);
      const reading = of === null ? null : await readRun(source, of, request.params.run);
      if (reading === null) return sendProblem(reply, 404);
      const title = `Review ${reading.review}`;
      return sendPage(reply, { title, at: AT, visitor: visitorOf(request) }, runPage(reading));
    },
  );
};
