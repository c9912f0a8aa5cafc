import { ModelError } from '../../../shared/agent/model/model-errors.ts';
import { AppError } from '../../../shared/errors.ts';
import { MODEL_REFUSED } from '../../../shared/outage/outage.ts';
import type { RunnerResult } from '../../reviewer/run/runner.ts';
import type { ReviewOutput } from './review-output.ts';

const WORDS: Readonly<Record<string, string>> = {
  MODEL_OUTPUT_UNREADABLE: "the model's answer could not be read as a review",
  MODEL_REFUSED: 'the model refused to review this code',
  PROTOCOL_VIOLATION: 'the model kept violating the rules of a review',
  MODEL_REQUEST_TOO_LONG: 'the request is too long for the model',
  MODEL_UNAUTHORISED: 'the provider does not accept the key, or the account has no credit',
  MODEL_UNTRUSTED: 'the certificate of the provider is not trusted',
  MODEL_REQUEST_REFUSED: 'the provider refuses the request; check that it knows the model',
};

const wordsFor = (code: string): string => WORDS[code] ?? `the model call failed (${code})`;

export class LocalReviewFailedError extends AppError {
  readonly output: ReviewOutput | null;

  constructor(code: string, output: ReviewOutput | null = null) {
    super({
      code: 'LOCAL_REVIEW_FAILED',
      message: `the review did not finish: ${wordsFor(code)}`,
      disposition: { kind: 'fail' },
      fields: { reason: code },
    });
    this.output = output;
  }
}

type Undrafted = Exclude<RunnerResult, { readonly kind: 'draft' }>;

/**
 * Reviews only with the rules, and says why the model's part is missing. @throws LocalReviewFailedError, with that review
 * when the key or model was rejected, and without it for any other outcome
 */
export const withoutModel = async (
  result: Undrafted,
  byRules: (failure: string) => Promise<ReviewOutput>,
): Promise<ReviewOutput> => {
  if (result.kind !== 'failed') throw new LocalReviewFailedError(result.kind);
  const output = await byRules(wordsFor(result.code));
  // The review is still printed, but the command exits with the code for wrong usage.
  if (MODEL_REFUSED.has(result.code)) throw new LocalReviewFailedError(result.code, output);
  return output;
};

/** Turns a permanent provider failure after all retries into a result, because no queue exists to try again later. */
export const orFailed = async <Result extends { readonly kind: string }>(
  work: () => Promise<Result>,
  signal: AbortSignal,
): Promise<Result | (RunnerResult & { readonly kind: 'failed' })> => {
  try {
    return await work();
  } catch (error) {
    signal.throwIfAborted();
    if (error instanceof ModelError) return { kind: 'failed', code: error.code, rawText: null };
    throw error;
  }
};
