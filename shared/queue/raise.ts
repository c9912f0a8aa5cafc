/** How a service says that something happened that the operator may want to be told of. */
import type { Redis } from 'ioredis';
import type { Config } from '../config/load.ts';
import type { NotifySettings } from '../config/notify-settings.ts';
import { eventId } from '../notify/event-id.ts';
import type { NotifyEvent } from '../notify/event.ts';
import { createKeys } from '../store/keys.ts';
import { createQueues, type Enqueue } from './enqueue.ts';

/**
 * Contract: the event is stored when it resolves, once for each thing that happened; nothing is stored where no receiver
 * wants its kind. Rejects when that is not certain.
 */
export type Raise = (event: NotifyEvent) => Promise<void>;

export const createRaise =
  (enqueue: Enqueue, hooks: NotifySettings): Raise =>
  async (event) => {
    if (!hooks.some(({ events }) => events.includes(event.kind))) return;
    await enqueue('notify', { v: 1, kind: 'event', event }, { jobId: eventId(event) });
  };

/** For what has no queues of its own. */
export const raiseOver = (redis: Redis, { redis: { prefix }, queues, notify }: Config): Raise =>
  createRaise(createQueues(redis, createKeys(prefix).queues, queues).enqueue, notify);
