/**
 * Finds how long a provider asks to wait: in a key of an event or header, or in a sentence. Searches only what the
 * failed agent's program reported (standard error and error events), never text of agents or tools. Pure.
 */
const SECONDS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3_600 };

const KEY = /\bretry[-_ ]?after["']?\s*[:=]\s*["']?(\d{1,7}(?:\.\d+)?)/gi;
const SENTENCE =
  /\b(?:try again|retry|retrying|resets?|available)\s+(?:in|after)\s+(?:about\s+)?(\d{1,7}(?:\.\d+)?)\s*(ms|milliseconds?|s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?)\b/gi;

const unitOf = (word: string): number => {
  const short = word.toLowerCase();
  if (short === 'ms' || short.startsWith('milli')) return SECONDS['ms'] ?? 0;
  return SECONDS[short.charAt(0)] ?? 1;
};

/** Only the end of the text is searched, because earlier output is not about the failure. */
const MAX_CHARACTERS = 8_000;

/** Returns the last wait that the text mentions, in whole seconds, rounded up, or null. */
export const retryAfterSeconds = (printed: string): number | null => {
  const tail = printed.slice(-MAX_CHARACTERS);
  const named = [...tail.matchAll(KEY)].map((match) => ({ at: match.index, seconds: Number(match[1]) }));
  const said = [...tail.matchAll(SENTENCE)].map((match) => ({
    at: match.index,
    seconds: Number(match[1]) * unitOf(match[2] ?? 's'),
  }));
  const last = [...named, ...said].toSorted((one, other) => one.at - other.at).at(-1);
  return last === undefined ? null : Math.ceil(last.seconds);
};
