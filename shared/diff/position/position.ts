import { z } from 'zod';
import { Side } from '../../vocabulary/finding.ts';

/**
 * A line of a diff with its numbers on both sides. An added line has no `oldLine`, a removed line no `newLine`, a context
 * line has both. `lineCodeOld` and `lineCodeNew` are the running counters of both sides at that line, which some forges
 * also need for added and removed lines. All count from 1; a counter is 0 if its side has no file or an empty file.
 */
export const PositionLine = z
  .object({
    kind: z.enum(['added', 'removed', 'context']),
    oldLine: z.number().int().positive().nullable(),
    newLine: z.number().int().positive().nullable(),
    lineCodeOld: z.number().int().nonnegative(),
    lineCodeNew: z.number().int().nonnegative(),
  })
  .readonly();
export type PositionLine = z.output<typeof PositionLine>;

/** Location of an inline comment. `start` equals `end` for a single line; a forge shows the comment under `end`. */
export const Position = z
  .object({ oldPath: z.string(), newPath: z.string(), side: Side, start: PositionLine, end: PositionLine })
  .readonly();
export type Position = z.output<typeof Position>;
