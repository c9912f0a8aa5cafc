/** git, commits and checkouts. */
import type { ErrorTable } from './error-table.ts';

export const GIT_CODES = {
  DIFF_UNPARSABLE: {
    disposition: 'fail',
    text: "git's diff violates its own format. Fixpoint never treats it as a shorter diff. Please report it with the file.",
  },
  GIT_BAD_OUTPUT: { disposition: 'fail', text: "git's output violates its own format, or an object is malformed." },
  GIT_DISK_FULL: { disposition: 'retry', text: 'The disk is full; git operations wait as in any outage.' },
  GIT_DISK_REFUSED: {
    disposition: 'fail',
    text: 'git cannot write to the data folder. Who owns `data_dir`, and is it on a read-only file system?',
  },
  GIT_FAILED: { disposition: 'retry', text: 'git failed; the log has its output, without credentials.' },
  GIT_NOT_FOUND: { disposition: 'fail', text: 'git is not installed, or not on PATH.' },
  GIT_REDIRECTED: {
    disposition: 'retry',
    text: 'The repository has moved to another URL, and redirects are not followed. The next attempt asks the forge for the URL again.',
  },
  GIT_REFUSED: {
    disposition: 'fail',
    text: 'An argument for git is not allowed: a URL, a ref, or a credential with a line break.',
  },
  GIT_REPOSITORY_MISSING: {
    disposition: 'retry',
    text: "The forge has no such repository, or does not show it to git's token.",
  },
  GIT_TIMEOUT: {
    disposition: 'retry',
    text: 'git exceeded its time limit. For a fetch or a push of a large repository, raise `mirrors.fetch_timeout_s`.',
  },
  GIT_TOO_LARGE: {
    disposition: 'fail',
    text: "git's output exceeds `limits.max_diff_bytes`, or an object exceeds its limit.",
  },
  GIT_TOO_OLD: {
    disposition: 'fail',
    text: 'git is older than the oldest version that Fixpoint supports; the message names it.',
  },
  GIT_UNAUTHORISED: {
    disposition: 'fail',
    text: "The forge does not accept git's token, or the token may not read the repository (for the author: push to it).",
  },
  GIT_UNTRUSTED: {
    disposition: 'fail',
    text: 'git does not trust the certificate of the forge. Set `ca_file` for a private CA.',
  },
  HISTORY_CUT: {
    disposition: 'fail',
    text: 'The clone lacks part of the history or of the files, or the two commits share no history; the message names the command that fixes it.',
  },
  REVISION_UNKNOWN: { disposition: 'fail', text: 'The repository has no commit with the given name.' },
  WORKSPACE_UNAVAILABLE: {
    disposition: 'retry',
    text: 'The commits of a change cannot be fetched or checked out for a review; the message says why.',
  },
} as const satisfies ErrorTable;
