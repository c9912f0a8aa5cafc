/** Asks guard for a review of one change request, and waits until no work is in progress. */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Job } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Config } from '../../shared/config/load.ts';
import type { Account } from '../../shared/forge/port-facts.ts';
import { PostJob } from '../../shared/queue/contracts.ts';
import { createQueues, type Queues } from '../../shared/queue/enqueue.ts';
import { createInbox, type Inbox } from '../../shared/queue/inbox.ts';
import type { GuardState } from '../../shared/rounds/model/state.ts';
import { createDecisions } from '../../shared/store/decisions.ts';
import { createGuardStates } from '../../shared/store/guard-states.ts';
import { createKeys, type Keys } from '../../shared/store/keys.ts';
import { type ChangeRequest, changeRequestKey } from '../../shared/vocabulary/ids.ts';

export type AskedReview = { readonly config: Config; readonly of: ChangeRequest; readonly redis: Redis };

const LOOK_MS = 250;

const withQueues = async <Result>(
  { config, redis }: AskedReview,
  work: (queues: Queues, keys: Keys) => Promise<Result>,
): Promise<Result> => {
  const keys = createKeys(config.redis.prefix);
  const queues = createQueues(redis, keys.queues, config.queues);
  try {
    return await work(queues, keys);
  } finally {
    await queues.close();
  }
};

const withInbox = async (asked: AskedReview, work: (inbox: Inbox) => Promise<unknown>): Promise<void> => {
  await withQueues(asked, async (queues, keys) => work(createInbox(asked.redis, keys, queues.enqueue)));
};

/** Drafts, filters and the quiet time do not delay this request, as for a commander's request. */
export const askGuard = async (asked: AskedReview, bot: Pick<Account, 'id'>): Promise<void> => {
  const id = `api-${randomBytes(8).toString('hex')}`;
  await withInbox(asked, async (inbox) =>
    inbox.deliver({
      changeRequest: asked.of,
      event: {
        source: 'forge',
        kind: 'review_requested',
        id,
        atMs: Date.now(),
        head: null,
        noteId: null,
        actorId: null,
        requestedReviewerId: bot.id,
        byOperator: true,
      },
      dedupKey: id,
      deliveryId: null,
    }),
  );
};

/** Makes guard read the forge again. */
export const wakeGuard = async (asked: AskedReview): Promise<void> => {
  const event = { source: 'wake', id: `look-${randomBytes(8).toString('hex')}`, atMs: Date.now() } as const;
  await withInbox(asked, async (inbox) => inbox.notify(asked.of, event));
};

/** Guard's state once its inbox is empty, otherwise null. The inbox is read first, so the state includes all its events. */
export const settledState = async ({ config, of, redis }: AskedReview): Promise<GuardState | null> => {
  const keys = createKeys(config.redis.prefix);
  if ((await redis.llen(keys.ofChangeRequest(of, 'inbox'))) > 0) return null;
  return createGuardStates(redis, keys).load(of);
};

export const isIdle = ({ running, wanted, quiet, outbox }: GuardState): boolean =>
  running === null && wanted === null && quiet === null && outbox.length === 0;

/** True while the poster has something to write. Guard does not wait for a notice about a cap or for a status. */
export const isPosting = async (asked: AskedReview): Promise<boolean> =>
  withQueues(asked, async (queues) => {
    const jobs = await queues.queue('post').getJobs(['waiting', 'prioritized', 'active', 'delayed']);
    const wanted = changeRequestKey(asked.of);
    // A job that ended while the list was read is missing in it.
    const payloads = jobs.map((job: Job | undefined) => PostJob.safeParse(job?.data).data);
    return payloads.some((payload) => payload !== undefined && changeRequestKey(payload.changeRequest) === wanted);
  });

export const isAtRest = async (asked: AskedReview): Promise<boolean> => {
  const state = await settledState(asked);
  return state !== null && isIdle(state) && !(await isPosting(asked));
};

/** The reason for guard's last decision since `sinceMs`, in words. */
export const lastReason = async ({ config, of, redis }: AskedReview, sinceMs: number): Promise<string> => {
  const records = await createDecisions(redis, createKeys(config.redis.prefix)).list(of);
  const about = records.filter(({ atMs, effect }) => atMs >= sinceMs && effect !== 'write_status');
  return about.at(-1)?.reason ?? 'guard gave no reason';
};

export const untilKnown = async <Value>(look: () => Promise<Value | null>, signal: AbortSignal): Promise<Value> => {
  for (;;) {
    const found = await look();
    if (found !== null) return found;
    await delay(LOOK_MS, undefined, { signal });
  }
};
