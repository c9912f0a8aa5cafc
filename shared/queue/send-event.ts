/** Stores an event and adds its wake-up job, in one write if nothing is in doubt. */
import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Checkpoint } from '../checkpoint.ts';
import type { ChangeRequest } from '../vocabulary/ids.ts';
import type { Enqueue } from './enqueue.ts';
import { createPushOnce, type Push, type PushOnce } from './push-once.ts';

type LastKeys = {
  readonly has: (key: string) => boolean;
  readonly add: (key: string) => void;
  readonly delete: (key: string) => void;
};

/** At least this many are kept, and at most twice as many. */
const MIN_KEYS = 10_000;

/** Drops many keys at once: to find the oldest key of a set, Node walks past every key that was deleted before it. */
const createLastKeys = (): LastKeys => {
  let newer = new Set<string>();
  let older = new Set<string>();
  return {
    has: (key) => newer.has(key) || older.has(key),
    delete: (key) => {
      newer.delete(key);
      older.delete(key);
    },
    add: (key) => {
      newer.add(key);
      if (newer.size < MIN_KEYS) return;
      older = newer;
      newer = new Set();
    },
  };
};

/** Joins the id of a wake-up with the process that adds it. */
export const OF_PROCESS = '~';

type Means = { readonly redis: Redis; readonly enqueue: Enqueue; readonly checkpoint: Checkpoint };

export type EventSending = Omit<Means, 'redis'> & {
  readonly script: PushOnce;
  /** Events and deliveries that this process sent. */
  readonly recent: LastKeys;
  /** Events whose wake-up may have been executed before them. */
  readonly doubtful: LastKeys;
  /** Part of the ids of wake-ups: another process does not know which ones were executed before their event. */
  readonly own: string;
};

export const createSending = ({ redis, ...means }: Means): EventSending => ({
  ...means,
  script: createPushOnce(redis),
  recent: createLastKeys(),
  doubtful: createLastKeys(),
  own: randomBytes(4).toString('hex'),
});

export type SentEvent = {
  readonly changeRequest: ChangeRequest;
  readonly wakeId: string;
  readonly priority: { readonly priority?: number };
  readonly push: Push;
};

/**
 * A new event and its wake-up are sent at once; Redis executes them in this order. A wake-up that was executed before its
 * event could end in vain, and another job with its id would be ignored while it is kept. So after any doubt the event is
 * stored first, and the wake-up gets another id. Each process has ids of its own, because another one does not know the doubt.
 */
export const sendEvent = async (sending: EventSending, sent: SentEvent): Promise<'known' | 'pending'> => {
  const { script, recent } = sending;
  // A repeated delivery must not add a wake-up, which would have no event.
  const names = [sent.push.dedupKey, sent.push.deliveryKey];
  const isNew = script.isLoaded() && !names.some((name) => recent.has(name));
  for (const name of names) recent.add(name);
  const state = isNew ? await sendAtOnce(sending, sent) : 'unloaded';
  return state === 'unloaded' ? sendInOrder(sending, sent) : state;
};

const wake = async ({ enqueue, doubtful, own }: EventSending, { changeRequest, wakeId, priority, push }: SentEvent) => {
  const jobId = `${wakeId}${OF_PROCESS}${own}${doubtful.has(push.dedupKey) ? '-again' : ''}`;
  await enqueue('guard', { v: 1, kind: 'wake', changeRequest }, { jobId, ...priority });
};

const pushFirst = async (script: PushOnce, push: Push): Promise<'known' | 'pending'> => {
  const state = script.isLoaded() ? await script.run(push) : 'unloaded';
  return state === 'unloaded' ? script.load(push) : state;
};

const sendInOrder = async (sending: EventSending, sent: SentEvent): Promise<'known' | 'pending'> => {
  const state = await pushFirst(sending.script, sent.push);
  if (state === 'known') return state;
  sending.checkpoint('after-push');
  await wake(sending, sent);
  sending.doubtful.delete(sent.push.dedupKey);
  return state;
};

const sendAtOnce = async (sending: EventSending, sent: SentEvent): Promise<'known' | 'pending' | 'unloaded'> => {
  const { script, doubtful, checkpoint } = sending;
  const pushing = script.run(sent.push);
  checkpoint('after-push');
  const waking = wake(sending, sent);
  // Its error counts only if the event is stored.
  waking.catch(() => undefined);
  let state: Awaited<typeof pushing> | null = null;
  try {
    state = await pushing;
  } finally {
    if (state !== 'pending') doubtful.add(sent.push.dedupKey);
  }
  if (state === 'pending') await waking;
  return state;
};
