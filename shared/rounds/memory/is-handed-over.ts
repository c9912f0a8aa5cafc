/** Whether a person must decide something about an open change request, by what the forge shows. */
import type { Facts } from '../model/facts.ts';
import { stillBlocks } from '../model/blocking.ts';
import { isSettled } from '../model/thread.ts';

/** A hand-off of the head counts until a later review of the change request is complete. */
export const isHandedOver = ({ changeRequest, history }: Pick<Facts, 'changeRequest' | 'history'>): boolean => {
  if (changeRequest?.state !== 'open') return false;
  const { threads, handoffs, reviewsDone } = history;
  return (
    threads.some((thread) => isSettled(thread) && stillBlocks(thread)) ||
    handoffs.some(({ head, review }) => head === changeRequest.head && review >= reviewsDone)
  );
};
