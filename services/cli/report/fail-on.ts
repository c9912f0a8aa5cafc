import type { FailOn } from '../review/review-options.ts';
import type { ReviewOutput } from '../review/review-output.ts';
import { EXIT_CODES } from '../terminal/exit-codes.ts';

/**
 * `blocking`: the verdict decides. `any`: findings that do not block fail too. `never`: neither findings nor a missing
 * verdict fail. Wrong usage, a wrong configuration or a wrong key always fails; other code handles these cases.
 */
export const exitCodeWith = ({ verdict, findings, unverified }: ReviewOutput, failOn: FailOn): number => {
  switch (failOn) {
    case 'never':
      return EXIT_CODES.lgtm;
    case 'any':
      return verdict === 'lgtm' && findings.length + unverified.length > 0 ? EXIT_CODES.feedback : EXIT_CODES[verdict];
    case 'blocking':
      return EXIT_CODES[verdict];
    default:
      return failOn satisfies never;
  }
};
