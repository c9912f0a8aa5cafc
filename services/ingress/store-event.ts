import type { ForgeId } from '../../shared/vocabulary/ids.ts';
import type { Inbox } from '../../shared/queue/inbox.ts';
import type { WebhookEvent } from '../../shared/webhooks/event.ts';

export type StoredEvent = {
  readonly forge: ForgeId;
  /** Null if the forge sent no delivery id. */
  readonly deliveryId: string | null;
  readonly dedupKey: string;
  readonly event: WebhookEvent;
  readonly receivedAtMs: number;
};

/** Contract: after `stored` and `duplicate` the event is stored and has a job. If this rejects, a retry does not count as a duplicate. */
export type StoreEvent = (event: StoredEvent) => Promise<'stored' | 'duplicate'>;

export const createStoreEvent =
  (inbox: Pick<Inbox, 'deliver'>): StoreEvent =>
  async ({ forge, deliveryId, dedupKey, event, receivedAtMs }) =>
    inbox.deliver({
      changeRequest: { forge, projectId: event.projectId, number: event.number },
      event: {
        id: dedupKey,
        atMs: receivedAtMs,
        source: 'forge',
        kind: event.kind,
        head: event.head,
        noteId: event.noteId,
        actorId: event.actorId,
        ...(event.actorLogin === undefined ? {} : { actorLogin: event.actorLogin }),
        requestedReviewerId: event.requestedReviewerId,
      },
      dedupKey: dedupKey,
      deliveryId,
    });

export type StoreOutcome =
  | { readonly kind: 'stored' | 'duplicate' }
  | { readonly kind: 'unavailable'; readonly cause: unknown };

const TURNS = 5;

type Waiting = { turnsLeft: number; readonly giveUp: () => void };

/**
 * One timer for all waiting requests. It counts event loop turns, because this process reads responses late in a burst. The
 * first turn may come early, so it does not count. Returns a function that ends the wait.
 */
const createLimit = (timeoutMs: number): ((giveUp: () => void) => () => void) => {
  const waiting = new Set<Waiting>();
  let timer: NodeJS.Timeout | null = null;
  const turn = (): void => {
    for (const each of waiting) {
      each.turnsLeft -= 1;
      if (each.turnsLeft < 0) each.giveUp();
    }
    if (waiting.size > 0 || timer === null) return;
    clearInterval(timer);
    timer = null;
  };
  return (giveUp) => {
    const one = { turnsLeft: TURNS, giveUp };
    waiting.add(one);
    timer ??= setInterval(turn, timeoutMs / TURNS);
    return () => waiting.delete(one);
  };
};

export type StoreWithin = (storeEvent: StoreEvent, event: StoredEvent) => Promise<StoreOutcome>;

/** Never rejects. After `unavailable`, the event may have been stored anyway; a retry is then a duplicate. */
export const createStoreWithin = (timeoutMs: number): StoreWithin => {
  const startLimit = createLimit(timeoutMs);
  return async (storeEvent, event) =>
    new Promise((resolve) => {
      const end = startLimit(() => {
        end();
        resolve({ kind: 'unavailable', cause: 'the store did not answer in time' });
      });
      void storing(storeEvent, event).then((outcome) => {
        end();
        resolve(outcome);
      });
    });
};

const storing = async (storeEvent: StoreEvent, event: StoredEvent): Promise<StoreOutcome> => {
  try {
    return { kind: await storeEvent(event) };
  } catch (cause) {
    return { kind: 'unavailable', cause };
  }
};
