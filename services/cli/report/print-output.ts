import type { ReviewOptions } from '../review/review-options.ts';
import type { ReviewOutput } from '../review/review-output.ts';
import { paintFor } from '../terminal/paint.ts';
import { exitCodeWith } from './fail-on.ts';
import { REPORTS } from './report-formats.ts';
import { reviewText } from './report-text.ts';

export type Printing = Pick<ReviewOptions, 'format' | 'failOn' | 'quiet'>;

/** Prints the result to stdout. Returns the exit code. */
export const printOutput = (output: ReviewOutput, { format, failOn, quiet = false }: Printing): number => {
  const { isTTY, columns } = process.stdout;
  const style = { paint: paintFor(process.stdout, process.env), quiet, columns: isTTY ? columns : null };
  process.stdout.write(format === 'text' ? reviewText(output, style) : REPORTS[format](output));
  return exitCodeWith(output, failOn);
};
