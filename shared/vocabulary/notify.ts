/** What the operator can be notified of, and the kinds of receivers. */
import { z } from 'zod';

export const NotifyEventKind = z.enum(['handoff', 'budget_used_up', 'outage', 'webhook_dead', 'job_failed']);
export type NotifyEventKind = z.output<typeof NotifyEventKind>;

/** `json` is for programs. The others are chats, to which messages are sent through incoming webhooks. */
export const ReceiverKind = z.enum(['json', 'slack', 'mattermost', 'matrix']);
export type ReceiverKind = z.output<typeof ReceiverKind>;

/** The name that the operator gives to a hook. It is a part of job ids and a label of metrics. */
export const HookName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,31}$/, 'expected 1 to 32 lower-case letters, digits or "-", starting with a letter');
