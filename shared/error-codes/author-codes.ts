/** What ends a fix, or keeps the author from one. */
import type { ErrorTable } from './error-table.ts';

export const AUTHOR_CODES = {
  ALL_DECLINED: {
    disposition: 'run',
    text: 'The author declined every finding and changed nothing. The threads have the reasons; a human decides.',
  },
  AUTHOR_BAD_ANSWER: {
    disposition: 'run',
    text: "The answer of the author's command or CLI does not match the schema in [deploy/guide/author.md](deploy/guide/author.md).",
  },
  AUTHOR_BUDGET_EXCEEDED: {
    disposition: 'run',
    text: "The author's model used up its turns, time, tokens or money before it finished.",
  },
  AUTHOR_COMMAND_FAILED: {
    disposition: 'run',
    text: "The author's command exited with a code other than 0, or was killed.",
  },
  AUTHOR_MODEL_FAILED: { disposition: 'run', text: "The author's model refused the work or did not finish." },
  AUTHOR_OFF: { disposition: 'fail', text: 'The author service was started although `author.enabled` is false.' },
  AUTHOR_REDACTED_FILE: {
    disposition: 'run',
    text: 'The author changed a file that it saw only in redacted form, or wrote a redaction mark; see [deploy/guide/author.md](deploy/guide/author.md#claude-code).',
  },
  AUTHOR_SOURCE_MISSING: { disposition: 'retry', text: 'The forge does not provide the branch that the fix is for.' },
  AUTHOR_TIMED_OUT: {
    disposition: 'run',
    text: "The author's command took longer than `author.max_runtime_s`; it was killed with all its child processes.",
  },
  AUTHOR_TREE_TOO_LARGE: {
    disposition: 'run',
    text: "The tree has more files than the limit for an author, or the author's command created too many.",
  },
  BRANCH_PROTECTED: {
    disposition: 'run',
    text: 'The source branch is protected or the default branch. Fixpoint never pushes there.',
  },
  CHANGE_REFUSED: {
    disposition: 'run',
    text: "The author's change edits files that a fix must not change; the log names each file with the reason.",
  },
  CHANGE_REQUEST_TOO_LARGE: { disposition: 'run', text: 'The change request has too many files for an automatic fix.' },
  CHANGE_TOO_LARGE: {
    disposition: 'run',
    text: "The author's change exceeds `author.max_files` or `author.max_change_bytes`.",
  },
  EMPTY_CHANGE: { disposition: 'run', text: 'The author changed nothing and did not say why.' },
  FIX_OVERDUE: { disposition: 'run', text: 'The author service did not report before the deadline of the fix.' },
  HEAD_MOVED: {
    disposition: 'run',
    text: 'The head moved before the fix was pushed, so nothing was pushed. A comment says so; no action is needed.',
  },
  INPUT_CHANGED: {
    disposition: 'run',
    text: 'The target branch or merge base changed before the fix was pushed, so nothing was pushed. The new input is reviewed; no action is needed.',
  },
  NOT_ALLOWED: {
    disposition: 'run',
    text: 'The account that asked for the fix no longer had permission to give the bot commands when the fix was due to start.',
  },
  NO_CAGE: {
    disposition: 'run',
    text: '`sandbox.backend` requires a cage for the author and none is available, so the fix did not start. `fixpoint doctor` shows what is missing.',
  },
  ORDER_LAPSED: {
    disposition: 'run',
    text: 'Guard no longer waited for the fix: its deadline had passed, or the change request was closed. Nothing was pushed.',
  },
  PUSH_REFUSED: {
    disposition: 'run',
    text: 'The forge refused the push because of a branch rule or a server hook. The token needs permission to push.',
  },
  REPORT_MISSING: { disposition: 'run', text: 'The report of a fix is no longer in Redis, for example after a wipe.' },
  SOURCE_IN_FORK: { disposition: 'run', text: 'The source branch is in a fork. Fixpoint never pushes there.' },
  TREE_SEEN: {
    disposition: 'run',
    text: 'The fix restored a tree that was already reviewed or pushed. The author is going in circles; a human decides.',
  },
  VALIDATION_FAILED: {
    disposition: 'run',
    text: "The author's change fails a `[validation]` command that the head passes, so nothing was pushed. The hand-off names the commands.",
  },
} as const satisfies ErrorTable;
