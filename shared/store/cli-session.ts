/** What is known of the conversation that a reviewer outside of our own loop had about a change request. */
import { z } from 'zod';
import { Outcome } from '../agent/outcome.ts';
import { RunId } from '../vocabulary/ids.ts';
import { Spent } from '../vocabulary/spent.ts';

export const CliSession = z.object({
  v: z.literal(1),
  /** By which the next round goes on with it. */
  id: z.uuid(),
  /** The run that had it last, and how that ended: another execution of the same run asks nothing again. */
  runId: RunId,
  ended: z.object({ outcome: Outcome, spent: Spent }),
});
export type CliSession = z.output<typeof CliSession>;
