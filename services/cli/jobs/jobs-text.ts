import { explainCode, plainMeaning } from '../../../shared/error-codes/explain.ts';
import type { AgainOutcome, DropOutcome, FailedJob } from '../../../shared/queue/failed-jobs.ts';
import { JOB_STATES, type JobState, type QueueCount } from '../../../shared/queue/queue-counts.ts';
import { escapeForTerminalLine } from '../../../shared/text/visible.ts';
import type { ChangeRequest } from '../../../shared/vocabulary/ids.ts';

export type Listed = { readonly total: number; readonly jobs: readonly FailedJob[] };

export const AGAIN_WORDS: Readonly<Record<AgainOutcome, string>> = {
  queued: 'is queued again',
  unknown: 'does not exist (any more)',
  not_failed: 'is not failed: it waits, runs or is done',
  stale: 'is left alone: nothing waits for it any more. To review the change request again, comment @bot review',
};

export const DROP_WORDS: Readonly<Record<DropOutcome, string>> = {
  dropped: 'is removed',
  unknown: 'does not exist (any more)',
  not_failed: 'is not failed: it waits, runs or is done',
  locked: 'is held by a worker, or belongs to the schedule of the sweep',
};

const HEADINGS: Readonly<Record<JobState, string>> = {
  waiting: 'waiting',
  active: 'active',
  waiting_children: 'for explorers',
  delayed: 'delayed',
  failed: 'failed',
};

const secondsSince = (sinceMs: number | null, nowMs: number): number | null =>
  sinceMs === null ? null : Math.max(0, Math.round((nowMs - sinceMs) / 1000));

const WIDTH = 15;

const row = (cells: readonly string[]): string =>
  cells
    .map((cell) => cell.padEnd(WIDTH))
    .join('')
    .trimEnd();

export const countsText = (counts: readonly QueueCount[], nowMs: number): string => {
  const lines = counts.map(({ queue, states }) => {
    const seconds = secondsSince(states.waiting.sinceMs, nowMs);
    const oldest = seconds === null ? '-' : `${seconds} s`;
    return row([queue, ...JOB_STATES.map((state) => `${states[state].count}`), oldest]);
  });
  const failed = counts.reduce((sum, { states }) => sum + states.failed.count, 0);
  const hint = failed === 0 ? [] : ['', 'fixpoint jobs --failed lists the failed jobs'];
  const head = row(['queue', ...JOB_STATES.map((state) => HEADINGS[state]), 'oldest waiting']);
  return [head, ...lines, ...hint].map((line) => `${line}\n`).join('');
};

const nameOf = ({ forge, projectId, number }: ChangeRequest): string => `${forge}/${projectId}/${number}`;

const failedLines = ({ queue, jobId, code, failedAtMs, attempts, changeRequest, isStale }: FailedJob): string[] => {
  const of = changeRequest === null ? '' : `, change request ${nameOf(changeRequest)}`;
  const times = attempts === 1 ? '1 attempt' : `${attempts} attempts`;
  return [
    `${queue}/${jobId}`,
    `  ${code} at ${new Date(failedAtMs).toISOString()} after ${times}${of}`,
    `  ${plainMeaning(code)}`,
    ...(isStale ? ['  Nothing waits for it any more: running it again would change nothing.'] : []),
  ];
};

export const failedText = ({ total, jobs }: Listed): string => {
  const rest = total - jobs.length;
  const lines = [
    total === 0 ? 'no job has failed' : `${total} failed ${total === 1 ? 'job' : 'jobs'}, the newest first`,
    ...jobs.flatMap(failedLines),
    ...(rest > 0 ? [`and ${rest} more`] : []),
  ];
  return lines.map((line) => `${escapeForTerminalLine(line)}\n`).join('');
};

/** Times are in seconds and ISO 8601. `failed` is null unless it was asked for. */
export const jobsJson = (counts: readonly QueueCount[], listed: Listed | null, nowMs: number) => ({
  queues: counts.map(({ queue, states }) => ({
    queue,
    states: Object.fromEntries(
      JOB_STATES.map((state) => {
        const { count, sinceMs } = states[state];
        return [state, { count, oldestSeconds: secondsSince(sinceMs, nowMs) }];
      }),
    ),
  })),
  failed:
    listed === null
      ? null
      : {
          total: listed.total,
          jobs: listed.jobs.map(({ failedAtMs, changeRequest, ...job }) => ({
            ...job,
            id: `${job.queue}/${job.jobId}`,
            failedAt: new Date(failedAtMs).toISOString(),
            changeRequest: changeRequest === null ? null : nameOf(changeRequest),
            meaning: explainCode(job.code).text,
          })),
        },
});
