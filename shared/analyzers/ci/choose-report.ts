/** Decides whether a review can begin with the report of a CI job, must wait for the job, or begins without the report. */
import type { ArtifactAnalyzer } from '../../config/analyzer-settings.ts';
import type { ReportJob, CiJobs } from '../../forge/port-ci-reports.ts';

/** Epoch milliseconds and durations in milliseconds. */
export type ReportTimes = {
  readonly nowMs: number;
  /** When the head was first seen. */
  readonly firstSeenMs: number;
  /** How long CI may take to create the job. */
  readonly graceMs: number;
  /** How long the job may take to end. */
  readonly deadlineMs: number;
};

export type ReportChoice =
  | { readonly kind: 'wait' }
  | { readonly kind: 'take'; readonly job: ReportJob }
  /** `reason`: the rest of a sentence that begins with the name of the analyzer. */
  | { readonly kind: 'missing'; readonly reason: string };

type Wanted = Pick<ArtifactAnalyzer, 'job'>;

/** A choice never goes back to `wait` for the same job, because a deadline that has passed stays passed. */
export const chooseReport = ({ job: name }: Wanted, { jobs, hidden }: CiJobs, times: ReportTimes): ReportChoice => {
  const job = jobs.find((each) => each.name === name);
  if (job === undefined) return withoutJob(name, hidden, times);
  switch (job.state) {
    case 'passed':
    case 'failed':
      return { kind: 'take', job };
    case 'open':
      return isOverdue(job, times) ? missing(`the CI job "${name}" did not end in time`) : { kind: 'wait' };
    case 'held':
      return missing(`the CI job "${name}" waits for a person to start it`);
    case 'not_run':
      return missing(`the CI job "${name}" was skipped or cancelled`);
    default:
      return job.state satisfies never;
  }
};

const missing = (why: string): ReportChoice => ({ kind: 'missing', reason: `has no report: ${why}` });

const withoutJob = (name: string, hidden: boolean, { nowMs, firstSeenMs, graceMs }: ReportTimes): ReportChoice => {
  if (nowMs < Math.min(firstSeenMs, nowMs) + graceMs) return { kind: 'wait' };
  return missing(
    hidden
      ? "the bot's account may not see the CI jobs of this commit"
      : `this commit has no CI job "${name}" that the bot's account can see`,
  );
};

/** A job that was started again has new time. The clock of the forge may be ahead of this one. */
const isOverdue = ({ createdAtMs }: ReportJob, { nowMs, firstSeenMs, deadlineMs }: ReportTimes): boolean =>
  nowMs >= Math.min(Math.max(createdAtMs, firstSeenMs), nowMs) + deadlineMs;
