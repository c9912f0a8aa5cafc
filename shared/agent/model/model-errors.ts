/** One class per way in which a call of a model can fail, each with its retry bit where the facts are. */
import { AppError, type AppErrorFields, type Disposition } from '../../errors.ts';
import type { ModelUsage } from './model.ts';

/**
 * What a failed call costs.
 * - `nothing`: it was not sent, or the provider refused it before the model saw it.
 * - `input`: it was sent with a request to stream, and no byte came back: the model may have read it, but wrote nothing.
 * - `streamed`: the answer ended on the provider's side, or the connection was closed: what was reported and streamed.
 * - `at_least`: the provider fell silent and may still be writing: what was reported, and all possible output.
 * - `unknown`: the whole reservation stays spent.
 */
export type FailureCost =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'input' }
  | { readonly kind: 'streamed'; readonly usage: ModelUsage }
  | { readonly kind: 'at_least'; readonly usage: ModelUsage }
  | { readonly kind: 'unknown' };

type ModelErrorInit = {
  readonly code: string;
  readonly message: string;
  readonly disposition: Disposition;
  readonly cost: FailureCost;
  readonly cause?: unknown;
  readonly fields?: AppErrorFields;
};

export class ModelError extends AppError {
  /** The same request may succeed a moment later. */
  readonly retryable: boolean;
  /** The delay that the provider named. */
  readonly retryAfterMs: number | null;
  readonly cost: FailureCost;

  constructor(init: ModelErrorInit) {
    super(init);
    this.retryable = init.disposition.kind === 'retry' || init.disposition.kind === 'retry_after';
    this.retryAfterMs = init.disposition.kind === 'retry_after' ? init.disposition.delayMs : null;
    this.cost = init.cost;
  }
}

/** What the provider said beside the status: never its prose, which quotes the request. */
export type ProviderErrorFacts = {
  readonly status: number | null;
  readonly type: string | null;
  readonly requestId: string | null;
};

type Failure = { readonly facts: ProviderErrorFacts; readonly cause: unknown };

const NOTHING: FailureCost = { kind: 'nothing' };

export class ModelRateLimitedError extends ModelError {
  constructor({ facts, cause, retryAfterMs }: Failure & { readonly retryAfterMs: number | null }) {
    super({
      code: 'MODEL_RATE_LIMITED',
      message: 'the model provider limits the request rate',
      disposition: retryAfterMs === null ? { kind: 'retry' } : { kind: 'retry_after', delayMs: retryAfterMs },
      cost: NOTHING,
      cause,
      fields: { ...facts },
    });
  }
}

export class ModelOverloadedError extends ModelError {
  constructor({ facts, cause, retryAfterMs, cost }: Failure & { retryAfterMs: number | null; cost: FailureCost }) {
    super({
      code: 'MODEL_OVERLOADED',
      message: 'the model provider is overloaded',
      disposition: retryAfterMs === null ? { kind: 'retry' } : { kind: 'retry_after', delayMs: retryAfterMs },
      cost,
      cause,
      fields: { ...facts },
    });
  }
}

export class ModelUnavailableError extends ModelError {
  constructor({ facts, cause, retryAfterMs, cost }: Failure & { retryAfterMs: number | null; cost: FailureCost }) {
    super({
      code: 'MODEL_UNAVAILABLE',
      message: 'the model provider is unreachable or failing',
      disposition: retryAfterMs === null ? { kind: 'retry' } : { kind: 'retry_after', delayMs: retryAfterMs },
      cost,
      cause,
      fields: { ...facts },
    });
  }
}

export class ModelStreamCutError extends ModelError {
  constructor(cost: FailureCost, cause?: unknown) {
    super({
      code: 'MODEL_STREAM_CUT',
      message: 'the answer of the model was cut off',
      disposition: { kind: 'retry' },
      cost,
      cause,
    });
  }
}

export class ModelTimedOutError extends ModelError {
  constructor(after: { readonly kind: 'idle' | 'whole_call'; readonly ms: number }, cost: FailureCost) {
    super({
      code: 'MODEL_TIMED_OUT',
      message: 'the model exceeded its time limit',
      disposition: { kind: 'retry' },
      cost,
      fields: { limit: after.kind, limitMs: after.ms },
    });
  }
}

/** Not an outage: until the operator changes something, every connection fails in the same way. Nothing was sent. */
export class ModelUntrustedError extends ModelError {
  constructor({ facts, cause }: Failure) {
    super({
      code: 'MODEL_UNTRUSTED',
      message: 'the certificate of the model provider is not trusted',
      disposition: { kind: 'fail' },
      cost: NOTHING,
      cause,
      fields: { ...facts },
    });
  }
}

/** The caller stopped the call. Only the meter sees it: it settles the cost and throws the caller's reason. */
export class ModelCallStoppedError extends ModelError {
  constructor(cost: FailureCost, cause: unknown) {
    super({
      code: 'MODEL_CALL_STOPPED',
      message: 'the caller aborted a model call',
      disposition: { kind: 'drop' },
      cost,
      cause,
    });
  }
}

/** 4xx: the request itself is wrong for this provider or model; sending it again cannot help. */
export class ModelRefusedRequestError extends ModelError {
  constructor({ facts, cause }: Failure) {
    super({
      code: 'MODEL_REQUEST_REFUSED',
      message: 'the model provider refused the request',
      disposition: { kind: 'fail' },
      cost: NOTHING,
      cause,
      fields: { ...facts },
    });
  }
}

/** The request is longer than the model or the gateway takes. A shorter one may be answered. */
export class ModelTooLongError extends ModelError {
  constructor({ facts, cause }: Failure) {
    super({
      code: 'MODEL_REQUEST_TOO_LONG',
      message: 'the request is too long for the model',
      disposition: { kind: 'fail' },
      cost: NOTHING,
      cause,
      fields: { ...facts },
    });
  }
}

export class ModelUnauthorisedError extends ModelError {
  constructor({ facts, cause }: Failure) {
    super({
      code: 'MODEL_UNAUTHORISED',
      message: 'the model provider does not accept the key, or its account cannot pay',
      disposition: { kind: 'fail' },
      cost: NOTHING,
      cause,
      fields: { ...facts },
    });
  }
}

/** An answer outside the provider's own format. A proxy in its place is the usual reason. */
export class ModelBadAnswerError extends ModelError {
  constructor(what: string, cost: FailureCost, cause?: unknown) {
    super({
      code: 'MODEL_BAD_ANSWER',
      message: "cannot parse the model provider's response",
      disposition: { kind: 'retry' },
      cost,
      cause,
      fields: { what },
    });
  }
}
