import type { FastifyInstance, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { Logger } from '../../../shared/logger.ts';
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
import type { PageSource } from '../read/source.ts';
import { formOf, visitorOf } from './gate.ts';
import { queryText } from './login-routes.ts';
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

/** Only fixed sentences are shown, whatever the address says. */
const saidOf = (request: FastifyRequest): string | null => {
  const given = queryText(request.query, 'done') ?? '';
  return Object.hasOwn(WORDS, given) ? WORDS[given as Outcome] : null; // it is a key of the object
};

/** The value for forms, if the visitor may act in a browser. */
const csrfFor = (request: FastifyRequest): string | null => {
  const { scope, session } = visitorOf(request);
  return scope === 'write' && session !== null ? session.csrf : null;
};

export type QueueDeps = { readonly source: PageSource; readonly log: Logger };

export const addQueues = (app: FastifyInstance, { source, log }: QueueDeps): void => {
  const failed = createFailedJobs(source);
  const audit = createAudit(source.redis, source.keys);
  app.get(AT, async (request, reply) => {
    const content = queuesPage(await readQueues(source), { csrf: csrfFor(request), said: saidOf(request) });
    return sendPage(reply, { title: 'Queues', at: AT, visitor: visitorOf(request) }, content);
  });
  app.get('/actions', async (request, reply) => {
    const content = auditPage(await audit.list(), source.nowMs());
    return sendPage(reply, { title: 'Actions', at: '/actions', visitor: visitorOf(request) }, content);
  });
  app.post(`${AT}/jobs`, async (request, reply) => {
    if (visitorOf(request).scope !== 'write') return sendProblem(reply, 403);
    const form = JobForm.safeParse(Object.fromEntries(formOf(request)));
    if (!form.success) return sendProblem(reply, 400);
    const { action, queue, job } = form.data;
    const outcome = action === 'drop' ? await failed.drop(queue, job) : await failed.runAgain(queue, job);
    const entry = { atMs: source.nowMs(), action, about: `${queue}/${job}`, outcome, address: request.ip };
    log.info(entry, 'action on the console');
    await audit.append(entry);
    return reply.redirect(`${AT}?done=${outcome}`, 303);
  });
};
