/** Asks guard for a review of one change request, and waits until no work is in progress. */
import { randomBytes } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { Config } from '../../shared/config/load.ts';
import type { Account } from '../../shared/forge/port-facts.ts';
import { createQueues } from '../../shared/queue/enqueue.ts';
import { createInbox, type Inbox } from '../../shared/queue/inbox.ts';
import type { GuardState } from '../../shared/rounds/model/state.ts';
import { createDecisions } from '../../shared/store/decisions.ts';
import { createGuardStates } from '../../shared/store/guard-states.ts';
import { createKeys } from '../../shared/store/keys.ts';
import type { ChangeRequest } from '../../shared/vocabulary/ids.ts';

export type AskedReview = { readonly config: Config; readonly of: ChangeRequest; readonly redis: Redis };

const LOOK_MS = 250;

const withInbox = async ({ config, redis }: AskedReview, work: (inbox: Inbox) => Promise<unknown>): Promise<void> => {
  const keys = createKeys(config.redis.prefix);
  const queues = createQueues(redis, keys.queues, config.queues);
  try {
    await work(createInbox(redis, keys, queues.enqueue));
  } finally {
    await queues.close();
  }
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

export const isAtRest = async (asked: AskedReview): Promise<boolean> => {
  const state = await settledState(asked);
  return state !== null && isIdle(state);
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
