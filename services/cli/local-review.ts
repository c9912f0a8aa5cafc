import { escapeForTerminal } from '../../shared/text/visible.ts';
import { chooseReviewer } from './review/choose-runner.ts';
import { LocalReviewFailedError } from './review/review-failure.ts';
import { type ReviewOptions, reviewRequestOf } from './review/review-options.ts';
import { printOutput } from './report/print-output.ts';
import { type LocalReviewRequest, reviewWith } from './review/review-request.ts';

/** `fixpoint review`: prints the result to stdout and progress to stderr; the exit code is the verdict. */
export const runReview = async (options: ReviewOptions): Promise<number> => {
  const leaving = new AbortController();
  const leave = (): void => leaving.abort(new Error('interrupted'));
  process.once('SIGINT', leave);
  process.once('SIGTERM', leave);
  try {
    const watching = { signal: leaving.signal, onProgress: showProgress, onNotice: say };
    const request: LocalReviewRequest = { ...reviewRequestOf(options), ...watching };
    const { reviewer, notice } = chooseReviewer(request, { env: process.env, onProgress: showProgress });
    if (notice !== null) say(notice);
    const output = await reviewWith(reviewer, request);
    return printOutput(output, options);
  } catch (error) {
    if (error instanceof LocalReviewFailedError && error.output !== null) printOutput(error.output, options);
    throw error;
  } finally {
    process.off('SIGINT', leave);
    process.off('SIGTERM', leave);
  }
};

const say = (line: string): void => void process.stderr.write(`fixpoint: ${escapeForTerminal(line)}\n`);

const showProgress = (step: string): void => {
  if (process.stderr.isTTY) say(step);
};
