/** Rows L5 and L6: the Claude Code CLI as a reviewer, and what `fixpoint doctor` finds. */
import { by, type Proof, proved } from './named-test.ts';

const CLI = 'test/services/reviewer/runners/claude-code.test.ts';
const CALLED = 'test/shared/claude-code/invocation.test.ts';
const DOCTOR = 'test/services/cli/doctor/doctor.test.ts';

export const DOCTOR_ROWS: Readonly<Record<string, Proof>> = {
  L5: proved(
    by(CLI, 'L5: starts the named program in a checkout, with nothing of the service or the workspace around it'),
    by(CLI, 'shows the CLI no secret and no hidden character, neither in the prompt nor in the tree'),
    by(CALLED, 'says this much on the command line of %s', 'gives an environment of its own'),
    by(CLI, 'may read and search below the workspace alone, and not what the service itself could read'),
    by('test/services/cli/review/review-options.test.ts', 'a CLI that would be looked up'),
  ),
  L6: proved(
    by(DOCTOR, 'is named with its fix: %s', 'an old git', 'no bubblewrap', 'root without setpriv'),
    by(DOCTOR, 'a clock that is ten minutes off', 'user namespaces that are refused'),
    by(DOCTOR, 'that can lose jobs is named with every reason and each way out'),
    by(DOCTOR, 'has nothing but fine lines', 'prints what fails with its fix, and ends with 1'),
  ),
};
