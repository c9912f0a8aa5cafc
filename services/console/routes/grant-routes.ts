import { randomBytes } from 'node:crypto';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { createInbox } from '../../../shared/queue/inbox.ts';
import type { ForgeEvent } from '../../../shared/rounds/model/events.ts';
import { changeRequestKey } from '../../../shared/vocabulary/ids.ts';
import type { Content } from '../pages/html.ts';
import { grantForm } from '../pages/grant-form.ts';
import { pathOf } from '../pages/now-page.ts';
import { readChangeRequest } from '../read/change-request.ts';
import { type ActionDeps, actorOf, createRecorder, csrfFor, mayAct, saidOf } from './actions.ts';
import { type ChangeRequestParams, ONE_CHANGE_REQUEST, parseParams } from './params.ts';
import { formOf } from './gate.ts';
import { sendProblem } from './send-page.ts';

/** `wish` is made when the page is shown, so that a form that is sent twice grants one round. */
const GrantForm = z.object({ wish: z.string().regex(/^[0-9a-f]{16}$/) });

const WORDS = {
  requested: 'The round is requested. The decisions below say what becomes of it.',
  requested_before: 'This form was sent before, so no further round is requested.',
} as const;

/** What the page of a change request offers to a visitor who may act. */
export const grantContent = (request: FastifyRequest, path: string): Content => {
  const csrf = csrfFor(request);
  const said = saidOf(request, WORDS);
  if (csrf === null && said === null) return null;
  return grantForm({ path, csrf, said, wish: randomBytes(8).toString('hex') });
};

export const addGrants = (app: FastifyInstance, deps: ActionDeps): void => {
  const { source } = deps;
  const record = createRecorder(deps);
  app.post<{ Params: ChangeRequestParams }>(`${ONE_CHANGE_REQUEST}/grant`, async (request, reply) => {
    if (!mayAct(request)) return sendProblem(reply, 403);
    const form = GrantForm.safeParse(Object.fromEntries(formOf(request)));
    const of = parseParams(request.params);
    if (!form.success || of === null) return sendProblem(reply, 400);
    if ((await readChangeRequest(source, of)) === null) return sendProblem(reply, 404);
    const event = grantOf(form.data.wish, { atMs: source.nowMs(), by: actorOf(request) });
    const dedupKey = `${changeRequestKey(of)}-${event.id}`;
    const inbox = createInbox(source.redis, source.keys, source.queues.enqueue);
    const stored = await inbox.deliver({ changeRequest: of, event, dedupKey, deliveryId: null });
    const outcome = stored === 'stored' ? 'requested' : 'requested_before';
    await record(request, { action: 'grant_round', about: `${of.forge}/${of.projectId}/${of.number}`, outcome });
    return reply.redirect(`${pathOf(of)}?done=${outcome}`, 303);
  });
};

const grantOf = (wish: string, { atMs, by }: { readonly atMs: number; readonly by: string }): ForgeEvent => ({
  source: 'forge',
  kind: 'review_requested',
  id: `grant-${wish}`,
  atMs,
  head: null,
  noteId: null,
  actorId: null,
  actorLogin: by,
  requestedReviewerId: null,
  byOperator: true,
  grantsRound: true,
});
