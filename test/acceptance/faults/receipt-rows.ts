/** Faults in which a pass includes lines that nothing reviewed. */
import { by, type Proof, proved } from '../named-test.ts';

const RECEIPTS = 'test/services/reviewer/check/receipts.test.ts';
const PROPERTY = by(
  'test/services/reviewer/check/receipts.property.test.ts',
  'a pass implies that every line was searched for secrets, and seen or excluded',
);

export const RECEIPT_ROWS: Readonly<Record<string, Proof>> = {
  'F-A3': proved(
    by(
      RECEIPTS,
      'of %s is read as text',
      'in UTF-16, %s endian, hides no token',
      'that held a NUL before is compared line by line',
      'in %s is left out by name, and the review is no pass',
      'is told from real binaries, which are excluded',
    ),
    by('test/services/cli/review/review-codebase.test.ts', 'F-A3: reads a source file with a NUL'),
  ),
  'F-A4': proved(
    by(RECEIPTS, 'in a file with others takes none of them out of the review', 'makes most of a file minified'),
  ),
  'F-A5': proved(
    by(RECEIPTS, 'of the repository leaves out a file, and never lets it pass', 'of the operator does the same'),
    PROPERTY,
  ),
  'F-A6': proved(by(RECEIPTS, 'sees the added lines of %s', 'sees what the operator excludes'), PROPERTY),
  'F-A7': proved(
    by(
      RECEIPTS,
      '%s is named, and without a model there is no pass',
      'passes where the operator says so, and with a model',
      'cannot pass because the repository says so',
      'is no rule language where the parser could not follow',
    ),
    by('test/shared/rules/content-kind.test.ts', 'says "%s" of %s'),
    PROPERTY,
  ),
  'F-C1': proved(by(RECEIPTS, '%s keeps no review from its end')),
  'F-C2': proved(
    by(RECEIPTS, 'passes when the model read every changed line itself, and only then'),
    by('test/services/reviewer/runners/agent.test.ts', 'count where they were shown, and no others'),
  ),
};
