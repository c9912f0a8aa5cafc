import { AppError, type AppErrorFields, type Disposition } from '../../errors.ts';
import type { ModelUsage } from './model.ts';

/**
 * What a failed call costs.
 * - `nothing`: the request was not sent, or the provider refused it before the model saw it.
 * - `input`: a streaming request was sent and no byte came back; the model may have read the input but wrote nothing.
 * - `streamed`: the stream ended or the connection closed; costs the reported usage and the output streamed so far.
 * - `unreported`: the same before the provider reported any usage; costs the largest possible input and the output so far.
 * - `at_least`: the provider fell silent and may still be generating; costs the reported usage and the maximum output.
 * - `unknown`: the whole reservation stays spent.
 */
export type FailureCost =
  | { readonly kind: 'nothing' }
  | { readonly kind: 'input' }
  | { readonly kind: 'streamed'; readonly usage: ModelUsage }
  | { readonly kind: 'unreported'; readonly output: number }
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
  readonly retryable: boolean;
  readonly retryAfterMs: number | null;
  readonly cost: FailureCost;

  constructor(init: ModelErrorInit) {
    super(init);
    this.retryable = init.disposition.kind === 'retry' || init.disposition.kind === 'retry_after';
    this.retryAfterMs = init.disposition.kind === 'retry_after' ? init.disposition.delayMs : null;
    this.cost = init.cost;
  }
}

/** Facts from a provider's error response. Its message text is left out because it may quote the request. */
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

/** Every connection fails in the same way until the operator changes the configuration. Nothing was sent. */
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

/** The caller stopped the call. Only the metered model sees this error: it settles the cost and rethrows the caller's reason. */
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

/** A 4xx response: the request itself is wrong for this provider or model, so a retry cannot help. */
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

/** The request exceeds the limit of the model or the gateway. A shorter request may succeed. */
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
      message: 'the model provider does not accept the key, or the account has no credit',
      disposition: { kind: 'fail' },
      cost: NOTHING,
      cause,
      fields: { ...facts },
    });
  }
}

/** The answer does not have the provider's format, usually because a proxy answered. */
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
