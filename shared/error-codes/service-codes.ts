/** Settings, Redis, jobs, the cage, notifications, the local loop and everything else. */
import type { ErrorTable } from './error-table.ts';

export const SERVICE_CODES = {
  BODY_REFUSED: {
    disposition: 'drop',
    text: 'The body of a request to the ingress was too large or incomplete, or too many requests were open.',
  },
  BUDGET_EXCEEDED: {
    disposition: 'fail',
    text: 'The next model call would exceed the remaining budget; the run ends with its results so far.',
  },
  BULL_BOARD_NOT_INSTALLED: {
    disposition: 'fail',
    text: '`console.bull_board` is true, but the packages of bull-board are not installed. The message has the command; see [deploy/guide/console.md](deploy/guide/console.md#every-job). The service exits with 2.',
  },
  CAGE_MISSING: {
    disposition: 'fail',
    text: '`sandbox.required` is set and no working cage is available; the message says why, and [deploy/guide/security.md](deploy/guide/security.md#the-cage) says how to fix the problem. The service, or `fixpoint review`, exits with 2.',
  },
  CAGE_NOT_STARTED: {
    disposition: 'retry',
    text: "The cage passed its test at start, but could not be created for one command; the message contains bubblewrap's output.",
  },
  CHANGE_REQUEST_GONE: {
    disposition: 'drop',
    text: 'The forge no longer shows the change request: it was deleted, or the token lost access.',
  },
  COMMAND_NOT_ABSOLUTE: {
    disposition: 'fail',
    text: 'A program was named without its full path. This is a bug in Fixpoint: please report it.',
  },
  COMMAND_NOT_STARTED: {
    disposition: 'fail',
    text: 'A program (git, ast-grep, ripgrep) could not be started. Is it installed and executable?',
  },
  CONNECTION_LOST: {
    disposition: 'run',
    text: 'The connection to Redis was lost during a transaction; work waits as in any outage.',
  },
  DESK_CONTENDED: {
    disposition: 'retry',
    text: 'Several processes updated the pending review request of one change request at the same time. The update is retried automatically.',
  },
  DRAFT_MISSING: {
    disposition: 'run',
    text: 'The reviewer reported a draft that is no longer in Redis, for example after a wipe. The run counts as failed.',
  },
  EVAL_CASE_NOT_BUILT: {
    disposition: 'run',
    text: '`fixpoint eval run` could not build the change of a case; the message says why. The other cases are reviewed.',
  },
  EVAL_REPLAY_DIFFERS: {
    disposition: 'run',
    text: 'In `fixpoint eval run --replay`, a review asked the model something that was not recorded; the message says in what it differs. The other cases are reviewed.',
  },
  FILE_SERVER_BROKEN: {
    disposition: 'retry',
    text: 'The program that opens files in the cage died or sent an invalid answer, twice. If this error repeats, check whether the machine runs out of memory.',
  },
  JOB_REFUSED: {
    disposition: 'fail',
    text: "A job's payload does not match its schema: another version of Fixpoint added it.",
  },
  JOB_TIMED_OUT: { disposition: 'retry', text: 'A handler exceeded the time limit of its queue.' },
  LEASE_LOST: {
    disposition: 'retry',
    text: 'The lock of a change request expired while its holder worked. Later writes of the holder are discarded.',
  },
  LOCAL_REVIEW_FAILED: {
    disposition: 'fail',
    text: 'A review on the command line did not finish; the message has the reason.',
  },
  LOCK_TIMEOUT: { disposition: 'retry', text: 'Another process held the lock of a git mirror for too long.' },
  LOOP_PROMPT: { disposition: 'fail', text: 'A prompt given to `fixpoint loop` is missing, empty or too long.' },
  LOOP_REPOSITORY: {
    disposition: 'fail',
    text: "`fixpoint loop` could not use the repository; the message has git's output.",
  },
  LOOP_SETTINGS: {
    disposition: 'fail',
    text: 'The settings of `fixpoint loop` are invalid; the message lists every mistake with its file.',
  },
  LOOP_TASKS: {
    disposition: 'fail',
    text: 'The task file cannot be read, or is neither one task per line nor JSON with ids.',
  },
  MAILBOX_CONFLICT: {
    disposition: 'fail',
    text: 'Two different messages have the same id. Give the new one its own id.',
  },
  MAILBOX_UNREADABLE: { disposition: 'fail', text: 'A message folder cannot be read, or holds too many messages.' },
  MARKER_INVALID: {
    disposition: 'fail',
    text: 'The content of a marker is invalid, so the comment with it was not posted. This is a bug in Fixpoint: please report it, with the field `wrong` of the log line.',
  },
  MARKER_OF_OTHER_VERSION: {
    disposition: 'wait',
    text: 'Another version of Fixpoint wrote a comment of the bot, and this version cannot read its state. Nothing is decided or posted until a version that can read it runs, or until the comments of the bot are deleted.',
  },
  MARKER_SECRET_MISSING: {
    disposition: 'fail',
    text: 'A marker could not be signed because no secret is loaded. This is a bug in Fixpoint: please report it.',
  },
  MAX_RUNS_EXCEEDED: {
    disposition: 'run',
    text: 'Somebody replied in a thread, but the change request has no runs left: the thread goes to a human.',
  },
  NOTHING_TO_CARRY: {
    disposition: 'run',
    text: 'The verdict to carry over to the same change no longer exists or contradicts the threads. The run counts as failed, and the next run reviews.',
  },
  NOTIFY_FAILED: {
    disposition: 'retry',
    text: "A notification could not be delivered; `reason` has the HTTP status or the connection's error code. The delivery is retried with increasing delays for 18 to 36 hours; a delay that the receiver names uses up no attempt.",
  },
  NOTIFY_INTERRUPTED: {
    disposition: 'run',
    text: 'The process ended while it sent a message to a chat. It is unknown whether the message arrived, so it is not sent again.',
  },
  NOTIFY_LINK_LOCAL: {
    disposition: 'run',
    text: 'The host of a receiver has a link-local address. Nothing is sent there.',
  },
  NOTIFY_PROJECT_UNKNOWN: {
    disposition: 'retry',
    text: "The forge could not be asked for the path of an event's project. Receivers with a project filter wait for it.",
  },
  NOTIFY_REFUSED: {
    disposition: 'fail',
    text: "A receiver refused a notification, or the notification may not be sent; `reason` says why. Does the URL in the receiver's variable still exist?",
  },
  NOTIFY_TOO_OLD: { disposition: 'run', text: 'A notification could not be delivered for three days and was dropped.' },
  OUTAGE: {
    disposition: 'run',
    text: 'The model, the forge, git, the disk or Redis was unavailable for longer than `agent.outage_patience_s`. The status names which one; the review is retried automatically.',
  },
  OUTSIDE_REVIEWER_MISSING: {
    disposition: 'run',
    text: '`review.runner` is `messages`, and no `[[messages.client]]` of this project is a reviewer, or the project was moved to another reviewer during the review.',
  },
  OUTSIDE_REVIEWER_SILENT: {
    disposition: 'run',
    text: 'The external reviewer did not answer within `agent.reviewer.max_runtime_s`.',
  },
  PROJECT_PATH_MISSING: {
    disposition: 'retry',
    text: "The forge's answer does not name the project of a change request, and `[[project]]` sections exist, so its settings are unknown.",
  },
  PROTOCOL_VIOLATION: {
    disposition: 'run',
    text: 'The draft violates the rules of the rounds: an open thread without exactly one allowed action, or a repeated finding.',
  },
  RECORDING_ENDED: {
    disposition: 'fail',
    text: 'A replay needed more answers than were recorded. The recording belongs to another run or version.',
  },
  REDIS_REFUSED: {
    disposition: 'fail',
    text: 'Redis requires a password, does not accept it, or its user lacks permissions.',
  },
  REDIS_UNREACHABLE: { disposition: 'retry', text: 'Redis does not answer.' },
  REDIS_UNSAFE: {
    disposition: 'fail',
    text: 'This Redis can lose jobs or be written by anyone. The message names each reason and the setting that permits it.',
  },
  REVIEW_NOT_POSTED: {
    disposition: 'fail',
    text: "A program requested a review and none was posted: the message has guard's reason, or reports a timeout.",
  },
  RULES_ENGINE_FAILED: { disposition: 'retry', text: 'ast-grep crashed, refused a rule or exceeded its output limit.' },
  RULES_ENGINE_MISSING: {
    disposition: 'fail',
    text: 'The installed packages contain no ast-grep for this platform (for example on musl systems).',
  },
  RULES_TIMEOUT: { disposition: 'retry', text: 'The built-in rules exceeded their time limit.' },
  RUN_OVERDUE: {
    disposition: 'run',
    text: 'A run did not report before its deadline. The run counts as a failed attempt.',
  },
  SEARCH_NOT_INSTALLED: { disposition: 'fail', text: 'The installed packages contain no ripgrep for this platform.' },
  SECRET_NOT_DEMANDED: {
    disposition: 'fail',
    text: 'A process used a secret that it did not request at start. This is a bug in Fixpoint: please report it.',
  },
  SETTINGS_REFUSED: { disposition: 'fail', text: 'The settings are invalid; the message lists every mistake.' },
  STORED_DOCUMENT_MISSING: {
    disposition: 'drop',
    text: 'A packet or draft is no longer in Redis, for example after a wipe. The next event or sweep starts again.',
  },
  TRACING_NOT_INSTALLED: {
    disposition: 'fail',
    text: 'An `OTEL_…` variable switches traces on, but the packages of OpenTelemetry are not installed. The message has the command; see [deploy/guide/troubleshooting.md](deploy/guide/troubleshooting.md#traces). The service exits with 2.',
  },
  USAGE: {
    disposition: 'fail',
    text: 'The command line or the configuration is invalid; the message says what is wrong.',
  },
  WRITE_BUDGET_EXCEEDED: {
    disposition: 'fail',
    text: 'A post needed more writes than planned. The poster stops instead of flooding the change request.',
  },
} as const satisfies ErrorTable;
