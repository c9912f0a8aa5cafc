/** How a service reports an event that the operator may want to know about. */
import type { Redis } from 'ioredis';
import type { Config } from '../config/load.ts';
import type { NotifySettings } from '../config/notify-settings.ts';
import { eventId } from '../notify/event-id.ts';
import type { NotifyEvent } from '../notify/event.ts';
import { createKeys } from '../store/keys.ts';
import { createQueues, type Enqueue } from './enqueue.ts';

/**
 * Contract: resolves when the event is stored, rejects when that is not certain. Each occurrence is stored once, and only if a
 * receiver wants its kind.
 */
export type Raise = (event: NotifyEvent) => Promise<void>;

export const createRaise =
  (enqueue: Enqueue, hooks: NotifySettings): Raise =>
  async (event) => {
    if (!hooks.some(({ events }) => events.includes(event.kind))) return;
    await enqueue('notify', { v: 1, kind: 'event', event }, { jobId: eventId(event) });
  };

/** Used by callers that have no queues of their own. */
export const raiseOver = (redis: Redis, { redis: { prefix }, queues, notify }: Config): Raise =>
  createRaise(createQueues(redis, createKeys(prefix).queues, queues).enqueue, notify);
