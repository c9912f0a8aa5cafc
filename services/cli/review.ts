import { createRulesRunner } from '../reviewer/runners/rules.ts';
import { EXIT_CODES } from './exit-codes.ts';
import { printJson } from './print-json.ts';
import { reviewLocal } from './review-local.ts';
import { reviewText } from './review-text.ts';

export type ReviewOptions = {
  readonly repo: string;
  readonly base: string;
  readonly head: string;
  readonly runner: 'rules';
  readonly format: 'text' | 'json';
};

/** `fixpoint review`: the result on stdout, progress on stderr, the verdict as exit code. */
export const review = async (options: ReviewOptions): Promise<number> => {
  const leaving = new AbortController();
  const leave = (): void => leaving.abort(new Error('interrupted'));
  process.once('SIGINT', leave);
  process.once('SIGTERM', leave);
  try {
    const output = await reviewLocal({
      directory: options.repo,
      base: options.base,
      head: options.head,
      runner: createRulesRunner(),
      searchPath: process.env['PATH'] ?? '',
      onProgress: (step) => {
        if (process.stderr.isTTY) process.stderr.write(`fixpoint: ${step}\n`);
      },
      signal: leaving.signal,
    });
    process.stdout.write(options.format === 'json' ? printJson(output) : reviewText(output));
    return EXIT_CODES[output.verdict];
  } finally {
    process.off('SIGINT', leave);
    process.off('SIGTERM', leave);
  }
};
