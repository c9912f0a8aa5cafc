import { AppError, type AppErrorFields, type Disposition } from '../errors.ts';

export type ForgeErrorCode =
  | 'FORGE_UNAUTHORISED'
  | 'FORGE_FORBIDDEN'
  | 'FORGE_NOT_FOUND'
  | 'FORGE_REJECTED'
  | 'FORGE_REDIRECTED'
  | 'FORGE_RATE_LIMITED'
  | 'FORGE_UNAVAILABLE'
  | 'FORGE_BAD_ANSWER'
  | 'FORGE_ABORTED'
  | 'FORGE_PENDING_DRAFT'
  | 'FORGE_BAD_THREAD'
  | 'FORGE_COMMANDS_ONLY';

export type ForgeErrorInit = {
  readonly code: ForgeErrorCode;
  readonly message: string;
  readonly disposition: Disposition;
  readonly fields?: AppErrorFields;
  readonly cause?: unknown;
};

/** The forge was asked and said no, could not be reached, or answered something that cannot be understood. */
export class ForgeRequestError extends AppError {
  override readonly code: ForgeErrorCode;

  constructor(init: ForgeErrorInit) {
    super(init);
    this.code = init.code;
  }
}

/**
 * A write was sent and nobody can know whether it took effect. Whoever retries reads first: the retry of a write that
 * did land is how comments are said twice.
 */
export class ForgeUnknownOutcomeError extends AppError {
  constructor(fields: AppErrorFields, cause: unknown) {
    super({
      code: 'FORGE_UNKNOWN_OUTCOME',
      message: 'a write was sent to the forge and its outcome is unknown',
      disposition: { kind: 'retry' },
      fields,
      cause,
    });
  }
}

/**
 * The forge accepted nothing of a review because of the position of an inline comment. `index` is the position in
 * `OutgoingReview.comments` of the first refused one, null where the forge does not show which it was.
 */
export class InlineRefusedError extends AppError {
  readonly index: number | null;

  constructor(index: number | null, cause: unknown) {
    super({
      code: 'FORGE_INLINE_REFUSED',
      message: 'the forge refused the position of an inline comment',
      disposition: { kind: 'fail' },
      fields: { index },
      cause,
    });
    this.index = index;
  }
}

export const hasForgeCode = (error: unknown, ...codes: readonly ForgeErrorCode[]): error is ForgeRequestError =>
  error instanceof ForgeRequestError && codes.includes(error.code);
