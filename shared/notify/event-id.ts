/** One id per occurrence. Raising the same event again, in any process, gives the same id. */
import { createHash } from 'node:crypto';
import { changeRequestKey } from '../vocabulary/ids.ts';
import type { NotifyEvent } from './event.ts';

/** The id has no "." (Standard Webhooks signs `id.timestamp.body`) and no ":" (the queue does not allow it in a job id). */
export const eventId = (event: NotifyEvent): string =>
  `evt_${createHash('sha256')
    .update(JSON.stringify(identityOf(event)))
    .digest('hex')
    .slice(0, 40)}`;

/** `atMs` is never included, because it differs each time. */
const identityOf = (event: NotifyEvent): readonly (string | number | null)[] => {
  const { kind } = event;
  switch (kind) {
    case 'handoff':
      // There is one id per episode, as there is one comment per episode, even if further reasons are added.
      return [kind, changeRequestKey(event.changeRequest), event.episode];
    case 'budget_used_up':
      return [kind, ...payerOf(event)];
    case 'outage':
      return [kind, event.what, event.forge, event.needsOperator ? event.code : null, event.sinceMs];
    case 'webhook_dead':
      return [kind, event.project.forge, event.project.projectId, event.sinceMs];
    case 'job_failed':
      return [kind, event.queue, event.jobId];
    default:
      return event satisfies never;
  }
};

/**
 * An exhausted budget of a project or a day is one event per day. An exhausted budget of a change request is one event
 * per limit.
 */
const payerOf = (event: NotifyEvent & { readonly kind: 'budget_used_up' }): readonly (string | number)[] => {
  const { scope, changeRequest, day, budget, limit } = event;
  switch (scope) {
    case 'change_request':
      return [scope, changeRequestKey(changeRequest), budget, limit];
    case 'project':
      return [scope, changeRequest.forge, changeRequest.projectId, day];
    case 'day':
      return [scope, day];
    default:
      return scope satisfies never;
  }
};
