/**
 * What an operator may want to be told of: ids, codes and numbers, and no text that a stranger has written. Each has the
 * facts that tell it from the next one of its kind; see `event-id.ts`.
 */
import { z } from 'zod';
import { OutageKind } from '../rounds/model/events.ts';
import { ChangeRequest, ForgeId } from '../vocabulary/ids.ts';

/** Epoch ms of the store's clock. */
const EpochMs = z.number().int().nonnegative();
const Code = z.string().min(1).max(120);
const Project = ChangeRequest.omit({ number: true });

const Common = z.object({ atMs: EpochMs });

/** A person was called: the comment stands on the change request. */
const Handoff = Common.extend({
  kind: z.literal('handoff'),
  changeRequest: ChangeRequest,
  reason: z.string().regex(/^[a-z][a-z0-9_]{0,63}$/),
  /** Reviews that were completed before: one call for each. */
  episode: z.number().int().nonnegative(),
});

/** The next call of a model does not fit. The budget of a single run is no event: it ends that run only. */
const BudgetUsedUp = Common.extend({
  kind: z.literal('budget_used_up'),
  scope: z.enum(['change_request', 'project', 'day']),
  budget: z.enum(['tokens', 'money']),
  /** In tokens or micro-dollars. */
  limit: z.number().int().positive(),
  /** Whose call it was. */
  changeRequest: ChangeRequest,
  /** `YYYY-MM-DD`, UTC. */
  day: z.iso.date(),
});

/** Work waits for something outside, or (`needs_operator`) ends because of it. */
const OutageBegun = Common.extend({
  kind: z.literal('outage'),
  what: OutageKind,
  code: Code,
  /** Whose; null where it is no forge's. */
  forge: ForgeId.nullable(),
  needsOperator: z.boolean(),
  sinceMs: EpochMs,
});

/** Events of a project come one sweep late. */
const WebhookDead = Common.extend({
  kind: z.literal('webhook_dead'),
  project: Project,
  health: z.enum(['partial', 'unfit', 'disabled', 'missing']),
  sinceMs: EpochMs,
});

/** A job ended for good without success, and no outage is the reason. */
const JobFailed = Common.extend({
  kind: z.literal('job_failed'),
  queue: z.string().min(1).max(40),
  jobId: z.string().min(1).max(300),
  code: Code,
  /** Null where it belongs to none. */
  changeRequest: ChangeRequest.nullable(),
});

export const NotifyEvent = z.discriminatedUnion('kind', [Handoff, BudgetUsedUp, OutageBegun, WebhookDead, JobFailed]);
export type NotifyEvent = z.output<typeof NotifyEvent>;

/** What the forge knows the event's project by; null fields: it could not be asked, or the event has none. */
export const NotifyAbout = z.object({
  /** `group/name` */
  project: z.string().max(1_000).nullable(),
  /** Of the change request, else of the project. */
  url: z.string().max(2_000).nullable(),
  /** `!12`, `#7` */
  number: z
    .string()
    .regex(/^[!#]\d{1,16}$/)
    .nullable(),
});
export type NotifyAbout = z.output<typeof NotifyAbout>;

export type EventPlace = { readonly forge: string | null; readonly projectId: number | null };

/** Where it happened. Null: in the installation, or in no project. */
export const eventPlaceOf = (event: NotifyEvent): EventPlace => {
  switch (event.kind) {
    case 'handoff':
      return event.changeRequest;
    case 'budget_used_up':
      return event.scope === 'day' ? NOWHERE : event.changeRequest;
    case 'outage':
      return { forge: event.forge, projectId: null };
    case 'webhook_dead':
      return event.project;
    case 'job_failed':
      return event.changeRequest ?? NOWHERE;
    default:
      return event satisfies never;
  }
};

const NOWHERE: EventPlace = { forge: null, projectId: null };

/** Null where the event is about a project or the installation. */
export const changeRequestOf = (event: NotifyEvent): ChangeRequest | null => {
  if (event.kind === 'handoff' || event.kind === 'job_failed') return event.changeRequest;
  return event.kind === 'budget_used_up' && event.scope === 'change_request' ? event.changeRequest : null;
};
