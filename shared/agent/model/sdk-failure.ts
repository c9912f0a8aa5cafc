/**
 * Classifies the errors that a provider's SDK throws before an answer begins. Each SDK has its own version of the same
 * error classes.
 */
import { neverSent, untrusted } from './connection-errors.ts';
import {
  type FailureCost,
  ModelBadAnswerError,
  type ModelError,
  ModelTimedOutError,
  ModelUnavailableError,
  ModelUntrustedError,
  type ProviderErrorFacts,
} from './model-errors.ts';
import { GATEWAY_TIMEOUTS } from './provider-failure.ts';

const COSTS_NOTHING: FailureCost = { kind: 'nothing' };
const INPUT: FailureCost = { kind: 'input' };
const UNKNOWN: FailureCost = { kind: 'unknown' };

/** The cost of a call that got no answer. */
export const costBeforeAnswer = (stream: boolean): FailureCost => (stream ? INPUT : UNKNOWN);

/**
 * The cost of a call that was answered with an error. After a gateway timeout, the server behind the gateway may still
 * have processed the call.
 */
export const costOfStatus = ({ status, type }: ProviderErrorFacts, sent: FailureCost): FailureCost =>
  GATEWAY_TIMEOUTS.has(status ?? 0) && type === null ? sent : COSTS_NOTHING;

type ErrorClass<Thrown> = abstract new (...given: never[]) => Thrown;

type SdkErrors<Answered> = {
  readonly timeout: ErrorClass<Error>;
  readonly abort: ErrorClass<Error>;
  readonly connection: ErrorClass<Error>;
  /** The base class of the others. An error of only this class is an answer with an error status. */
  readonly api: ErrorClass<Answered>;
};

export type SdkCall = { readonly stream: boolean; readonly callTimeoutMs: number };

/** Contract: the SDK threw `error` before the first byte of the answer, and nobody aborted the call. */
export const sdkFailure = <Answered>(
  error: unknown,
  { stream, callTimeoutMs }: SdkCall,
  sdk: SdkErrors<Answered> & { readonly answered: (error: Answered, sent: FailureCost) => ModelError },
): ModelError => {
  const sent = costBeforeAnswer(stream);
  if (error instanceof sdk.timeout || error instanceof sdk.abort) {
    return new ModelTimedOutError({ kind: 'whole_call', ms: callTimeoutMs }, neverSent(error) ? COSTS_NOTHING : sent);
  }
  const facts = { status: null, type: null, requestId: null };
  if (error instanceof sdk.connection) {
    if (untrusted(error)) return new ModelUntrustedError({ facts, cause: error });
    const cost = neverSent(error) ? COSTS_NOTHING : sent;
    return new ModelUnavailableError({ facts, retryAfterMs: null, cost, cause: error });
  }
  if (error instanceof sdk.api) return sdk.answered(error, sent);
  // The SDK throws any other error for an answer that it could not parse.
  return new ModelBadAnswerError('response', UNKNOWN, error);
};
