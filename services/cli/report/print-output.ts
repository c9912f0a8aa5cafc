import type { ReviewOptions } from '../review/review-options.ts';
import type { ReviewOutput } from '../review/review-output.ts';
import { exitCodeWith } from './fail-on.ts';
import { REPORTS } from './report-formats.ts';

/** Prints the result to stdout. Returns the exit code. */
export const printOutput = (
  output: ReviewOutput,
  { format, failOn }: Pick<ReviewOptions, 'format' | 'failOn'>,
): number => {
  process.stdout.write(REPORTS[format](output));
  return exitCodeWith(output, failOn);
};
