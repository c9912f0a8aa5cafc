/** Translates SDK errors to Fixpoint's by class, status and type. */
import { APIConnectionError, APIConnectionTimeoutError, APIError, APIUserAbortError } from '@anthropic-ai/sdk';
import { type FailureCost, type ModelError, ModelStreamCutError } from '../../model/model-errors.ts';
import { providerFailure, retryAfter } from '../../model/provider-failure.ts';
import { costOfStatus, sdkFailure, type SdkCall } from '../../model/sdk-failure.ts';

const CLASSES = {
  timeout: APIConnectionTimeoutError,
  abort: APIUserAbortError,
  connection: APIConnectionError,
  api: APIError,
};

/** Classifies a failure before the first byte of the answer. Contract: the SDK threw `error`, and nobody aborted the call. */
export const requestFailure = (error: unknown, sending: SdkCall & { readonly nowMs: () => number }): ModelError =>
  sdkFailure<APIError>(error, sending, {
    ...CLASSES,
    answered: (answered, sent) => {
      const { status, type, requestID, headers, message: words } = answered;
      const facts = { status: status ?? null, type, requestId: requestID ?? null };
      return providerFailure({
        facts,
        words,
        retryAfterMs: retryAfter(headers, sending.nowMs()),
        cost: costOfStatus(facts, sent),
        cause: answered,
      });
    },
  });

export const streamFailure = (cause: unknown, cost: FailureCost): ModelError => new ModelStreamCutError(cost, cause);
