/** The hand-offs that stand on a change request: each called a human at one head. */
import { z } from 'zod';
import { inputKey } from './input.ts';
import type { OwnMarker } from './history.ts';
import { CommitSha } from './vocabulary.ts';

export const HandedOver = z.object({
  head: CommitSha,
  /** The round that it was said in, or after. */
  round: z.number().int().nonnegative(),
  /** Short code, such as `max_rounds_exceeded`. */
  reason: z.string(),
  /** When it was said, epoch ms by the clock of the forge. */
  atMs: z.number().int().nonnegative(),
});
export type HandedOver = z.output<typeof HandedOver>;

/** Oldest first, one per input: a second one for the same input is a double that the poster takes away. */
export const handoffsOf = (own: readonly OwnMarker[]): readonly HandedOver[] => {
  const all = own.flatMap(({ payload, comment }) => {
    if (payload.kind !== 'handoff') return [];
    const { head, target, mergeBase: base, round, reason } = payload;
    const key = inputKey({ head, target, base });
    return [{ key, handedOver: { head, round, reason, atMs: comment.createdAtMs } }];
  });
  const newestFirst = all.toSorted((one, other) => other.handedOver.atMs - one.handedOver.atMs);
  return [...new Map(newestFirst.map(({ key, handedOver }) => [key, handedOver])).values()].toReversed();
};
