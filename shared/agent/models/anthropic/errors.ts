/** Translates SDK errors to Fixpoint's by class, status and type. */
import { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from '@anthropic-ai/sdk';
import {
  type FailureCost,
  ModelBadAnswerError,
  type ModelError,
  ModelStreamCutError,
  ModelTimedOutError,
  ModelUnavailableError,
  ModelUntrustedError,
} from '../../model/model-errors.ts';
import { neverSent, untrusted } from '../../model/connection-errors.ts';
import { providerFailure, GATEWAY_TIMEOUTS, retryAfter } from '../../model/provider-failure.ts';

const NOTHING: FailureCost = { kind: 'nothing' };
const INPUT: FailureCost = { kind: 'input' };
const UNKNOWN: FailureCost = { kind: 'unknown' };

export const costBeforeAnswer = (stream: boolean): FailureCost => (stream ? INPUT : UNKNOWN);

export type Sending = { readonly stream: boolean; readonly callTimeoutMs: number; readonly nowMs: () => number };

/** Classifies a failure before the first byte of the answer. Contract: the SDK threw `error`, and nobody aborted the call. */
export const requestFailure = (error: unknown, { stream, callTimeoutMs, nowMs }: Sending): ModelError => {
  const sent = costBeforeAnswer(stream);
  if (error instanceof APIConnectionTimeoutError || error instanceof APIUserAbortError) {
    return new ModelTimedOutError({ kind: 'whole_call', ms: callTimeoutMs }, neverSent(error) ? NOTHING : sent);
  }
  const facts = { status: null, type: null, requestId: null };
  if (error instanceof APIConnectionError) {
    if (untrusted(error)) return new ModelUntrustedError({ facts, cause: error });
    const cost = neverSent(error) ? NOTHING : sent;
    return new ModelUnavailableError({ facts, retryAfterMs: null, cost, cause: error });
  }
  if (error instanceof APIError) {
    const { status, type, requestID, headers, message: words } = error;
    const said = { status: status ?? null, type, requestId: requestID ?? null };
    const cost = GATEWAY_TIMEOUTS.has(status ?? 0) && type === null ? sent : NOTHING;
    return providerFailure({ facts: said, words, retryAfterMs: retryAfter(headers, nowMs()), cost, cause: error });
  }
  // The SDK throws any other error for an answer that it could not parse.
  return new ModelBadAnswerError('response', UNKNOWN, error);
};

export const streamFailure = (cause: unknown, cost: FailureCost): ModelError => new ModelStreamCutError(cost, cause);
