/** The body of the format `json`: `type`, `timestamp` and `data`, as Standard Webhooks suggests. It never changes in a retry. */
import { changeRequestOf, type NotifyAbout, type NotifyEvent, eventPlaceOf } from './event.ts';
import { messageOf } from './message.ts';

export const jsonBody = (event: NotifyEvent, about: NotifyAbout): unknown => {
  const { forge, projectId } = eventPlaceOf(event);
  const { title, text } = messageOf(event, about);
  return {
    type: `fixpoint.${event.kind}`,
    timestamp: new Date(event.atMs).toISOString(),
    data: {
      title,
      text,
      forge,
      projectId,
      project: about.project,
      changeRequest: changeRequestOf(event)?.number ?? null,
      url: about.url,
      ...factsOf(event),
    },
  };
};

const isoOf = (ms: number): string => new Date(ms).toISOString();

/** Fields that only events of this kind have. */
const factsOf = (event: NotifyEvent): Readonly<Record<string, string | number | boolean>> => {
  switch (event.kind) {
    case 'handoff':
      return { reason: event.reason, completedReviews: event.episode };
    case 'budget_used_up':
      return { scope: event.scope, budget: event.budget, limit: event.limit, day: event.day };
    case 'outage':
      return { what: event.what, code: event.code, needsOperator: event.needsOperator, since: isoOf(event.sinceMs) };
    case 'webhook_dead':
      return { health: event.health, since: isoOf(event.sinceMs) };
    case 'job_failed':
      return { queue: event.queue, jobId: event.jobId, code: event.code };
    default:
      return event satisfies never;
  }
};
