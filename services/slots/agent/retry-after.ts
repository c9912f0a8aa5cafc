/**
 * Finds how long a provider asks to wait: in a key of an event or header, or in a sentence. Searches only what the
 * failed agent's program reported (standard error and error events), never text of agents or tools. Pure.
 */
const SECONDS: Readonly<Record<string, number>> = { ms: 0.001, s: 1, m: 60, h: 3_600, d: 86_400 };

const KEY = /\bretry[-_ ]?after(?:[-_ ]?(ms|seconds))?["']?\s*[:=]\s*["']?(\d{1,7}(?:\.\d+)?)/gi;
/** One part of a duration, such as `6m` or `6 minutes`. Providers join several: `6m0s`, `1 hour 5 minutes`, `1h, 5m and 3s`. */
const PART =
  /(\d{1,7}(?:\.\d{1,9})?)\s{0,3}(milliseconds?|ms|seconds?|secs?|s|minutes?|mins?|m|hours?|hrs?|h|days?|d)(?!\p{L})/iu;
const JOINT = /(?:,?\s{1,3}and\s{1,3}|,\s{0,3}|\s{1,3})?/u;
const SENTENCE = new RegExp(
  `\\b(?:try again|retry|retrying|resets?|available)\\s{1,3}(?:in|after)\\s{1,3}(?:about\\s{1,3})?(${PART.source}(?:${JOINT.source}${PART.source}){0,3})`,
  'giu',
);

const unitOf = (word: string): number => {
  const short = word.toLowerCase();
  if (short === 'ms' || short.startsWith('milli')) return SECONDS['ms'] ?? 0;
  return SECONDS[short.charAt(0)] ?? 1;
};

const durationOf = (words: string): number =>
  [...words.matchAll(new RegExp(PART, 'giu'))].reduce(
    (sum, [, number, unit]) => sum + Number(number) * unitOf(unit ?? 's'),
    0,
  );

/** Only the end of the text is searched, because earlier output is not about the failure. */
const MAX_CHARACTERS = 8_000;

/** Returns the last wait that the text mentions, in whole seconds, rounded up, or null. */
export const retryAfterSeconds = (printed: string): number | null => {
  const tail = printed.slice(-MAX_CHARACTERS);
  const named = [...tail.matchAll(KEY)].map((match) => ({
    at: match.index,
    seconds: Number(match[2]) * unitOf(match[1] ?? 's'),
  }));
  const said = [...tail.matchAll(SENTENCE)].map((match) => ({
    at: match.index,
    seconds: durationOf(match[1] ?? ''),
  }));
  const last = [...named, ...said].toSorted((one, other) => one.at - other.at).at(-1);
  return last === undefined ? null : Math.ceil(last.seconds);
};
