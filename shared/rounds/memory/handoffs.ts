import type { HandoffMarker } from '../model/marker-payload.ts';
import { type Input, inputKey } from '../model/input.ts';
import { inputOfMarker } from './input-of-marker.ts';
import type { OwnMarker } from './own-markers.ts';
import type { HandedOver } from '../model/history.ts';

export type CalledFor = { readonly input: Input; readonly reason: string };

/** Returns the inputs of one hand-off comment, the newest last. */
export const calledFor = (marker: HandoffMarker): readonly CalledFor[] =>
  [...(marker.closed ?? []), marker].map((each) => ({ input: inputOfMarker(each), reason: each.reason }));

/**
 * Returns the hand-offs, oldest first and one per input. A second hand-off for the same input is a duplicate, which the
 * poster deletes.
 */
export const handoffsOf = (own: readonly OwnMarker[]): readonly HandedOver[] => {
  const all = own.flatMap(({ payload, comment }) => {
    if (payload.kind !== 'handoff') return [];
    const { review } = payload;
    const { createdAtMs: atMs } = comment;
    return calledFor(payload).map(({ input, reason }) => ({
      key: inputKey(input),
      handedOver: { head: input.head, review, reason, atMs },
    }));
  });
  const newestFirst = all.toReversed().toSorted((one, other) => other.handedOver.atMs - one.handedOver.atMs);
  return [...new Map(newestFirst.map(({ key, handedOver }) => [key, handedOver])).values()].toReversed();
};
