/**
 * These errors deliberately have no cause: the message of a failed connection names the host, which is part of the
 * secret address, and the queue stores messages.
 */
import { AppError, type AppErrorFields } from '../../../shared/errors.ts';

/** The receiver certainly did not get the notification, or it can safely get it twice. */
export class NotifyFailedError extends AppError {
  constructor(delayMs: number | null, fields: AppErrorFields) {
    super({
      code: 'NOTIFY_FAILED',
      message: 'a notification could not be delivered',
      disposition: delayMs === null ? { kind: 'retry' } : { kind: 'retry_after', delayMs },
      fields,
    });
  }
}

export class NotifyRefusedError extends AppError {
  constructor(fields: AppErrorFields) {
    super({
      code: 'NOTIFY_REFUSED',
      message: 'a notification was refused',
      disposition: { kind: 'fail' },
      fields,
    });
  }
}

/** Receivers with a project filter must wait for the project's name. */
export class NotifyProjectUnknownError extends AppError {
  constructor(fields: AppErrorFields) {
    super({
      code: 'NOTIFY_PROJECT_UNKNOWN',
      message: 'could not ask the forge for the project of an event',
      disposition: { kind: 'retry' },
      fields,
    });
  }
}
