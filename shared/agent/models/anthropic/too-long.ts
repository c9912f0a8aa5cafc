/**
 * Whether a provider refused a request for its length. This is the one failure that is told by words: providers answer it
 * with the same status and type as every other mistake in a request. A wrong guess costs one shorter request.
 */
const TYPES: ReadonlySet<string> = new Set(['request_too_large', 'context_length_exceeded']);

const WORDS: readonly RegExp[] = [
  /\b(?:prompt|input|request|conversation|messages?)\b.{0,20}\b(?:is|are) too (?:long|large)\b/i,
  /\bcontext[ _-](?:length|window|limit|size)(?![a-z])/i,
  /\bmaximum (?:number of )?(?:input |prompt )?tokens\b/i,
  /\btoo many (?:input |prompt )?tokens\b/i,
  /\binput tokens? (?:count )?exceeds?\b/i,
];

/** Prose may quote the request: only its beginning is read. */
const MAX_WORDS = 1_000;

export type Refusal = {
  readonly status: number | null;
  readonly type: string | null;
  /** The provider's prose, or the body of its answer. */
  readonly words: string;
};

export const isTooLong = ({ status, type, words }: Refusal): boolean => {
  if (status === 413 || (type !== null && TYPES.has(type))) return true;
  const isRefusal = status === null ? type === 'invalid_request_error' : status === 400 || status === 422;
  const read = words.slice(0, MAX_WORDS);
  return isRefusal && WORDS.some((pattern) => pattern.test(read));
};
