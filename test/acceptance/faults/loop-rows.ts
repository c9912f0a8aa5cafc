/** Faults of the local loop that lose work. */
import { by, type Proof, proved } from '../named-test.ts';

const STATES = 'test/services/slots/tree-states.test.ts';
const FILES = 'test/services/slots/tree-states-files.ts';
const LEFT = 'test/services/cli/loop-leftovers.test.ts';

export const LOOP_ROWS: Readonly<Record<string, Proof>> = {
  'F-A11': proved(
    by('test/services/slots/verdict.test.ts', 'F-A11: a verdict is not read'),
    by('test/services/slots/agent/agent-output.test.ts', 'F-A11: takes an earlier message of %s for no verdict'),
  ),
  'F-A12': proved(by(LEFT, 'F-A12: nothing was changed is an outcome of its own, also where the reviewer passes')),
  'F-B1': proved(by(FILES, 'a commit in a submodule (F-B1)', 'a commit in a submodule of a submodule')),
  'F-B2': proved(by(STATES, 'F-B2: whatever the user has set, a work tree that its agent left')),
  'F-B3': proved(by(FILES, 'an ignored file that a tracked one needs (F-B3)')),
  'F-B4': proved(
    by(
      'test/shared/workspace/process/child-environment.test.ts',
      'F-B4: leaves out every variable that git calls local to a repository',
    ),
    by(LEFT, 'F-B4: works on its own repository where git has set its variables for another one'),
    by(LEFT, 'F-B4: bd gets no variables of git either'),
  ),
  'F-B9': proved(by(LEFT, 'F-B9: the subject of a task is kept, whatever marks a comment')),
  'F-B10': proved(
    by(LEFT, 'F-B10: the last line removes what is left of %s'),
    by(LEFT, 'F-B10: the last line removes what a hook left that failed'),
  ),
};
