import { z } from 'zod';
import { FindingId } from '../../vocabulary/ids.ts';

export const CommandReply = z.discriminatedUnion('kind', [
  z.object({ kind: z.enum(['verdict', 'status', 'help']) }),
  /** The request would need one more round, and no more may be granted. `untilMs`: epoch ms; null: for good. */
  z.object({ kind: z.literal('no_grant'), untilMs: z.number().int().nullable() }),
  z.object({ kind: z.literal('explain'), findingId: FindingId }),
  z.object({ kind: z.literal('misread'), why: z.enum(['arguments', 'no_finding', 'no_reason']) }),
  /** `pauses`: number of pauses and resumes so far; odd while paused. `pending`: a head was waiting for its review. */
  z.object({ kind: z.literal('paused'), pauses: z.number().int().nonnegative(), pending: z.boolean() }),
  z.object({ kind: z.literal('resumed'), pauses: z.number().int().nonnegative() }),
  z.object({
    kind: z.literal('dismissed'),
    findingId: FindingId,
    by: z.number().int(),
    reason: z.string(),
    /** Set when an `[[ignore]]` entry is asked for too. */
    always: z.literal(true).optional(),
  }),
  /** The finding was closed before, and an `[[ignore]]` entry is asked for. */
  z.object({ kind: z.literal('proposed'), findingId: FindingId, reason: z.string() }),
  z.object({ kind: z.enum(['unknown_finding', 'closed_already']), findingId: FindingId }),
]);
export type CommandReply = z.output<typeof CommandReply>;

/** The count only rises, so restoring an older edit of the summary neither pauses nor resumes. */
export const isPaused = (pauses: number): boolean => pauses % 2 === 1;
