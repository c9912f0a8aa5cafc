import type { ForgeId } from '../../shared/vocabulary/ids.ts';
import type { Inbox } from '../../shared/queue/inbox.ts';
import type { WebhookEvent } from '../../shared/webhooks/event.ts';

export type StoredEvent = {
  readonly forge: ForgeId;
  /** The forge's own id of the delivery; null where it sent none. */
  readonly deliveryId: string | null;
  readonly dedupKey: string;
  readonly event: WebhookEvent;
  /** Epoch milliseconds. */
  readonly receivedAtMs: number;
};

/**
 * Contract: `stored` and `duplicate` both mean that the event is safe and a job will look at it. Rejects when that is
 * not certain; then nothing of the delivery is remembered that would hide a second try.
 */
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

/**
 * Calls `onLimit` after `timeoutMs`, counted in turns of the event loop: in a burst the process itself is late, and must
 * not blame the store for answers that it has not read yet. Returns what calls it off.
 */
const startLimit = (timeoutMs: number, onLimit: () => void): (() => void) => {
  let turnsLeft = TURNS;
  const timer = setInterval(() => {
    turnsLeft -= 1;
    if (turnsLeft <= 0) onLimit();
  }, timeoutMs / TURNS);
  return () => clearInterval(timer);
};

/** Never rejects. What is still under way at the limit may be stored later: a second try is then a duplicate. */
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
