/**
 * What a worker does with a job whose handler threw. Only `queue/worker.ts` translates it into the queue's terms.
 *
 * - `retry`: try again with the queue's back-off, up to the job's attempts.
 * - `retry_after`: the other side named a delay; waiting it does not use up an attempt.
 * - `drop`: the job has lost its meaning (head moved, change request closed); it ends quietly.
 * - `fail`: trying again cannot help; it ends loudly.
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
  /** Facts for the log. Never secrets, code, prompts or bodies. */
  readonly fields?: AppErrorFields;
};

/**
 * The base of every exception that Fixpoint throws on purpose. `code` is stable, documented in `shared/README.md`,
 * and the only thing that callers may compare.
 */
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
