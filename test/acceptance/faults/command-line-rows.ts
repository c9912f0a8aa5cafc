/** Faults of what the command line reports. */
import { by, type Proof, proved } from '../named-test.ts';

const RANGES = 'test/services/cli/review/review-range.test.ts';

export const COMMAND_LINE_ROWS: Readonly<Record<string, Proof>> = {
  'F-A8': proved(
    by(RANGES, 'says that base and head are one commit, and counts what is not committed'),
    by(RANGES, 'says so of a merged head, of empty commits and of a merge that changes no file'),
    by(RANGES, 'says so when the path filters leave nothing, unless what they leave out is grave'),
    by(RANGES, 'is reviewed as it is staged, or as the work tree holds it, and nothing is written'),
    by('test/shared/rounds/gate/verdict.test.ts', 'F-A8: a change request that changes no file does not pass'),
  ),
  'F-F14': proved(
    by(
      'test/services/cli/messages/messages.test.ts',
      'F-F14: what export prints, validate reads, from a file and through a pipe',
    ),
  ),
  'F-F15': proved(
    by(
      'test/services/cli/review-whole.test.ts',
      'F-F15: a review says what blocks, which rule found it, who reviewed which commits, and with which version',
      'F-F15: the export of a review counts a P2 that blocks',
      'F-F15: the export of a review that a budget ended says so',
    ),
  ),
  'F-A10': proved(
    by(
      'test/shared/agent/submission/read-submission.test.ts',
      'F-A10: is asked for again without %s, and leaves the review incomplete',
    ),
  ),
  'F-C14': proved(by(RANGES, 'reviews the branch %s', 'reviews what an expression names')),
  'F-C15': proved(
    by(RANGES, 'is refused with the command that brings it, and reviewed after that command'),
    by(RANGES, 'is refused where a merge base is found that may be too old'),
    by(RANGES, 'is refused in a partial clone that lacks files, and reviewed when they are there'),
    by(RANGES, 'is refused where the two share no commit, or commits are gone'),
  ),
};
