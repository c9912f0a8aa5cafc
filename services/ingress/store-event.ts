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

/** Counts event loop turns, because this process reads responses late in a burst. Returns a function that cancels the timer. */
const startLimit = (timeoutMs: number, onLimit: () => void): (() => void) => {
  let turnsLeft = TURNS;
  const timer = setInterval(() => {
    turnsLeft -= 1;
    if (turnsLeft <= 0) onLimit();
  }, timeoutMs / TURNS);
  return () => clearInterval(timer);
};

/** Never rejects. After `unavailable`, the event may have been stored anyway; a retry is then a duplicate. */
export const storeWithin = async (
  timeoutMs: number,
  storeEvent: StoreEvent,
  event: StoredEvent,
): Promise<StoreOutcome> => {
  let callOff = (): void => {};
  const late = new Promise<StoreOutcome>((resolve) => {
    callOff = startLimit(timeoutMs, () => resolve({ kind: 'unavailable', cause: 'the store did not answer in time' }));
  });
  try {
    return await Promise.race([storing(storeEvent, event), late]);
  } finally {
    callOff();
  }
};

const storing = async (storeEvent: StoreEvent, event: StoredEvent): Promise<StoreOutcome> => {
  try {
    return { kind: await storeEvent(event) };
  } catch (cause) {
    return { kind: 'unavailable', cause };
  }
};
