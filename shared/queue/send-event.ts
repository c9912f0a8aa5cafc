/** Stores events and adds their wake-up jobs, in one write if nothing is in doubt. */
import { randomBytes } from 'node:crypto';
import type { Redis } from 'ioredis';
import type { Checkpoint } from '../checkpoint.ts';
import type { ChangeRequest } from '../vocabulary/ids.ts';
import { carrier } from '../tracing/tracing.ts';
import { addWakeUp } from './add-wake-up.ts';
import { MAX_WAKE_UPS, type WakeUp } from './contracts.ts';
import type { Enqueue } from './enqueue.ts';
import { gatherTurns } from './gather-turns.ts';
import { createRememberDone, type RememberDone } from './remember-done.ts';
import { createPushOnce, type Push, type Pushed, type PushOnce, type PushTimes } from './push-once.ts';

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

/** Joins the id of a wake-up with the process that adds it; ids have letters, digits, `.`, `_` and `-`. */
const OF_PROCESS = '.by-';

type Means = {
  readonly redis: Redis;
  readonly enqueue: Enqueue;
  readonly checkpoint: Checkpoint;
  readonly times: PushTimes;
};

type Sending = Pick<Means, 'enqueue' | 'checkpoint'> & {
  readonly script: PushOnce;
  /** Events and deliveries that this process sent. */
  readonly recent: LastKeys;
  /** Events whose wake-up may have been executed before them. */
  readonly doubtful: LastKeys;
  readonly done: RememberDone;
  /** Part of the ids of wake-ups: another process does not know which ones were executed before their event. */
  readonly own: string;
};

export type SentEvent = {
  readonly changeRequest: ChangeRequest;
  readonly wakeId: string;
  /** Of the wake-up job; null if it is first in turn. */
  readonly priority: number | null;
  readonly push: Push;
};

/** `known`: the event was stored before. `pending`: it is stored now. Contract: in both cases it has a wake-up. */
export type SendEvent = (sent: SentEvent) => Promise<'known' | 'pending'>;

/**
 * A new event and its wake-up are sent at once; Redis executes them in this order. A wake-up that was executed before its
 * event could end in vain, and another job with its id would be ignored while it is kept. So after any doubt the event is
 * stored first, and the wake-up gets another id. Each process has ids of its own, because another one does not know the doubt.
 *
 * The new events of one turn of the event loop are sent together, since each command costs more than what it does.
 */
export const createSendEvent = ({ redis, times, ...means }: Means): SendEvent => {
  const sending: Sending = {
    ...means,
    script: createPushOnce(redis, times),
    recent: createLastKeys(),
    doubtful: createLastKeys(),
    done: createRememberDone(redis, times.rememberS),
    own: randomBytes(4).toString('hex'),
  };
  const sendTogether = gatherTurns(MAX_WAKE_UPS, async (all: readonly SentEvent[]) => sendAtOnce(sending, all));
  const sendNew = async (sent: SentEvent): Promise<Sent> => {
    // The job that wakes guard for several change requests has neither a priority nor the trace of one event.
    if (sent.priority === null && carrier() === null) return sendTogether(sent);
    const [state = 'unloaded'] = await sendAtOnce(sending, [sent]);
    return state;
  };
  return async (sent) => {
    const { script, recent, done, checkpoint } = sending;
    // A repeated delivery must not add a wake-up, which would have no event.
    const { dedupKey, deliveryKey } = sent.push;
    const names = deliveryKey === null ? [dedupKey] : [dedupKey, deliveryKey];
    const isNew = script.isLoaded() && !names.some((name) => recent.has(name));
    for (const name of names) recent.add(name);
    const tried = isNew ? await sendNew(sent) : 'unloaded';
    const state = tried === 'unloaded' ? await sendInOrder(sending, sent) : tried;
    if (state instanceof Error) throw state;
    if (state === 'known') return state;
    checkpoint('after-wake-up');
    for (const name of names) done.add(name);
    return state;
  };
};

type Sent = Pushed | 'unloaded';

const wakeUpOf = ({ doubtful, own }: Sending, { changeRequest, wakeId, push }: SentEvent): WakeUp => ({
  changeRequest,
  jobId: `${wakeId}${OF_PROCESS}${own}${doubtful.has(push.dedupKey) ? '-again' : ''}`,
});

const wake = async (sending: Sending, all: readonly SentEvent[]): Promise<void> => {
  const [first, second] = all;
  if (first === undefined) return;
  const wakeUps = all.map((sent) => wakeUpOf(sending, sent));
  if (second === undefined) return addWakeUp(sending.enqueue, wakeUpOf(sending, first), first.priority);
  const jobId = `wake-all-${randomBytes(12).toString('hex')}`;
  await sending.enqueue('guard', { v: 1, kind: 'wake_all', wakeUps }, { jobId });
};

const pushFirst = async (script: PushOnce, push: Push): Promise<Pushed> => {
  const states = script.isLoaded() ? await script.run([push]) : 'unloaded';
  const [state = new Error('no state')] = states === 'unloaded' ? await script.load([push]) : states;
  return state;
};

const sendInOrder = async (sending: Sending, sent: SentEvent): Promise<Pushed> => {
  sending.done.send();
  const state = await pushFirst(sending.script, sent.push);
  if (state !== 'pending') return state;
  sending.checkpoint('after-push');
  await wake(sending, [sent]);
  sending.doubtful.delete(sent.push.dedupKey);
  return state;
};

const sendAtOnce = async (sending: Sending, all: readonly SentEvent[]): Promise<readonly Sent[]> => {
  const { script, doubtful, done, checkpoint } = sending;
  done.send();
  const pushing = script.run(all.map(({ push }) => push));
  checkpoint('after-push');
  const waking = wake(sending, all);
  // Its error counts only for events that are stored.
  waking.catch(() => undefined);
  let states: readonly Sent[] = [];
  try {
    const pushed = await pushing;
    states = pushed === 'unloaded' ? all.map(() => pushed) : pushed;
  } finally {
    for (const [index, { push }] of all.entries()) if (states[index] !== 'pending') doubtful.add(push.dedupKey);
  }
  if (!states.includes('pending')) return states;
  try {
    await waking;
    return states;
  } catch (error) {
    return states.map((state) => (state === 'pending' && error instanceof Error ? error : state));
  }
};
