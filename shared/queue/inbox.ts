import type { Redis } from 'ioredis';
import type { Checkpoint } from '../checkpoint.ts';
import { type Enqueue, OVERTAKEN } from './enqueue.ts';
import { createSendEvent } from './send-event.ts';
import { InboxEvent } from '../rounds/model/events.ts';
import { type ChangeRequest, changeRequestKey } from '../vocabulary/ids.ts';
import type { Keys } from '../store/keys.ts';
import { FENCED, type Lease, LeaseLostError } from '../store/lease.ts';
import { createScript } from '../store/server/script.ts';
import { jsonOrNull } from '../json-or-null.ts';
import { carrier } from '../tracing/tracing.ts';

/** Stores events until guard has processed them. The wake-up job after each event carries no data, so losing it is harmless. */
export type Inbox = {
  /**
   * Stores an event once per deduplication key and adds a wake-up job.
   * Contract: `stored` and `duplicate` both mean that the event is stored. Rejects when that is not certain.
   */
  deliver(delivery: InboxDelivery): Promise<'stored' | 'duplicate'>;
  /** Delivers an internal event, deduplicated by its id; after `delayMs`, if given. */
  notify(of: ChangeRequest, event: InboxEvent, delayMs?: number): Promise<void>;
  /** Returns at most `MAX_READ` events, oldest first. Entries that do not parse are skipped and counted. */
  read(of: ChangeRequest): Promise<InboxReading>;
  /** Removes the first `count` entries. Contract: called only under the lease of the change request. */
  trim(of: ChangeRequest, count: number, lease: Lease): Promise<void>;
};

export type InboxDelivery = {
  readonly changeRequest: ChangeRequest;
  readonly event: InboxEvent;
  /** Deliveries with the same key are one event: a repeated webhook, a project webhook and a group webhook, a replay. */
  readonly dedupKey: string;
  /** The forge's id of this delivery. Null when the forge sends no id. */
  readonly deliveryId: string | null;
};

export type InboxReading = {
  readonly events: readonly InboxEvent[];
  readonly entries: number;
  readonly unreadable: number;
  /** True if the inbox may hold more events. */
  readonly isPart?: true;
  /** The traces in which the events were delivered, in the same order, without those that have none. */
  readonly traces?: readonly string[];
};

const MAX_READ = 500;
/** How long a key is kept. A replay after that time wakes guard once more, without effect. */
const REMEMBER_S = 24 * 3600;
/**
 * How long the inbox is kept after its newest event. The sweep reports again anything that guard has not processed by
 * then.
 */
const INBOX_KEEP_S = 30 * 24 * 3600;

const trim = createScript(`${FENCED}redis.call('LTRIM', KEYS[2], ARGV[2], -1)
return 1`);

/** The trace is stored beside the fields of the event, whose schema ignores it. */
const entryOf = (event: InboxEvent): object => {
  const trace = carrier();
  return trace === null ? event : { ...event, traceparent: trace };
};

const traceIn = (entry: unknown): readonly string[] =>
  typeof entry === 'object' && entry !== null && 'traceparent' in entry && typeof entry.traceparent === 'string'
    ? [entry.traceparent]
    : [];

const deliverWith = ({ keys, ...means }: Delivering): Inbox['deliver'] => {
  const sendEvent = createSendEvent({ ...means, times: { rememberS: REMEMBER_S, keepS: INBOX_KEEP_S } });
  return async ({ changeRequest, event, dedupKey, deliveryId }) => {
    const push = {
      deliveryKey: deliveryId === null ? null : keys.delivery(changeRequest.forge, deliveryId),
      dedupKey: keys.dedupKey(dedupKey),
      inboxKey: keys.ofChangeRequest(changeRequest, 'inbox'),
      entry: JSON.stringify(entryOf(event)),
    };
    // After a wipe of Redis the sweep reports every open change request; new events must not wait for all of them.
    const priority = event.source === 'sweep' ? OVERTAKEN : null;
    const state = await sendEvent({ changeRequest, wakeId: `wake-${dedupKey}`, priority, push });
    return state === 'known' ? 'duplicate' : 'stored';
  };
};

type Delivering = {
  readonly redis: Redis;
  readonly keys: Keys;
  readonly enqueue: Enqueue;
  readonly checkpoint: Checkpoint;
};

export const createInbox = (redis: Redis, keys: Keys, enqueue: Enqueue, checkpoint: Checkpoint = () => {}): Inbox => {
  const deliver = deliverWith({ redis, keys, enqueue, checkpoint });
  return {
    deliver,
    notify: async (of, event, delayMs) => {
      const dedupKey = `${changeRequestKey(of)}-${event.id}`;
      if (delayMs === undefined) await deliver({ changeRequest: of, event, dedupKey, deliveryId: null });
      // The delayed job carries the event. Guard puts the event into the inbox when the delay has ended.
      else
        await enqueue(
          'guard',
          { v: 1, kind: 'event', changeRequest: of, event },
          { jobId: `later-${dedupKey}`, delayMs },
        );
    },
    read: async (of) => {
      const entries = await redis.lrange(keys.ofChangeRequest(of, 'inbox'), 0, MAX_READ - 1);
      const stored = entries.map(jsonOrNull);
      const events = stored.flatMap((entry) => {
        const parsed = InboxEvent.safeParse(entry);
        return parsed.success ? [parsed.data] : [];
      });
      const traces = stored.flatMap(traceIn);
      const unreadable = entries.length - events.length;
      const more = entries.length < MAX_READ ? {} : ({ isPart: true } as const);
      return { events, entries: entries.length, unreadable, ...more, ...(traces.length === 0 ? {} : { traces }) };
    },
    trim: async (of, count, lease) => {
      const inboxKey = keys.ofChangeRequest(of, 'inbox');
      const trimmed = await trim(redis, [lease.key, inboxKey], [lease.token, count]);
      if (Number(trimmed) !== 1) throw new LeaseLostError(lease.key);
    },
  };
};

export const deliverTo =
  (inbox: Inbox) =>
  async (of: ChangeRequest, event: InboxEvent): Promise<void> => {
    await inbox.notify(of, event);
  };
