/** Rows about the cage and programs in it. Without a cage on the machine, their tests are skipped and say so. */
import { by, type Proof, proved } from './named-test.ts';

const BASH = 'test/shared/agent/bash-tool.test.ts';
const GRAMMAR = 'test/shared/workspace/bash/bash-command.test.ts';
const REVIEW = 'test/services/reviewer/runners/bash.test.ts';
const CAGE = 'test/shared/workspace/cage/cage.test.ts';
const FIND = 'test/shared/workspace/cage/find-cage.test.ts';

export const CAGE_ROWS: Readonly<Record<string, Proof>> = {
  T4: proved(
    by(REVIEW, 'T4, T5: has Bash on offer, and none of its tools runs what the repository brings'),
    by(BASH, 'T6: the words alone confine as well'),
  ),
  T5: proved(
    by(BASH, 'T5: runs no program of the repository, whatever its name'),
    by(REVIEW, 'T4, T5: has Bash on offer'),
  ),
  T6: proved(
    by(GRAMMAR, 'T6: the table of what got through other allowlists', 'has at least 120 strings, each once'),
    by(
      GRAMMAR,
      'is refused for its words alone: %s',
      'is refused, or becomes words of which each is an option of ours',
    ),
    by(BASH, 'T6: refuses the whole table before anything is started'),
    by(BASH, 'T6: takes what looks dangerous and is not, without effect, in the cage'),
    by(BASH, 'T6: the words alone confine as well: whatever is taken has no effect without a cage either'),
    by('test/shared/agent/evil.test.ts', 'evil models'),
  ),
  T11: proved(
    by(CAGE, 'T11', 'cannot %s', 'reaches no listener of the machine', 'cannot send a signal to a process outside'),
    by('test/shared/workspace/cage-process.test.ts', 'T11: holds under an account that is not root'),
    by(
      'test/shared/workspace/cage/seccomp-filter.test.ts',
      'the kernel with this filter',
      'refuses every call of the table',
    ),
    by(FIND, 'T12: a cage with a hole is found out'),
  ),
  T12: proved(
    by(
      FIND,
      'T12: there is no cage',
      'where bubblewrap is not on PATH',
      'where bubblewrap ends with 1',
      'where bubblewrap runs the program outside',
    ),
    by(FIND, 'T12: a cage with a hole is found out'),
    by('test/services/explorer/cage.test.ts', 'T12: a service without a cage', 'does not start where one is required'),
    by(REVIEW, 'has no Bash: no tool, no word of it in the prompt, and a call of it is a failed one'),
  ),
  T13: proved(
    by(CAGE, 'T13', 'is killed in time with everything in it: %s', 'a fork bomb', 'a busy loop', 'a child that sleeps'),
    by(CAGE, 'ends with the program, whatever it has started', 'gets no four gigabytes'),
    by(CAGE, 'gets no more processes than its limit', 'is cut at its output, at little cost, and killed'),
  ),
};
