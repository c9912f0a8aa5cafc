/** The lines of A12, in its order: attacks that a fix worker must withstand, and its defences. */
import { by, type Proof, proved } from './named-test.ts';

const FIX = 'test/services/author/fix.test.ts';
const EVIL = 'test/services/author/fix-evil.test.ts';
const DECIDE = 'test/services/author/change/decide-change.test.ts';
const MODEL = 'test/services/author/agents/model.test.ts';
const CLI = 'test/services/author/agents/claude-code.test.ts';
const COMMAND = 'test/services/author/agents/command.test.ts';
const ROWS = 'test/integration/author-rows.test.ts';
const PUSH = 'test/shared/workspace/push.test.ts';
const ORDERS = 'test/shared/rounds/decide/decide-fix.test.ts';

const X11 = 'X11: a change to %s is not pushed, and a human is called once';

export const AUTHOR_ROWS: Readonly<Record<string, Proof>> = {
  // A finding's text that asks for more than a fix.
  'A12.1': proved(
    by(EVIL, 'that send an author to %s push nothing'),
    by(MODEL, 'shows findings as data that cannot end their fence'),
    by(CLI, 'is told the findings as data that cannot end their fence'),
  ),
  // A target that is a link.
  'A12.2': proved(
    by(FIX, 'a link', 'a link that the author made'),
    by(ROWS, X11),
    by(COMMAND, 'is told as odd where it is no plain file, without following or opening it'),
  ),
  // Git, CI, hooks, lock files, our own configuration.
  'A12.3': proved(
    by(DECIDE, 'called %s is protected'),
    by(FIX, 'the CI file of the change itself', 'a hook', 'a lock file', 'our own configuration', 'code owners'),
    by(ROWS, X11),
  ),
  // A head that is replaced by a push.
  'A12.4': proved(
    by(PUSH, 'G10, I11:', 'is not made when the branch %s'),
    by(FIX, 'between the last look and the push is not overwritten', 'back to an older commit is not overwritten'),
    by(ROWS, 'I11:'),
  ),
  // Closing keywords and "[skip ci]" in the commit message, and a fixed template for it.
  'A12.5': proved(
    by(FIX, 'is one commit on the head with a fixed message, pushed to the source branch alone'),
    by('test/integration/author-model.test.ts', 'take a change with six defects from its opening to lgtm'),
  ),
  // Protected and default branches.
  'A12.6': proved(
    by(FIX, 'of a protected branch', 'of a default branch', 'when the branch becomes protected'),
    by(ORDERS, 'on a protected branch'),
  ),
  // Forks.
  'A12.7': proved(by(FIX, 'of a fork'), by(ORDERS, 'in a fork', 'of a fork')),
  // The change is data, applied by our code to regular files of the change request.
  'A12.8': proved(
    by(EVIL, 'nothing but regular files of the change request is written, to nothing but its branch'),
    by(DECIDE, 'touches regular, unprotected files alone'),
    by(MODEL, 'gives the edits of a model that comes to its end as data, and leaves the checkout alone'),
    by(FIX, 'leaves nothing behind on this machine'),
  ),
  // The list of protected paths can be extended, but not reduced.
  'A12.9': proved(
    by(DECIDE, 'stays protected, whatever the patterns of the operator say'),
    by(FIX, 'what the operator protects'),
  ),
  // Pushes with an expected head, only to the source branch.
  'A12.10': proved(
    by(PUSH, 'moves the one branch, and again changes nothing', 'G10, I11:'),
    by(EVIL, 'is made by the author alone'),
  ),
  // The fixing model runs no tests.
  'A12.11': proved(
    by(MODEL, 'offers tools that read, change and decline, and none that runs or submits anything'),
    by(CLI, 'is started with tools that read and write and none that runs'),
  ),
  // "The diff is shown before a push in the CLI": no command pushes.
  'A12.12': proved(by(EVIL, 'no command and no other service has one')),
  // Ordered by a user with write permission.
  'A12.13': proved(
    by(ORDERS, 'by whoever may not command is not answered'),
    by(FIX, 'for somebody whose permission has become %s'),
  ),
};
