import { hashInput } from '../memory/announcement-url.ts';
import type { Announcement } from '../model/run.ts';
import type { Policy } from '../model/policy.ts';
import type { Run } from '../model/run.ts';

type Counted = Pick<Announcement, 'runs' | 'superseded' | 'until' | 'full' | 'replies'>;

export const announcementOf = (run: Run, counted: Counted): Announcement => ({
  run: run.runId,
  review: run.review,
  attempt: run.attempt,
  ...hashInput(run),
  ...counted,
});

/**
 * The deadline in epoch seconds. The run gets a new deadline when it begins. This deadline determines when the run is
 * retried if Redis has been lost.
 */
export const announcedUntil = (
  { deadlineMs }: Pick<Run, 'deadlineMs'>,
  { postTimeoutMs, runTimeoutMs }: Pick<Policy, 'postTimeoutMs' | 'runTimeoutMs'>,
): number => Math.ceil((deadlineMs - postTimeoutMs + runTimeoutMs) / 1000);
