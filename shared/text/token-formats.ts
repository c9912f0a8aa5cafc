/** A half-open range of UTF-16 positions. */
export type TextRange = { readonly start: number; readonly end: number };

const LONG = '[0-9A-Za-z_-]';

/**
 * A token must not follow another token character, so that matching takes linear time. Prefixes are separate, so that
 * scanners skip this file.
 */
const PREFIXED: readonly (readonly [prefix: string, rest: string])[] = [
  ['gl(?:pat|dt|rt|rtr|cbt|ptt|ft|imt|agent|soat|ffct|oas)-', `${LONG}{16,}(?:\\.[0-9a-z.]{2,40})?`],
  ['sk-ant-', `${LONG}{16,}`],
  ['sk-(?:proj-|svcacct-)?', `${LONG}{32,}`],
  ['gh[pousr]_', '[0-9A-Za-z]{30,}'],
  ['github_pat_', '[0-9A-Za-z_]{30,}'],
  ['(?:AKIA|ASIA|AROA|AIDA)', '[0-9A-Z]{16}(?![0-9A-Za-z])'],
  ['AIza', `${LONG}{35}`],
  ['ya29\\.', `${LONG}{20,}`],
  ['xox[abeoprs]-', '[0-9A-Za-z-]{10,}'],
  ['xapp-', '[0-9A-Za-z-]{10,}'],
  ['[sr]k_(?:live|test)_', '[0-9A-Za-z]{16,}'],
  ['whsec_', '[0-9A-Za-z+/=]{16,}'],
  ['npm_', '[0-9A-Za-z]{30,}'],
  ['pypi-', `${LONG}{40,}`],
  ['hf_', '[0-9A-Za-z]{30,}'],
  ['dckr_pat_', `${LONG}{20,}`],
  ['SG\\.', `${LONG}{16,}\\.${LONG}{16,}`],
  ['AGE-SECRET-KEY-', '[0-9A-Z]{40,}'],
  ['eyJ', `${LONG}{8,}\\.eyJ${LONG}{8,}(?:\\.${LONG}*)?`],
];

const TOKENS = new RegExp(
  `(?<![0-9A-Za-z_-])(?:${PREFIXED.map(([prefix, rest]) => `${prefix}${rest}`).join('|')})`,
  'g',
);

/** Matches the password in `scheme://user:password@host`, and the value of an authorization header. */
const CARRIED =
  /(?<=:\/\/[^\s/@:]{0,128}:)(?!\[redacted\]@)[^\s/@]{1,256}(?=@)|(?<=\b(?:bearer|basic|token) )[0-9A-Za-z+/._~-]{16,}=*/gi;

const DASHES = '-'.repeat(5);
const KEY_BEGIN = new RegExp(`${DASHES}BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?${DASHES}`, 'g');
const KEY_END = new RegExp(`${DASHES}END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?${DASHES}`, 'g');
/** Length of the longest private key in characters; an end line that is further away belongs to something else. */
const MAX_KEY = 20_000;
/** Matches the characters of a key without an end line: base64, headers, and escapes of a quoted key. */
const KEY_BODY = /[0-9A-Za-z+/=\s\\:,"'>|.-]*/y;

/** The pattern is global. `matchAll` copies it for each text, which takes longer than to search most texts. */
const rangesOf = (pattern: RegExp, text: string): TextRange[] => {
  const ranges: TextRange[] = [];
  for (let match = pattern.exec(text); match !== null; match = pattern.exec(text))
    ranges.push({ start: match.index, end: pattern.lastIndex });
  return ranges;
};

/** Used only if there is no end line nearby, because the match can extend over several keys. */
const endOfBody = (text: string, start: number): number => {
  KEY_BODY.lastIndex = start;
  return start + (KEY_BODY.exec(text)?.[0].length ?? 0);
};

/** Finds private keys up to their end line, or up to where the text no longer looks like a key. Linear. */
const privateKeys = (text: string): TextRange[] => {
  const begins = rangesOf(KEY_BEGIN, text);
  if (begins.length === 0) return [];
  const ends = rangesOf(KEY_END, text);
  const keys: TextRange[] = [];
  let nextEnd = 0;
  let covered = 0;
  for (const begin of begins) {
    if (begin.start < covered) continue;
    while ((ends[nextEnd]?.start ?? Infinity) < begin.end) nextEnd += 1;
    const end = ends[nextEnd];
    covered = end !== undefined && end.start - begin.end <= MAX_KEY ? end.end : endOfBody(text, begin.end);
    keys.push({ start: begin.start, end: covered });
  }
  return keys;
};

export const findTokens = (text: string): readonly TextRange[] => [
  ...rangesOf(TOKENS, text),
  ...rangesOf(CARRIED, text),
  ...privateKeys(text),
];
