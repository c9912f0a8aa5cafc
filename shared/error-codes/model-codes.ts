/** Models, the Claude Code CLI and recorded conversations. */
import type { ErrorTable } from './error-table.ts';

export const MODEL_CODES = {
  CLAUDE_CODE_BROKE: {
    then: 'run',
    text: 'The Claude Code CLI ended without a result: it crashed, was killed, or exceeded its output limit.',
  },
  CLAUDE_CODE_FAILED: { then: 'run', text: 'The Claude Code CLI reported an error.' },
  MODEL_BAD_ANSWER: {
    then: 'retry',
    text: "The model provider's answer cannot be parsed. Does a proxy answer instead of the provider?",
  },
  MODEL_CALL_STOPPED: {
    then: 'drop',
    text: 'The caller aborted a model call; only the meter throws and handles this error.',
  },
  MODEL_OUTPUT_UNREADABLE: {
    then: 'run',
    text: "After all corrections, the model's answer could not be read as a review.",
  },
  MODEL_OVERLOADED: {
    then: 'retry',
    text: 'The model provider is overloaded; if it names a retry time, the call waits until then.',
  },
  MODEL_RATE_LIMITED: {
    then: 'wait',
    text: 'The model provider limits the request rate; if it names no retry time, the disposition is retry.',
  },
  MODEL_REFUSED: { then: 'run', text: 'The model refused to review this change.' },
  MODEL_REQUEST_REFUSED: {
    then: 'fail',
    text: 'The model provider refused the request itself; the log has its message.',
  },
  MODEL_REQUEST_TOO_LONG: {
    then: 'fail',
    text: 'The request exceeds the limit of the model or its gateway; the conversation is shortened, or the review is submitted from the notes.',
  },
  MODEL_STREAM_CUT: { then: 'retry', text: "The model's answer was cut off." },
  MODEL_TIMED_OUT: { then: 'retry', text: 'The model exceeded its time limit, in total or between two chunks.' },
  MODEL_UNAUTHORISED: {
    then: 'fail',
    text: 'The model provider does not accept the key, or the account has no credit.',
  },
  MODEL_UNAVAILABLE: {
    then: 'retry',
    text: 'The model provider cannot be reached or fails; if it names a retry time, the call waits until then.',
  },
  MODEL_UNTRUSTED: {
    then: 'fail',
    text: 'The certificate of the model provider is not trusted. For a private CA set `ca_file` in `[agent]` or `[[agent.provider]]`.',
  },
  MODEL_WITHOUT_PRICE: { then: 'fail', text: 'A configured model has no price; add one with `[[agent.price]]`.' },
  TRANSCRIPT_CONFLICT: { then: 'retry', text: 'Another execution of the same run continued the conversation first.' },
  TRANSCRIPT_MISMATCH: {
    then: 'fail',
    text: 'A stored step does not match the conversation. The transcript belongs to another version.',
  },
  TRANSCRIPT_TOO_LARGE: { then: 'fail', text: 'The transcript of a run reached `transcripts.max_bytes`.' },
  TRANSCRIPT_UNREADABLE: { then: 'fail', text: 'A stored transcript is damaged or incomplete; the run starts over.' },
} as const satisfies ErrorTable;
