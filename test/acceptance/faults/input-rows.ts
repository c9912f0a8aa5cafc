/** Faults about which input a verdict belongs to. */
import { by, proved, type Proof } from '../named-test.ts';

export const INPUT_ROWS: Readonly<Record<string, Proof>> = {
  'F-A1': proved(
    by(
      'test/integration/input-story.test.ts',
      'F-A1: a pass does not go along to another target branch',
      'F-A1: a target that is edited while the review runs is reviewed as it is then, and never passes before',
      'F-A1: a target branch that was put back is found by the sweep, although nothing tells of it',
      'F-A1: a verdict is carried to another target branch with the same rules, and not to one with others',
      'F-A1: a call for a review after the target was edited is no repetition of the old verdict',
      'F-A1: nothing is reviewed again and nothing passes unseen',
    ),
    by('test/shared/rounds/model/input.test.ts', 'are never the same with another head or target'),
  ),
  'F-A2': proved(
    by(
      'test/integration/place-story.test.ts',
      'F-A2: one that fails holds the other, in both orders',
      'F-A2: one without a verdict counts as pending: a draft',
      'F-A2: one into a branch that the operator left out does not count',
    ),
    by('test/shared/rounds/decide/follow-status.test.ts', 'F-A2: the status of several change requests'),
  ),
};
