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

/** The forge refused the request, could not be reached, or sent a response that cannot be parsed. */
export class ForgeRequestError extends AppError {
  override readonly code: ForgeErrorCode;

  constructor(init: ForgeErrorInit) {
    super(init);
    this.code = init.code;
  }
}

/** A write was sent and may or may not have taken effect. Read the state before retrying: a blind retry can post twice. */
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

/** `index`: position in `OutgoingReview.comments` of the first refused comment; null when the forge does not name it. */
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
