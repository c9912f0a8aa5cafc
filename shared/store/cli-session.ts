/** The CLI's conversation about a change request. */
import { z } from 'zod';
import { Outcome } from '../agent/outcome.ts';
import { RunId } from '../vocabulary/ids.ts';
import { Spent } from '../vocabulary/spent.ts';

export const CliSession = z.object({
  v: z.literal(1),
  /** The id by which the next review resumes the conversation. */
  id: z.uuid(),
  /** The last run that used the session. A repeated execution of this run returns its result `ended` without a new call. */
  runId: RunId,
  ended: z.object({ outcome: Outcome, spent: Spent, boundary: z.string() }),
});
export type CliSession = z.output<typeof CliSession>;
