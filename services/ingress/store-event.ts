import type { ForgeId } from '../../shared/rounds/vocabulary.ts';
import type { Inbox } from '../../shared/store/inbox.ts';
import type { WebhookEvent } from '../../shared/webhooks/event.ts';

export type StoredEvent = {
  readonly forge: ForgeId;
  /** The forge's own id of the delivery; null where it sent none. */
  readonly deliveryId: string | null;
  readonly meaningKey: string;
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
  async ({ forge, deliveryId, meaningKey, event, receivedAtMs }) =>
    inbox.deliver({
      changeRequest: { forge, projectId: event.projectId, number: event.number },
      event: {
        id: meaningKey,
        atMs: receivedAtMs,
        source: 'forge',
        kind: event.kind,
        head: event.head,
        noteId: event.noteId,
        actorId: event.actorId,
        requestedReviewerId: event.requestedReviewerId,
      },
      meaning: meaningKey,
      deliveryId,
    });

export type StoreOutcome =
  | { readonly kind: 'stored' | 'duplicate' }
  | { readonly kind: 'unavailable'; readonly cause: unknown };

/** Never rejects. What is still under way at the limit may be stored later: a second try is then a duplicate. */
export const storeWithin = async (
  timeoutMs: number,
  storeEvent: StoreEvent,
  event: StoredEvent,
): Promise<StoreOutcome> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<StoreOutcome>((resolve) => {
    timer = setTimeout(() => resolve({ kind: 'unavailable', cause: 'the store did not answer in time' }), timeoutMs);
  });
  try {
    return await Promise.race([storing(storeEvent, event), late]);
  } finally {
    clearTimeout(timer);
  }
};

const storing = async (storeEvent: StoreEvent, event: StoredEvent): Promise<StoreOutcome> => {
  try {
    return { kind: await storeEvent(event) };
  } catch (cause) {
    return { kind: 'unavailable', cause };
  }
};
