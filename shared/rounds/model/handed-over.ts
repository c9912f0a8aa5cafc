/** A hand-off that was posted. */
import { z } from 'zod';
import { CommitSha } from '../../vocabulary/ids.ts';

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
