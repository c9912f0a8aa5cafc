/** Models, the Claude Code CLI and recorded conversations. */
import type { ErrorTable } from './error-table.ts';

export const MODEL_CODES = {
  CLAUDE_CODE_BROKE: {
    disposition: 'run',
    text: 'The Claude Code CLI ended without a result: it crashed, was killed, or exceeded its output limit.',
  },
  CLAUDE_CODE_FAILED: { disposition: 'run', text: 'The Claude Code CLI reported an error.' },
  MODEL_BAD_ANSWER: {
    disposition: 'retry',
    text: "The model provider's answer cannot be parsed. Does a proxy answer instead of the provider?",
  },
  MODEL_CALL_STOPPED: {
    disposition: 'drop',
    text: 'The caller aborted a model call; only the meter throws and handles this error.',
  },
  MODEL_OUTPUT_UNREADABLE: {
    disposition: 'run',
    text: "After all corrections, the model's answer could not be read as a review.",
  },
  MODEL_OVERLOADED: {
    disposition: 'retry',
    text: 'The model provider is overloaded; if it names a retry time, the call waits until then.',
  },
  MODEL_RATE_LIMITED: {
    disposition: 'wait',
    text: 'The model provider limits the request rate; if it names no retry time, the disposition is retry.',
  },
  MODEL_REFUSED: { disposition: 'run', text: 'The model refused to review this change.' },
  MODEL_REQUEST_REFUSED: {
    disposition: 'fail',
    text: 'The model provider refused the request itself; the log has its message.',
  },
  MODEL_REQUEST_TOO_LONG: {
    disposition: 'fail',
    text: 'The request exceeds the limit of the model or its gateway; the conversation is shortened, or the review is submitted from the notes.',
  },
  MODEL_STREAM_CUT: { disposition: 'retry', text: "The model's answer was cut off." },
  MODEL_TIMED_OUT: { disposition: 'retry', text: 'The model exceeded its time limit, in total or between two chunks.' },
  MODEL_UNAUTHORISED: {
    disposition: 'fail',
    text: 'The model provider does not accept the key, or the account has no credit.',
  },
  MODEL_UNAVAILABLE: {
    disposition: 'retry',
    text: 'The model provider cannot be reached or fails; if it names a retry time, the call waits until then.',
  },
  MODEL_UNTRUSTED: {
    disposition: 'fail',
    text: 'The certificate of the model provider is not trusted. For a private CA set `ca_file` in `[agent]` or `[[agent.provider]]`.',
  },
  MODEL_WITHOUT_PRICE: {
    disposition: 'fail',
    text: 'A configured model has no price; add one with `[[agent.price]]`.',
  },
  TRANSCRIPT_CONFLICT: {
    disposition: 'retry',
    text: 'Another execution of the same run continued the conversation first.',
  },
  TRANSCRIPT_MISMATCH: {
    disposition: 'fail',
    text: 'A stored step does not match the conversation. The transcript belongs to another version.',
  },
  TRANSCRIPT_TOO_LARGE: { disposition: 'fail', text: 'The transcript of a run reached `transcripts.max_bytes`.' },
  TRANSCRIPT_UNREADABLE: {
    disposition: 'fail',
    text: 'A stored transcript is damaged or incomplete; the run starts over.',
  },
} as const satisfies ErrorTable;
