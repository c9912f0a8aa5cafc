/** The CLI's conversation about a change request. */
import { z } from 'zod';
import { Outcome } from '../agent/outcome.ts';
import { RunId } from '../vocabulary/ids.ts';
import { Spent } from '../vocabulary/spent.ts';

export const CliSession = z.object({
  v: z.literal(1),
  /** Id with which the next review resumes the conversation. */
  id: z.uuid(),
  /** The run that used it last. `ended` is its result: a repeated execution of this run returns it without a new call. */
  runId: RunId,
  ended: z.object({ outcome: Outcome, spent: Spent }),
});
export type CliSession = z.output<typeof CliSession>;
