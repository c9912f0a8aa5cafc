import type { Verdict } from '../../../shared/vocabulary/finding.ts';

/**
 * Stable, because scripts rely on them. `usage` also covers a wrong configuration or key. `inconclusive`: the review has
 * no verdict, because files were left out, a budget was used up, or the model failed or could not be reached.
 */
export const EXIT_CODES: Readonly<Record<Verdict | 'usage', number>> = {
  lgtm: 0,
  feedback: 1,
  usage: 2,
  inconclusive: 3,
};

/** For the help and the manual. */
export const EXIT_MEANINGS: readonly (readonly [code: number, meaning: string])[] = [
  [EXIT_CODES.lgtm, 'lgtm: nothing blocks'],
  [EXIT_CODES.feedback, 'feedback: at least one finding blocks'],
  [EXIT_CODES.usage, 'bad usage, address, configuration, token or key'],
  [EXIT_CODES.inconclusive, 'inconclusive: no verdict, or nothing to review'],
];
