/** Answers of a forge, and what keeps a request from one. */
import type { ErrorTable } from './error-table.ts';

export const FORGE_CODES = {
  FORGE_ABORTED: {
    disposition: 'retry',
    text: "The call was aborted because the service shuts down or the job's time limit was reached.",
  },
  FORGE_BAD_ANSWER: {
    disposition: 'fail',
    text: "The forge's answer cannot be parsed; a truncated body and `null` are retried. Does a proxy answer instead of the forge? `null`: the forge lists this object and cannot read it itself; its log says why.",
  },
  FORGE_BAD_THREAD: {
    disposition: 'fail',
    text: 'The thread id was not created by this adapter. This is a bug in Fixpoint: please report it.',
  },
  FORGE_BASE_URL_INVALID: {
    disposition: 'fail',
    text: '`base_url` is not an http(s) URL, or it has a user, query or fragment.',
  },
  FORGE_COMMANDS_ONLY: {
    disposition: 'fail',
    text: 'GitLab interpreted the whole comment as quick actions and stored no comment. The sanitizer should prevent such comments, so please report this error. The metric `fixpoint_alarms_total` counts it.',
  },
  FORGE_FORBIDDEN: {
    disposition: 'fail',
    text: "The token's account lacks permission. Check its role in the project and the scopes of the token.",
  },
  FORGE_INLINE_REFUSED: {
    disposition: 'fail',
    text: 'The forge refuses a comment at that position. The poster falls back to a position that it accepts.',
  },
  FORGE_NOT_CONFIGURED: {
    disposition: 'fail',
    text: 'A job names a forge that is not in the configuration. Was its `id` renamed?',
  },
  FORGE_NOT_FOUND: {
    disposition: 'fail',
    text: "The forge reports that the object does not exist or is not visible to the token's account.",
  },
  FORGE_PENDING_DRAFT: {
    disposition: 'fail',
    text: "The bot's account has an unpublished review that Fixpoint did not create. Submit or delete it on the page of the change request; the job waits as in an outage.",
  },
  FORGE_RATE_LIMITED: {
    disposition: 'wait',
    text: 'The forge limits the request rate; the call is retried at the time that the forge names.',
  },
  FORGE_REDIRECTED: {
    disposition: 'fail',
    text: 'The forge answered with a redirect; redirects are never followed. Set `base_url` to the final URL.',
  },
  FORGE_REJECTED: {
    disposition: 'fail',
    text: 'The forge rejected the request; `explanation` in the log has its message.',
  },
  FORGE_TOKEN_INVALID: {
    disposition: 'fail',
    text: 'The token is empty or contains characters that are invalid in a token.',
  },
  FORGE_UNAUTHORISED: {
    disposition: 'fail',
    text: 'The forge does not accept the token. Was it revoked, or has it expired?',
  },
  FORGE_UNAVAILABLE: {
    disposition: 'retry',
    text: 'The forge cannot be reached or answers 5xx; if it names a retry time, the call waits until then.',
  },
  FORGE_UNKNOWN_OUTCOME: {
    disposition: 'retry',
    text: 'A write was sent and its outcome is unknown. The retry reads before it writes.',
  },
  FORGE_UNTRUSTED: {
    disposition: 'run',
    text: 'The certificate of the forge is not trusted. Set `ca_file` for a private CA.',
  },
} as const satisfies ErrorTable;
