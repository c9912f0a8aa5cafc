/** Other faults compared with GitLab's source: verdicts, limits, sizes, places. */
import { by, type Proof, proved } from '../named-test.ts';

const VERDICTS = 'test/shared/forge/gitlab-verdicts.test.ts';
const RENAMES = 'test/shared/forge/gitlab-renames.test.ts';
const LIKENESS = 'test/shared/workspace/git/rename-likeness.test.ts';
const MARKS = 'test/shared/forge/bot-marks.test.ts';
const IN_FLIGHT = 'test/services/ingress/in-flight.test.ts';
const SUGGESTIONS = 'test/shared/diff/position/anchor.test.ts';

export const OTHER_ROWS: Readonly<Record<string, Proof>> = {
  GL6: proved(
    by(
      VERDICTS,
      'GL6: is seen and taken back although %s',
      'GL6: that somebody has removed in between counts as taken back',
      'GL6: that stays although it was to be taken back is said',
    ),
  ),
  GL7: proved(by(VERDICTS, 'GL7: is not asked for changes, since it would never take the request back')),
  GL8: proved(
    by(
      MARKS,
      'GL8: is asked once about each account, and stays within the limit of that request',
      'GL8: that limits the requests is believed about how long to wait',
      'GL8: is asked again about an account that it did not show',
    ),
  ),
  GL9: proved(
    by(
      RENAMES,
      'GL9: is one renamed file for GitLab, and two files for Forgejo and Gitea',
      'GL9: carries comments on lines that the merge request shows',
      'GL9: a comment that was saved although the answer was 500 is found, and only what is missing is written again',
    ),
    by(
      LIKENESS,
      'GL9: are paired for %s from %i percent on',
      'GL9: are read by a review as the forge pairs them, from %i percent on',
    ),
  ),
  GL10: proved(
    by(
      IN_FLIGHT,
      'GL10: gets 200 for what is not read, so that the hook stays on, and the bound holds',
      'GL10: of a GitLab that signs is ignored with 200 when all but the body fits, and refused when it is old',
      'GL10: is read by default up to what GitLab sends at most, 25 MiB',
    ),
  ),
  GL11: proved(
    by(
      VERDICTS,
      'GL11: waits until the reset that the push causes is over, and stands',
      'GL11: of a push %s waits no longer than needed',
      'GL11: is made by the thirtieth of thirty reviewers',
    ),
    by(RENAMES, 'GL11: takes no comment on a line, and is no answer that cannot be understood'),
    by(SUGGESTIONS, 'GL11: is refused for %j, which GitLab would apply as a deletion'),
  ),
};
