import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { createInbox } from '../../../shared/queue/inbox.ts';
import { wakeHeld } from '../../../shared/queue/wake-held.ts';
import { createPauses, type ProjectOfForge } from '../../../shared/store/board/pauses.ts';
import { projectPage, projectPath, projectsPage } from '../pages/projects-page.ts';
import { readProject, readProjects } from '../read/projects.ts';
import type { PageSource } from '../read/source.ts';
import { type ActionDeps, actorOf, createRecorder, csrfFor, mayAct, saidOf } from './actions.ts';
import { pageOf, parseProject, type ProjectParams } from './params.ts';
import { formOf, seenBy, visitorOf } from './gate.ts';
import { queryText } from './login-routes.ts';
import { sendPage, sendProblem } from './send-page.ts';

const AT = '/projects';
const ONE = `${AT}/:forge/:projectId`;

const PauseForm = z.object({ action: z.enum(['pause', 'continue']) });

type Outcome = 'paused' | 'already_paused' | 'continued' | 'not_paused';

const WORDS: Readonly<Record<Outcome, string>> = {
  paused: 'The project is paused.',
  already_paused: 'The project was paused before.',
  continued: 'The project continues. Everything that waited is looked at now.',
  not_paused: 'The project was not paused.',
};

export const addProjects = (app: FastifyInstance, deps: ActionDeps): void => {
  const { source } = deps;
  const record = createRecorder(deps);
  app.get(AT, async (request, reply) => {
    const content = projectsPage(await readProjects(seenBy(request, source), pageOf(queryText(request.query, 'page'))));
    return sendPage(reply, { title: 'Projects', at: AT, visitor: visitorOf(request) }, content);
  });
  app.get<{ Params: ProjectParams }>(ONE, async (request, reply) => {
    const project = parseProject(request.params);
    const reading = project === null ? null : await readProject(seenBy(request, source), project);
    if (reading === null) return sendProblem(reply, 404);
    const content = projectPage(reading, { csrf: csrfFor(request), said: saidOf(request, WORDS) });
    const title = reading.path ?? 'Project';
    return sendPage(reply, { title, at: AT, visitor: visitorOf(request) }, content);
  });
  app.post<{ Params: ProjectParams }>(`${ONE}/pause`, async (request, reply) => {
    if (!mayAct(request)) return sendProblem(reply, 403);
    const form = PauseForm.safeParse(Object.fromEntries(formOf(request)));
    const project = parseProject(request.params);
    if (!form.success || project === null) return sendProblem(reply, 400);
    if (!source.config.forges.some(({ id }) => id === project.forge)) return sendProblem(reply, 404);
    const { action } = form.data;
    const by = actorOf(request);
    const outcome = await (action === 'pause' ? pause(source, project, by) : resume(source, project));
    const about = `project ${project.forge}/${project.projectId}`;
    await record(request, { action: `${action}_project`, about, outcome });
    return reply.redirect(`${projectPath(project)}?done=${outcome}`, 303);
  });
};

const pause = async ({ redis, keys, nowMs }: PageSource, project: ProjectOfForge, by: string): Promise<Outcome> =>
  createPauses(redis, keys).pause(project, { atMs: nowMs(), by });

/** Waking is repeated although the project was not paused, in case that somebody's process died while it did so. */
const resume = async (source: PageSource, project: ProjectOfForge): Promise<Outcome> => {
  const { redis, keys, queues, nowMs } = source;
  const pauses = createPauses(redis, keys);
  const outcome = await pauses.end(project);
  await wakeHeld({ pauses, inbox: createInbox(redis, keys, queues.enqueue), nowMs }, project);
  return outcome;
};
