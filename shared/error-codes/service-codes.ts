/** Settings, Redis, jobs, the cage, notifications, the local loop and everything else. */
import type { ErrorTable } from './error-table.ts';

export const SERVICE_CODES = {
  BODY_REFUSED: {
    then: 'drop',
    text: 'The body of a request to the ingress was too large or incomplete, or too many requests were open.',
  },
  BUDGET_EXCEEDED: {
    then: 'fail',
    text: 'The next model call would exceed the remaining budget; the run ends with its results so far.',
  },
  CAGE_MISSING: {
    then: 'fail',
    text: '`sandbox.required` is set and no working cage is available; the message says why, and [deploy/guide/security.md](deploy/guide/security.md#the-cage) says how to fix the problem. The service, or `fixpoint review`, exits with 2.',
  },
  CAGE_NOT_STARTED: {
    then: 'retry',
    text: "The cage passed its test at start, but could not be created for one command; the message contains bubblewrap's output.",
  },
  CHANGE_REQUEST_GONE: {
    then: 'drop',
    text: 'The forge no longer shows the change request: it was deleted, or the token lost access.',
  },
  COMMAND_NOT_ABSOLUTE: {
    then: 'fail',
    text: 'A program was named without its full path. This is a bug in Fixpoint: please report it.',
  },
  COMMAND_NOT_STARTED: {
    then: 'fail',
    text: 'A program (git, ast-grep, ripgrep) could not be started. Is it installed and executable?',
  },
  CONNECTION_LOST: {
    then: 'run',
    text: 'The connection to Redis was lost during a transaction; work waits as in any outage.',
  },
  DESK_CONTENDED: {
    then: 'retry',
    text: 'Several processes updated the pending review request of one change request at the same time. The update is retried automatically.',
  },
  DRAFT_MISSING: {
    then: 'run',
    text: 'The reviewer reported a draft that is no longer in Redis, for example after a wipe. The run counts as failed.',
  },
  EVAL_CASE_NOT_BUILT: {
    then: 'run',
    text: '`fixpoint eval run` could not build the change of a case; the message says why. The other cases are reviewed.',
  },
  FILE_SERVER_BROKEN: {
    then: 'retry',
    text: 'The program that opens files in the cage died or sent an invalid answer, twice. If this error repeats, check whether the machine runs out of memory.',
  },
  JOB_REFUSED: {
    then: 'fail',
    text: "A job's payload does not match its schema: another version of Fixpoint added it.",
  },
  JOB_TIMED_OUT: { then: 'retry', text: 'A handler exceeded the time limit of its queue.' },
  LEASE_LOST: {
    then: 'retry',
    text: 'The lock of a change request expired while its holder worked. Later writes of the holder are discarded.',
  },
  LOCAL_REVIEW_FAILED: {
    then: 'fail',
    text: 'A review on the command line did not finish; the message has the reason.',
  },
  LOCK_TIMEOUT: { then: 'retry', text: 'Another process held the lock of a git mirror for too long.' },
  LOOP_PROMPT: { then: 'fail', text: 'A prompt given to `fixpoint loop` is missing, empty or too long.' },
  LOOP_REPOSITORY: {
    then: 'fail',
    text: "`fixpoint loop` could not use the repository; the message has git's output.",
  },
  LOOP_SETTINGS: {
    then: 'fail',
    text: 'The settings of `fixpoint loop` are invalid; the message lists every mistake with its file.',
  },
  LOOP_TASKS: {
    then: 'fail',
    text: 'The task file cannot be read, or is neither one task per line nor JSON with ids.',
  },
  MAILBOX_CONFLICT: { then: 'fail', text: 'Two different messages have the same id. Give the new one its own id.' },
  MAILBOX_UNREADABLE: { then: 'fail', text: 'A message folder cannot be read, or holds too many messages.' },
  MARKER_SECRET_MISSING: {
    then: 'fail',
    text: 'A marker could not be signed because no secret is loaded. This is a bug in Fixpoint: please report it.',
  },
  MAX_RUNS_EXCEEDED: {
    then: 'run',
    text: 'Somebody replied in a thread, but the change request has no runs left: the thread goes to a human.',
  },
  NOTHING_TO_CARRY: {
    then: 'run',
    text: 'The verdict to carry over to the same change no longer exists or contradicts the threads. The run counts as failed, and the next run reviews.',
  },
  NOTIFY_FAILED: {
    then: 'retry',
    text: "A notification could not be delivered; `reason` has the HTTP status or the connection's error code. The delivery is retried with increasing delays for 18 to 36 hours; a delay that the receiver names uses up no attempt.",
  },
  NOTIFY_INTERRUPTED: {
    then: 'run',
    text: 'The process ended while it sent a message to a chat. It is unknown whether the message arrived, so it is not sent again.',
  },
  NOTIFY_LINK_LOCAL: { then: 'run', text: 'The host of a receiver has a link-local address. Nothing is sent there.' },
  NOTIFY_PROJECT_UNKNOWN: {
    then: 'retry',
    text: "The forge could not be asked for the path of an event's project. Receivers with a project filter wait for it.",
  },
  NOTIFY_REFUSED: {
    then: 'fail',
    text: "A receiver refused a notification, or the notification may not be sent; `reason` says why. Does the URL in the receiver's variable still exist?",
  },
  NOTIFY_TOO_OLD: { then: 'run', text: 'A notification could not be delivered for three days and was dropped.' },
  OUTAGE: {
    then: 'run',
    text: 'The model, the forge, git, the disk or Redis was unavailable for longer than `agent.outage_patience_s`. The status names which one; the review is retried automatically.',
  },
  OUTSIDE_REVIEWER_MISSING: {
    then: 'run',
    text: '`review.runner` is `messages`, and no `[[messages.client]]` of this project is a reviewer.',
  },
  OUTSIDE_REVIEWER_SILENT: {
    then: 'run',
    text: 'The external reviewer did not answer within `agent.reviewer.max_runtime_s`.',
  },
  PROJECT_PATH_MISSING: {
    then: 'retry',
    text: "The forge's answer does not name the project of a change request, and `[[project]]` sections exist, so its settings are unknown.",
  },
  PROTOCOL_VIOLATION: {
    then: 'run',
    text: 'The draft violates the rules of the rounds: an open thread without exactly one allowed action, or a repeated finding.',
  },
  RECORDING_ENDED: {
    then: 'fail',
    text: 'A replay needed more answers than were recorded. The recording belongs to another run or version.',
  },
  REDIS_REFUSED: {
    then: 'fail',
    text: 'Redis requires a password, does not accept it, or its user lacks permissions.',
  },
  REDIS_UNREACHABLE: { then: 'retry', text: 'Redis does not answer.' },
  REDIS_UNSAFE: {
    then: 'fail',
    text: 'This Redis can lose jobs or be written by anyone. The message names each reason and the setting that permits it.',
  },
  REVIEW_NOT_POSTED: {
    then: 'fail',
    text: "A program requested a review and none was posted: the message has guard's reason, or reports a timeout.",
  },
  RULES_ENGINE_FAILED: { then: 'retry', text: 'ast-grep crashed, refused a rule or exceeded its output limit.' },
  RULES_ENGINE_MISSING: {
    then: 'fail',
    text: 'The installed packages contain no ast-grep for this platform (for example on musl systems).',
  },
  RULES_TIMEOUT: { then: 'retry', text: 'The built-in rules exceeded their time limit.' },
  RUN_OVERDUE: { then: 'run', text: 'A run did not report before its deadline. The run counts as a failed attempt.' },
  SEARCH_NOT_INSTALLED: { then: 'fail', text: 'The installed packages contain no ripgrep for this platform.' },
  SECRET_NOT_DEMANDED: {
    then: 'fail',
    text: 'A process used a secret that it did not request at start. This is a bug in Fixpoint: please report it.',
  },
  SETTINGS_REFUSED: { then: 'fail', text: 'The settings are invalid; the message lists every mistake.' },
  STORED_DOCUMENT_MISSING: {
    then: 'drop',
    text: 'A packet or draft is no longer in Redis, for example after a wipe. The next event or sweep starts again.',
  },
  TRACING_NOT_INSTALLED: {
    then: 'fail',
    text: 'An `OTEL_…` variable switches traces on, but the packages of OpenTelemetry are not installed. The message has the command; see [deploy/guide/troubleshooting.md](deploy/guide/troubleshooting.md#traces). The service exits with 2.',
  },
  USAGE: { then: 'fail', text: 'The command line or the configuration is invalid; the message says what is wrong.' },
  WRITE_BUDGET_EXCEEDED: {
    then: 'fail',
    text: 'A post needed more writes than planned. The poster stops instead of flooding the change request.',
  },
} as const satisfies ErrorTable;
