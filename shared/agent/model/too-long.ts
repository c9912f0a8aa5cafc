/**
 * Providers report a request that is too long like any other bad request, so this check reads the message text. A wrong guess
 * costs one more request, which is shorter.
 */
const TYPES: ReadonlySet<string> = new Set([
  'request_too_large',
  'context_length_exceeded',
  // llama.cpp
  'exceed_context_size_error',
]);

const WORDS: readonly RegExp[] = [
  /\b(?:prompt|input|request|conversation|messages?)\b.{0,20}\b(?:is|are) too (?:long|large)\b/i,
  /\bcontext[ _-](?:length|window|limit|size)(?![a-z])/i,
  /\bmaximum (?:number of )?(?:input |prompt )?tokens\b/i,
  /\btoo many (?:input |prompt )?tokens\b/i,
  /\binput tokens? (?:count )?exceeds?\b/i,
  // vLLM
  /\blonger than the maximum model length\b/i,
  // LiteLLM
  /\bContextWindowExceeded/,
  // Text Generation Inference
  /\btokens`? \+ `?max_new_tokens`? must be <=/i,
];

/** Only the beginning of the message is read; the rest may quote the request. */
const MAX_WORDS = 1_000;

type Said = {
  readonly status: number | null;
  readonly type: string | null;
  readonly words: string;
};

export const isTooLong = ({ status, type, words }: Said): boolean => {
  if (status === 413 || (type !== null && TYPES.has(type))) return true;
  const isRefusal = status === null ? type === 'invalid_request_error' : status === 400 || status === 422;
  const read = words.slice(0, MAX_WORDS);
  return isRefusal && WORDS.some((pattern) => pattern.test(read));
};
