/**
 * Events that an operator may want to know about: ids, codes and numbers, but no untrusted text. Each event contains
 * the facts that distinguish it from the next event of its kind. See `event-id.ts`.
 */
import { z } from 'zod';
import { OutageKind } from '../rounds/model/events.ts';
import { ChangeRequest, ForgeId } from '../vocabulary/ids.ts';

/** Epoch ms by the store's clock. */
const EpochMs = z.number().int().nonnegative();
const Code = z.string().min(1).max(120);
const Project = ChangeRequest.omit({ number: true });

const Common = z.object({ atMs: EpochMs });

/** A comment on the change request mentioned a person. */
const Handoff = Common.extend({
  kind: z.literal('handoff'),
  changeRequest: ChangeRequest,
  reason: z.string().regex(/^[a-z][a-z0-9_]{0,63}$/),
  /** Number of reviews completed before the mention; there is at most one such mention for each number. */
  episode: z.number().int().nonnegative(),
});

/** The next model call does not fit into the budget. A run's own budget causes no event, because it ends only that run. */
const BudgetUsedUp = Common.extend({
  kind: z.literal('budget_used_up'),
  scope: z.enum(['change_request', 'project', 'day']),
  budget: z.enum(['tokens', 'money']),
  /** The limit in tokens or micro-dollars. */
  limit: z.number().int().positive(),
  /** The change request whose model call would have exceeded the budget. */
  changeRequest: ChangeRequest,
  /** The day as `YYYY-MM-DD`, in UTC. */
  day: z.iso.date(),
});

/** Work waits for an outside service or, if `needs_operator` is true, ends because of it. */
const OutageBegun = Common.extend({
  kind: z.literal('outage'),
  what: OutageKind,
  code: Code,
  /** The forge that has the outage. Null when the outage is not a forge's. */
  forge: ForgeId.nullable(),
  needsOperator: z.boolean(),
  sinceMs: EpochMs,
});

/** The webhook delivers no events. Only the sweep finds what happened, so it is processed late. */
const WebhookDead = Common.extend({
  kind: z.literal('webhook_dead'),
  project: Project,
  health: z.enum(['partial', 'unfit', 'disabled', 'missing']),
  sinceMs: EpochMs,
});

/** A job failed for good, but not because of an outage. */
const JobFailed = Common.extend({
  kind: z.literal('job_failed'),
  queue: z.string().min(1).max(40),
  jobId: z.string().min(1).max(300),
  code: Code,
  /** Null when the job belongs to no change request. */
  changeRequest: ChangeRequest.nullable(),
});

export const NotifyEvent = z.discriminatedUnion('kind', [Handoff, BudgetUsedUp, OutageBegun, WebhookDead, JobFailed]);
export type NotifyEvent = z.output<typeof NotifyEvent>;

/**
 * The forge's names for the event's project. A field is null when the forge could not be reached or the value does not
 * exist for this event.
 */
export const NotifyAbout = z.object({
  /** The path of the project, such as `group/name`. */
  project: z.string().max(1_000).nullable(),
  /** Page of the change request, or of the project if there is none. */
  url: z.string().max(2_000).nullable(),
  /** The number as the forge writes it: `!12`, `#7`. */
  number: z
    .string()
    .regex(/^[!#]\d{1,16}$/)
    .nullable(),
});
export type NotifyAbout = z.output<typeof NotifyAbout>;

export type EventPlace = { readonly forge: string | null; readonly projectId: number | null };

/** Where the event happened. Fields are null when it concerns the whole installation or no project. */
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

/** Returns null when the event is about a project or the installation. */
export const changeRequestOf = (event: NotifyEvent): ChangeRequest | null => {
  if (event.kind === 'handoff' || event.kind === 'job_failed') return event.changeRequest;
  return event.kind === 'budget_used_up' && event.scope === 'change_request' ? event.changeRequest : null;
};
