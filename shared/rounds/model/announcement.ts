/**
 * What the forge remembers of a started run while there is no summary: it is written into the commit status, because a
 * new comment would send mail. Change request and head are not part of it: the signature binds it to both.
 */
import { z } from 'zod';
import { RunId } from '../../vocabulary/ids.ts';
import { ReplyScope } from './marker-payload.ts';

const Count = z.number().int().nonnegative().max(1_000_000);

export const Announcement = z.object({
  run: RunId,
  round: Count,
  attempt: Count,
  /** Runs started so far, this one included. */
  runs: Count,
  superseded: Count,
  /** Deadline in epoch seconds. */
  until: z.number().int().nonnegative().max(Number.MAX_SAFE_INTEGER),
  /** Hashes of the input: of target branch and its tip, and of target branch and merge base. `base` null: unknown. */
  tip: z.string().regex(/^[\w-]{8}$/),
  base: z
    .string()
    .regex(/^[\w-]{8}$/)
    .nullable(),
  /** Set for a review of the whole change. */
  full: z.literal(true).optional(),
  /** Set for a run that answers in threads. */
  replies: ReplyScope.optional(),
});
export type Announcement = z.output<typeof Announcement>;
