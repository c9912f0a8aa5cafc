import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createStoreEvent, createStoreWithin, type StoredEvent } from '../../../services/ingress/store-event.ts';
import type { InboxDelivery } from '../../../shared/queue/inbox.ts';

const EVENT: StoredEvent = {
  forge: 'code',
  deliveryId: 'id-1',
  dedupKey: 'e'.repeat(64),
  event: {
    projectId: 3,
    number: 7,
    kind: 'comment',
    head: null,
    noteId: 99,
    actorId: 11,
    requestedReviewerId: null,
    threadHint: null,
  },
  receivedAtMs: 1_000,
};

/** As a burst of other work would: nothing is read from any socket meanwhile. */
const block = (ms: number): void => {
  const endMs = performance.now() + ms;
  while (performance.now() < endMs);
};

describe('storeWithin', () => {
  it('does not blame the store for the lateness of the process itself', async () => {
    const store = async (): Promise<'stored'> => {
      block(120);
      await setImmediate();
      return 'stored';
    };
    expect(await createStoreWithin(50)(store, EVENT)).toEqual({ kind: 'stored' });
  });

  it('gives up on a store that does not answer', async () => {
    const outcome = await createStoreWithin(20)(async () => new Promise(() => {}), EVENT);
    expect(outcome).toEqual({ kind: 'unavailable', cause: 'the store did not answer in time' });
  });

  it('needs one timer for all requests that wait', async () => {
    const timers = (): number => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    const [before, within] = [timers(), createStoreWithin(50)];
    const waiting = Array.from({ length: 20 }, async () => within(async () => new Promise(() => {}), EVENT));
    expect(timers()).toBeLessThanOrEqual(before + 1);
    expect(new Set((await Promise.all(waiting)).map(({ kind }) => kind))).toEqual(new Set(['unavailable']));
  });

  it('leaves nothing behind that fails later', async () => {
    let fail = (_cause: Error): void => {};
    const store = async (): Promise<'stored'> => new Promise((_resolve, reject) => (fail = reject));
    await createStoreWithin(5)(store, EVENT);
    fail(new Error('too late'));
    await setImmediate();
  });

  it('tells why storing failed', async () => {
    const cause = new Error('gone');
    expect(await createStoreWithin(50)(async () => Promise.reject(cause), EVENT)).toEqual({
      kind: 'unavailable',
      cause,
    });
  });
});

describe('createStoreEvent', () => {
  it('hands the inbox an event of the change request under its meaning', async () => {
    const delivered: InboxDelivery[] = [];
    const deliver = async (delivery: InboxDelivery): Promise<'stored'> => {
      delivered.push(delivery);
      return 'stored';
    };
    expect(await createStoreEvent({ deliver })(EVENT)).toBe('stored');
    expect(delivered).toEqual([
      {
        changeRequest: { forge: 'code', projectId: 3, number: 7 },
        event: {
          id: EVENT.dedupKey,
          atMs: 1_000,
          source: 'forge',
          kind: 'comment',
          head: null,
          noteId: 99,
          actorId: 11,
          requestedReviewerId: null,
        },
        dedupKey: EVENT.dedupKey,
        deliveryId: 'id-1',
      },
    ]);
  });
});
