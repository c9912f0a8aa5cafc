/**
 * How a worker handles a job whose handler threw this error. Only `queue/worker.ts` translates it for the queue
 * library.
 *
 * - `retry`: retry with the queue's backoff, up to the job's maximum number of attempts.
 * - `retry_after`: retry after the delay that the server named, without using up an attempt.
 * - `drop`: the job is obsolete (head moved, change request closed) and ends without an error.
 * - `fail`: retrying cannot help, so the job fails at once.
 */
export type Disposition =
  | { readonly kind: 'retry' }
  | { readonly kind: 'retry_after'; readonly delayMs: number }
  | { readonly kind: 'drop' }
  | { readonly kind: 'fail' };

export type AppErrorFields = Readonly<Record<string, string | number | boolean | null>>;

export type AppErrorInit = {
  readonly code: string;
  readonly message: string;
  readonly disposition: Disposition;
  readonly cause?: unknown;
  /** Facts for the log, but no secrets, code, prompts or bodies. */
  readonly fields?: AppErrorFields;
};

/** Base of all exceptions that Fixpoint throws on purpose. `code` is stable and documented in `shared/README.md`. */
export class AppError extends Error {
  readonly code: string;
  readonly disposition: Disposition;
  readonly fields: AppErrorFields;

  constructor(init: AppErrorInit) {
    super(init.message, init.cause === undefined ? {} : { cause: init.cause });
    this.name = new.target.name;
    this.code = init.code;
    this.disposition = init.disposition;
    this.fields = init.fields ?? {};
  }
}
