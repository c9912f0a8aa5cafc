/** Rows L1 to L4: the command line in a CI job. */
import { by, type Proof, proved } from './named-test.ts';

const CI = 'test/services/cli/ci-review.test.ts';

export const CI_ROWS: Readonly<Record<string, Proof>> = {
  L1: proved(
    by(CI, 'L1: of a fork with secrets calls no model', 'L1: of a fork without secrets reviews the clone'),
    by(CI, 'L1: of a fork without secrets and without the history'),
    by('test/services/cli/ci/ci-job.test.ts', 'fork %s, token %s, --allow-forks %s, checkout %s'),
  ),
  L2: proved(by(CI, 'L2: ends with a code of its own')),
  L3: proved(by(CI, 'L3: prints no secret and writes none to a report')),
  L4: proved(
    by('test/services/cli/ci/write-reports.test.ts', 'L4: a report holds no control character'),
    by('test/services/cli/report/report-formats.test.ts', 'as %s has no character that controls a terminal'),
  ),
};
