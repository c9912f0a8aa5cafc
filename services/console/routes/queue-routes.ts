import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import {
  type AgainOutcome,
  createFailedJobs,
  type DropOutcome,
  QUEUE_NAMES,
} from '../../../shared/queue/failed-jobs.ts';
import { createAudit } from '../../../shared/store/board/audit.ts';
import { auditPage } from '../pages/audit-page.ts';
import { queuesPage } from '../pages/queues-page.ts';
import { readQueues } from '../read/queues.ts';
import { BULL_BOARD_PATH } from './bull-board-routes.ts';
import { type ActionDeps, createRecorder, csrfFor, mayAct, saidOf } from './actions.ts';
import { formOf, visitorOf } from './gate.ts';
import { sendPage, sendProblem } from './send-page.ts';

const AT = '/queues';

const JobForm = z.object({
  action: z.enum(['run_again', 'drop']),
  queue: z.enum(QUEUE_NAMES),
  job: z.string().min(1).max(200),
});

type Outcome = AgainOutcome | DropOutcome;

const WORDS: Readonly<Record<Outcome, string>> = {
  queued: 'The job is queued again.',
  dropped: 'The job is removed.',
  unknown: 'The job does not exist any more.',
  not_failed: 'The job is not failed any more, so nothing was done.',
  stale: 'Guard no longer waits for the job, so it was not queued again.',
  locked: 'A worker holds the job, so it was not removed.',
};

export const addQueues = (app: FastifyInstance, deps: ActionDeps): void => {
  const { source } = deps;
  const failed = createFailedJobs(source);
  const audit = createAudit(source.redis, source.keys);
  const record = createRecorder(deps);
  app.get(AT, async (request, reply) => {
    const frame = { csrf: csrfFor(request), said: saidOf(request, WORDS) };
    const board = source.config.console.bullBoard ? BULL_BOARD_PATH : null;
    const content = queuesPage(await readQueues(source), { ...frame, board });
    return sendPage(reply, { title: 'Queues', at: AT, visitor: visitorOf(request) }, content);
  });
  app.get('/actions', async (request, reply) => {
    const content = auditPage(await audit.list(), source.nowMs());
    return sendPage(reply, { title: 'Actions', at: '/actions', visitor: visitorOf(request) }, content);
  });
  app.post(`${AT}/jobs`, async (request, reply) => {
    if (!mayAct(request)) return sendProblem(reply, 403);
    const form = JobForm.safeParse(Object.fromEntries(formOf(request)));
    if (!form.success) return sendProblem(reply, 400);
    const { action, queue, job } = form.data;
    const outcome = action === 'drop' ? await failed.drop(queue, job) : await failed.runAgain(queue, job);
    await record(request, { action, about: `${queue}/${job}`, outcome });
    return reply.redirect(`${AT}?done=${outcome}`, 303);
  });
};
