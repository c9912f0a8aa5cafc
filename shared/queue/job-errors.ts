/** The errors of jobs: their codes, what they do with the job, and how the library is told. */
import { UnrecoverableError } from 'bullmq';
import { AppError, type Disposition } from '../errors.ts';
import type { Trouble } from '../outage/outage.ts';

export class JobRefusedError extends AppError {
  constructor(queue: string, cause: unknown) {
    super({
      code: 'JOB_REFUSED',
      message: 'the payload of a job does not match its schema',
      disposition: { kind: 'fail' },
      cause,
      fields: { queue },
    });
  }
}

/** Every process that executed the job died, or lost the lock of the job. */
export class WorkerDiedError extends AppError {
  constructor(deaths: number) {
    super({
      code: 'WORKER_DIED',
      message: `the process that executed the job was killed or crashed ${deaths} times; the job is not executed again`,
      disposition: { kind: 'fail' },
      fields: { deaths },
    });
  }
}

export const dispositionOf = (error: unknown): Disposition =>
  error instanceof AppError ? error.disposition : { kind: 'retry' };

export const errorCodeOf = (error: unknown): string => {
  if (error instanceof AppError) return error.code;
  return error instanceof Error && error.name === 'TimeoutError' ? 'JOB_TIMED_OUT' : 'UNEXPECTED';
};

/** Tells the library not to retry, and keeps the error code. */
export class FinalJobError extends UnrecoverableError {
  readonly code: string;
  readonly trouble: Trouble | null;

  constructor(code: string, cause: unknown, trouble: Trouble | null = null) {
    super(code);
    this.code = code;
    this.cause = cause;
    this.trouble = trouble;
  }
}
