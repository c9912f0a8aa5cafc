/** Adds one job per receiver that wants the event, so that a receiver that is down does not block the others. */
import { eventId } from '../../../shared/notify/event-id.ts';
import type { NotifyEvent } from '../../../shared/notify/event.ts';
import { wantsEvent } from '../../../shared/notify/wants-event.ts';
import type { JobContext } from '../../../shared/queue/worker.ts';
import type { NotifyDeps } from './deps.ts';
import { NotifyProjectUnknownError } from './errors.ts';
import { findAbout } from './find-about.ts';

/** All receivers wait this many attempts for the project's name; then those without a project filter are notified without the name. */
const PATIENT_TRIES = 3;

/** A second run adds no jobs, because the job id consists of receiver and event. */
export const fanOut = async (
  deps: NotifyDeps,
  event: NotifyEvent,
  { attempt, signal }: Pick<JobContext, 'attempt' | 'signal'>,
): Promise<void> => {
  const { about, failure } = await findAbout(deps, event, signal);
  const unknown = (): NotifyProjectUnknownError =>
    new NotifyProjectUnknownError({ event: event.kind, reason: failure });
  if (failure !== null && attempt <= PATIENT_TRIES) throw unknown();
  const id = eventId(event);
  const wanted = deps.hooks.map((hook) => ({ hook, wants: wantsEvent(hook, event, about.project) }));
  await deps.abouts.save(id, about);
  for (const { hook } of wanted.filter(({ wants }) => wants === 'yes')) {
    const job = { v: 1, kind: 'delivery', hook: hook.name, event } as const;
    await deps.enqueue('notify', job, { jobId: `${hook.name}.${id}` });
    deps.checkpoint('after-fan-out');
  }
  if (failure !== null && wanted.some(({ wants }) => wants === 'unknown')) throw unknown();
};
