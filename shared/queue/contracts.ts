/**
 * The six queues. A payload contains only ids and hashes; the data of a job is read from the forge, git or the store.
 * Payloads are versioned, because older code may have written a job. One golden payload per version is kept for ever in
 * `test/shared/queue/`.
 */
import { z } from 'zod';
import { NotifyEvent } from '../notify/event.ts';
import { InboxEvent } from '../rounds/model/events.ts';
import { ChangeRequest, CommitSha, RunId } from '../vocabulary/ids.ts';
import { HookName } from '../vocabulary/notify.ts';

const v = z.literal(1);

/** `jobId`: of the `wake` job. Wake-ups with the same id are one job. */
const WakeUp = z.object({ changeRequest: ChangeRequest, jobId: z.string().min(1).max(1_000) });
export type WakeUp = z.output<typeof WakeUp>;

export const MAX_WAKE_UPS = 64;

/**
 * `wake`: events wait in the inbox. `wake_all`: events wait in several inboxes, and guard adds a `wake` for each. `event`: a
 * delayed event, which guard first puts into the inbox.
 */
export const GuardJob = z.discriminatedUnion('kind', [
  z.object({ v, kind: z.literal('wake'), changeRequest: ChangeRequest }),
  z.object({ v, kind: z.literal('wake_all'), wakeUps: z.array(WakeUp).max(MAX_WAKE_UPS) }),
  z.object({ v, kind: z.literal('event'), changeRequest: ChangeRequest, event: InboxEvent }),
  z.object({ v, kind: z.literal('sweep') }),
]);
export type GuardJob = z.output<typeof GuardJob>;

const ReviewBudget = z.object({
  maxTurns: z.number().int().positive().max(100),
  maxRuntimeS: z.number().int().positive().max(7200),
});

export const ReviewJob = z.object({
  v,
  changeRequest: ChangeRequest,
  runId: RunId,
  head: CommitSha,
  review: z.number().int().positive(),
  attempt: z.number().int().positive(),
  /** If true, the run continues even if the head moves. Set after two supersessions in a row. */
  mustFinish: z.boolean(),
  budget: ReviewBudget,
});
export type ReviewJob = z.output<typeof ReviewJob>;

/**
 * The question is stored under `questionId`: `runId-turn-n` for an explorer, `runId-find-n` for a finder,
 * `runId-verify-n` for a verifier. In a part of a large change, `runId` is followed by `-part-m`.
 */
export const ExploreJob = z.object({
  v,
  changeRequest: ChangeRequest,
  runId: RunId,
  head: CommitSha,
  questionId: z.string().regex(/^[0-9a-z]{12,40}(?:-part-\d{1,3})?-(?:\d{1,3}|find|verify)-\d{1,3}$/),
  budget: ReviewBudget,
});
export type ExploreJob = z.output<typeof ExploreJob>;

export const PostJob = z.object({
  v,
  changeRequest: ChangeRequest,
  runId: RunId,
  planId: z.string().regex(/^[0-9a-z-]{12,200}$/),
  budget: z.object({
    maxWrites: z.number().int().positive().max(10_000),
    maxRuntimeS: z.number().int().positive().max(3600),
  }),
});
export type PostJob = z.output<typeof PostJob>;

export const FixJob = z.object({
  v,
  changeRequest: ChangeRequest,
  runId: RunId,
  head: CommitSha,
  review: z.number().int().positive(),
  budget: ReviewBudget,
});
export type FixJob = z.output<typeof FixJob>;

/** `event`: find the receivers that want the event. `delivery`: send the event to one of them. */
export const NotifyJob = z.discriminatedUnion('kind', [
  z.object({ v, kind: z.literal('event'), event: NotifyEvent }),
  z.object({ v, kind: z.literal('delivery'), hook: HookName, event: NotifyEvent }),
]);
export type NotifyJob = z.output<typeof NotifyJob>;

export type QueueContract<Payload> = {
  readonly name: string;
  readonly payload: z.ZodType<Payload>;
  /** Maximum executions of a failing handler. An execution whose process died does not count: see `maxDeaths`. */
  readonly attempts: number;
  /**
   * How many executions may end without a result because the process died or lost the lock of the job. Then the job
   * fails without another execution.
   */
  readonly maxDeaths: number;
  /** Whether the deaths of this job are counted. Absent: those of every job are. */
  readonly countsDeaths?: (payload: Payload) => boolean;
  /**
   * If true, a job during which a process died is executed while no other such job of the queue is: each process that dies
   * takes the jobs beside with it, which would otherwise be counted together. Only for jobs that are short.
   */
  readonly aloneAfterDeath?: true;
  /** First delay of the exponential backoff with jitter. */
  readonly backoffMs: number;
  /** Wall time of one execution. After that time the signal aborts and the execution fails. */
  readonly timeoutMs: number;
  /** How long an ended job is kept. During this time its id deduplicates new jobs. */
  readonly keepCompletedS: number;
  readonly keepFailedS: number;
};

const HOUR_S = 3600;

/** Failed jobs that a queue keeps, at most. The oldest are removed first. */
export const MAX_FAILED_JOBS = 1_000;

/** What kills one process kills the next one, and every job that runs beside. */
export const MAX_DEATHS = 3;

export const QUEUES = {
  guard: queue('guard', GuardJob, {
    attempts: 8,
    backoffMs: 500,
    timeoutMs: 120_000,
    // Guard counts the others itself, for each change request: see `death-watch.ts`.
    countsDeaths: ({ kind }) => kind === 'sweep',
  }),
  review: queue('review', ReviewJob, { attempts: 3, backoffMs: 1_000, timeoutMs: 7_200_000 }),
  explore: queue('explore', ExploreJob, { attempts: 2, backoffMs: 1_000, timeoutMs: 1_800_000 }),
  post: queue('post', PostJob, { attempts: 8, backoffMs: 1_000, timeoutMs: 900_000, aloneAfterDeath: true }),
  fix: queue('fix', FixJob, { attempts: 2, backoffMs: 1_000, timeoutMs: 7_200_000 }),
  // The last of 18 attempts is 18 to 36 hours after the first. An event that is raised again within a week counts as the same.
  notify: queue('notify', NotifyJob, {
    attempts: 18,
    backoffMs: 1_000,
    timeoutMs: 120_000,
    aloneAfterDeath: true,
    keepCompletedS: 7 * 24 * HOUR_S,
  }),
} as const;

export type QueueName = keyof typeof QUEUES;
export type PayloadOf<Name extends QueueName> = z.output<(typeof QUEUES)[Name]['payload']>;

function queue<Payload>(
  name: string,
  payload: z.ZodType<Payload>,
  limits: Pick<QueueContract<Payload>, 'attempts' | 'countsDeaths' | 'aloneAfterDeath' | 'backoffMs' | 'timeoutMs'> & {
    readonly keepCompletedS?: number;
  },
): QueueContract<Payload> {
  return { name, payload, maxDeaths: MAX_DEATHS, keepCompletedS: HOUR_S, keepFailedS: 7 * 24 * HOUR_S, ...limits };
}
