import { DelayedError, Job, UnrecoverableError, WaitingChildrenError, Worker } from 'bullmq';
import type { Redis } from 'ioredis';
import type { Logger } from 'pino';
import { type Outage, type Trouble, troubleOf } from '../outage/outage.ts';
import type { OutageStore } from '../outage/outages.ts';
import type { MistakeStore } from '../outage/mistakes.ts';
import type { WorkerAlarms } from './alarms.ts';
import { type PayloadOf, QUEUES, type QueueName } from './contracts.ts';
import { withTimeLimit } from '../time-limit.ts';
import { type Alone, countSurvival, LOCK_LOST, watchDeaths } from './deaths.ts';
import { withAbort } from '../with-abort.ts';
import { errorCodeOf, dispositionOf, FinalJobError, JobRefusedError } from './job-errors.ts';
import { inFailureSpan, inJobSpan } from './job-span.ts';

/** Results of a handler. None of them uses up an attempt. */
export type HandlerResult =
  | { readonly kind: 'done' }
  /** Somebody else holds the lock, so the job is retried after the delay. */
  | { readonly kind: 'defer'; readonly delayMs: number }
  /** Children were added through `context.job`. The job releases its slot until they have ended. */
  | { readonly kind: 'wait_for_children' };

export type JobContext = {
  readonly signal: AbortSignal;
  readonly log: Logger;
  /** The library's job, for children and progress. Contract: it holds no business data. */
  readonly job: Job;
  readonly attempt: number;
};

/** Contract: must be idempotent; throws `AppError` for expected failures; every wait inside takes `signal`. */
export type Handler<Name extends QueueName> = (payload: PayloadOf<Name>, context: JobContext) => Promise<HandlerResult>;

export type WorkerOptions<Name extends QueueName> = {
  readonly name: Name;
  readonly connection: Redis;
  readonly prefix: string;
  readonly concurrency: number;
  readonly lockMs: number;
  readonly stalledMs: number;
  readonly log: Logger;
  readonly handle: Handler<Name>;
  /**
   * Called once when a job has finally failed. `trouble` is an outage that lasted longer than the job may wait, or a
   * configuration error that failed the job at once. It is null for any other failure.
   * Contract: idempotent. If it rejects, the sweep detects the failed job later.
   */
  readonly onExhausted?: (payload: PayloadOf<Name>, code: string, trouble: Trouble | null) => Promise<void>;
  /** The store of outages. Without it, an outage is handled like any other error. */
  readonly outages?: OutageStore;
  /** Records each job that failed because of a configuration error. */
  readonly mistakes?: Pick<MistakeStore, 'meet'>;
  /** Notifies the operator. When absent, nobody is notified. */
  readonly alarms?: WorkerAlarms;
  /** If absent, jobs during which processes died are executed beside each other. */
  readonly alone?: Alone;
  /** Called when a job starts to wait. Contract: idempotent. If it rejects, the execution fails. */
  readonly onOutage?: (payload: PayloadOf<Name>, outage: Outage) => Promise<void>;
  /** Called at the first execution of a job, with the time since the job was due. */
  readonly onBegun?: (waitedSeconds: number) => void;
  readonly onEnded?: (seconds: number, outcome: 'done' | 'failed') => void;
  /** Called when a job has failed for good. */
  readonly onFailed?: (code: string) => void;
};

export type RunningWorker = {
  /** Takes no new job and waits for running jobs. At the deadline, aborts them and returns unfinished jobs to the queue. */
  close(deadlineMs: number): Promise<void>;
};

/** Practically no limit: `refuseDeadly` applies ours, because the library would fail a job without a report to guard. */
const MAX_STALLS = 1_000;

/** Cancels the job unless Redis has lost it. In that case no other worker has it, and guard waits for its report. */
const cancelIfTaken = async (worker: Worker, jobId: string): Promise<void> => {
  if ((await Job.fromId(worker, jobId)) !== undefined) worker.cancelJob(jobId, LOCK_LOST);
};

export const startWorker = <Name extends QueueName>(options: WorkerOptions<Name>): RunningWorker => {
  const stopping = new AbortController();
  const worker = new Worker(
    QUEUES[options.name].name,
    // The library passes its signal only to processors that declare three parameters.
    async (job: Job, token: string | undefined, signal: AbortSignal | undefined) =>
      countSurvival(
        options,
        { job, signal },
        withAbort([stopping.signal, ...(signal === undefined ? [] : [signal])], async (either) =>
          execute(options, job, token ?? '', either.signal),
        ),
      ),
    {
      connection: options.connection,
      prefix: options.prefix,
      concurrency: options.concurrency,
      lockDuration: options.lockMs,
      stalledInterval: options.stalledMs,
      maxStalledCount: MAX_STALLS,
    },
  );
  worker.on('error', (error) => options.log.warn({ err: error }, wordsFor(error)));
  // The library only reports a failed renewal. Unless the job is cancelled, two workers execute it at once.
  worker.on('lockRenewalFailed', (jobIds) => {
    for (const jobId of jobIds) {
      cancelIfTaken(worker, jobId).catch((cause: unknown) => {
        options.log.warn({ err: cause, jobId }, 'could not check who holds the lock of a job');
      });
    }
  });
  worker.on('failed', (job, error) => {
    if (job === undefined || !isFinal(job, error)) return;
    reportExhausted(options, job, error).catch((cause: unknown) => {
      options.log.error({ err: cause, jobId: job.id }, 'could not report an exhausted job');
    });
  });
  return { close: async (deadlineMs) => drain(worker, stopping, deadlineMs) };
};

/** Error codes of the queue library's scripts: https://api.docs.bullmq.io/enums/v5.ErrorCode.html */
const JOB_IS_GONE: ReadonlySet<unknown> = new Set([-1, -2, -6]);

export const wordsFor = ({ code }: Error & { readonly code?: unknown }): string =>
  JOB_IS_GONE.has(code)
    ? 'a job is gone from Redis, or another worker has it: its result is dropped'
    : 'queue connection trouble';

const execute = async <Name extends QueueName>(
  options: WorkerOptions<Name>,
  job: Job,
  token: string,
  signal: AbortSignal,
): Promise<void> => {
  const contract = QUEUES[options.name];
  const startedAt = performance.now();
  const seconds = (): number => (performance.now() - startedAt) / 1000;
  const log = options.log.child({ queue: options.name, jobId: job.id });
  if (job.attemptsStarted <= 1) options.onBegun?.(secondsSinceDue(job));
  try {
    const payload = parsePayload(options.name, job.data);
    const handle = await watchDeaths(options, { job, payload }, async (limited) =>
      inJobSpan(options.name, job, async () =>
        options.handle(payload, { signal: limited, log, job, attempt: job.attemptsMade + 1 }),
      ),
    );
    const result = (await withTimeLimit({ ms: contract.timeoutMs, signal }, handle)) ?? BUSY;
    if (job.attemptsStarted > 1) await options.outages?.passed(jobKeyOf(options.name, job));
    await translateResult(result, job, token);
    options.onEnded?.(seconds(), 'done');
  } catch (error) {
    if (error instanceof DelayedError || error instanceof WaitingChildrenError) throw error;
    options.onEnded?.(seconds(), 'failed');
    log.warn({ err: error, code: errorCodeOf(error), attempt: job.attemptsMade + 1 }, 'job execution failed');
    await waitForOutage(options, error, job, token);
    await noteMistake(options, error, job);
    await tellFailure(options, error, job);
    await translateError(error, job, token);
  }
};

/** Another job during which a process died is being executed. */
const BUSY: HandlerResult = { kind: 'defer', delayMs: 500 };

const secondsSinceDue = (job: Job): number =>
  Math.max(0, (job.processedOn ?? job.timestamp) - job.timestamp - (job.opts.delay ?? 0)) / 1000;

const jobKeyOf = (name: QueueName, job: Job): string => `${name}.${job.id ?? ''}`;

/** Delays the job during an outage. A delayed job holds no slot and uses up no attempt. */
const waitForOutage = async <Name extends QueueName>(
  options: WorkerOptions<Name>,
  error: unknown,
  job: Job,
  token: string,
): Promise<void> => {
  const trouble = troubleOf(error);
  if (trouble?.kind !== 'outage' || options.outages === undefined) return;
  const { outage } = trouble;
  const decision = await options.outages.meet(jobKeyOf(options.name, job), outage);
  await options.alarms?.outage(job.data, outage, decision);
  if (decision.kind === 'over') throw new FinalJobError(errorCodeOf(error), error, trouble);
  if (decision.isNew) await options.onOutage?.(parsePayload(options.name, job.data), outage);
  const bindings = { jobId: job.id, outage: outage.what, code: outage.code, delayMs: decision.delayMs };
  options.log.warn(bindings, 'a dependency of the job is unavailable; the job waits');
  await job.moveToDelayed(Date.now() + decision.delayMs, token);
  throw new DelayedError();
};

type Telling = Pick<WorkerOptions<QueueName>, 'name' | 'log' | 'mistakes' | 'alarms'>;
/** Records the error only for the operator, so a failure to record it is not an error. */
const noteMistake = async ({ log, mistakes, alarms }: Telling, error: unknown, job: Job): Promise<void> => {
  const trouble = troubleOf(error);
  if (trouble?.kind !== 'mistake') return;
  await mistakes?.meet(trouble.mistake).catch((cause: unknown) => {
    log.warn({ err: cause, jobId: job.id }, 'could not record a configuration error');
  });
  await alarms?.mistake(job.data, trouble.mistake);
};

/** Runs before the job ends. If the process dies in between, the failure is reported again. */
const tellFailure = async ({ name, alarms }: Telling, error: unknown, job: Job): Promise<void> => {
  const { kind } = dispositionOf(error);
  const isLast = kind === 'fail' || (kind === 'retry' && isLastAttempt(job));
  if (!isLast || troubleOf(error) !== null) return;
  await alarms?.failed({ queue: name, jobId: job.id ?? '', code: errorCodeOf(error), payload: job.data });
};

const isLastAttempt = (job: Job): boolean => job.attemptsMade + 1 >= (job.opts.attempts ?? 1);

const parsePayload = <Name extends QueueName>(name: Name, data: unknown): PayloadOf<Name> => {
  const parsed = QUEUES[name].payload.safeParse(data);
  if (!parsed.success) throw new JobRefusedError(name, parsed.error);
  // The cast is safe because the schema belongs to `name`, which the union of schemas cannot express.
  return parsed.data as PayloadOf<Name>;
};

const translateResult = async (result: HandlerResult, job: Job, token: string): Promise<void> => {
  switch (result.kind) {
    case 'done':
      return;
    case 'defer':
      await job.moveToDelayed(Date.now() + result.delayMs, token);
      throw new DelayedError();
    case 'wait_for_children':
      // False means that all children have already ended, so the job continues at once in a new execution.
      if (await job.moveToWaitingChildren(token)) throw new WaitingChildrenError();
      await job.moveToDelayed(Date.now(), token);
      throw new DelayedError();
    default:
      result satisfies never;
  }
};

const translateError = async (error: unknown, job: Job, token: string): Promise<void> => {
  const trouble = troubleOf(error);
  if (trouble?.kind === 'mistake') throw new FinalJobError(trouble.mistake.code, error, trouble);
  const disposition = dispositionOf(error);
  switch (disposition.kind) {
    case 'retry':
      // The library stores the message of the last error. A list of failed jobs needs its code.
      throw isLastAttempt(job) ? new FinalJobError(errorCodeOf(error), error) : error;
    case 'retry_after':
      await job.moveToDelayed(Date.now() + disposition.delayMs, token);
      throw new DelayedError();
    case 'drop':
      return;
    case 'fail':
      throw new FinalJobError(errorCodeOf(error), error);
    default:
      disposition satisfies never;
  }
};

const isFinal = (job: Job, error: Error): boolean =>
  error instanceof UnrecoverableError || job.attemptsMade >= (job.opts.attempts ?? 1);

const reportExhausted = async <Name extends QueueName>(
  options: WorkerOptions<Name>,
  job: Job,
  error: Error,
): Promise<void> => {
  const { name, onExhausted } = options;
  const parsed = QUEUES[name].payload.safeParse(job.data);
  const code = error instanceof FinalJobError ? error.code : errorCodeOf(error);
  options.onFailed?.(code);
  options.log.error({ jobId: job.id, queue: name, code }, 'job ended without success');
  if (!parsed.success || onExhausted === undefined) return;
  const trouble = error instanceof FinalJobError ? error.trouble : null;
  // The cast is safe for the same reason as in `parsePayload`.
  await inFailureSpan({ name, job, code }, async () => onExhausted(parsed.data as PayloadOf<Name>, code, trouble));
};

/** How long handlers may take to react to the abort signal. After that, the stall check recovers their jobs. */
const ABORT_GRACE_MS = 1_500;

const drain = async (worker: Worker, stopping: AbortController, deadlineMs: number): Promise<void> => {
  // A second, forced `close` would only return the same promise, so this function implements the deadline.
  const closing = worker.close();
  if (await endsWithin(closing, deadlineMs)) return;
  stopping.abort(new Error('the process is shutting down'));
  await endsWithin(closing, ABORT_GRACE_MS);
};

const endsWithin = async (work: Promise<void>, limitMs: number): Promise<boolean> => {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), limitMs);
  });
  const ended = await Promise.race([work.then(() => true), late]);
  clearTimeout(timer);
  return ended;
};
