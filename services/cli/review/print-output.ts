import { printJson } from '../terminal/print-json.ts';
import type { ReviewOptions } from './review-options.ts';
import type { ReviewOutput } from './review-output.ts';
import { reviewText } from './review-text.ts';

export const printOutput = (output: ReviewOutput, { format }: Pick<ReviewOptions, 'format'>): void =>
  void process.stdout.write(format === 'json' ? printJson(output) : reviewText(output));
