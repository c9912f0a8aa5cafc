/** The hand-offs of a change request: what each of them says about which head. */
import { z } from 'zod';
import type { HandoffMarker } from '../text/marker-payload.ts';
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

/** Of one comment: the heads before, and the newest. */
export const headsOf = ({
  closed = [],
  head,
  reason,
}: Pick<HandoffMarker, 'closed' | 'head' | 'reason'>): readonly Pick<HandedOver, 'head' | 'reason'>[] => [
  ...closed,
  { head, reason },
];

/** Oldest first, one per head: a second one for the same head is a double that the poster takes away. */
export const handoffsOf = (own: readonly OwnMarker[]): readonly HandedOver[] => {
  const all = own.flatMap(({ payload, comment }): HandedOver[] => {
    if (payload.kind !== 'handoff') return [];
    const { round } = payload;
    return headsOf(payload).map((each) => ({ ...each, round, atMs: comment.createdAtMs }));
  });
  const oldest = all.toSorted((one, other) => one.atMs - other.atMs);
  return oldest.filter(({ head }, index) => oldest.findIndex((each) => each.head === head) === index);
};
