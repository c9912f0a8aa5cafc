/** Half-open range of UTF-16 positions. */
export type TextRange = { readonly start: number; readonly end: number };

const LONG = '[0-9A-Za-z_-]';

/**
 * Public formats of credentials: a fixed beginning and what must follow it. Each may only begin where no token
 * character precedes, so that matching stays linear. Written in two pieces so that this file is no find for a scanner.
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

/** The password in `scheme://user:password@host`, and the value of an authorization header. */
const CARRIED =
  /(?<=:\/\/[^\s/@:]{0,128}:)(?!\[redacted\]@)[^\s/@]{1,256}(?=@)|(?<=\b(?:bearer|basic|token) )[0-9A-Za-z+/._~-]{16,}=*/gi;

const DASHES = '-'.repeat(5);
const KEY_BEGIN = new RegExp(`${DASHES}BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?${DASHES}`, 'g');
const KEY_END = new RegExp(`${DASHES}END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?${DASHES}`, 'g');
/** A private key is shorter than this, in characters: a later end line belongs to something else. */
const MAX_KEY = 20_000;
/** What may stand in a key whose end is missing: base64, its headers, and the escapes of a quoted one. */
const KEY_BODY = /[0-9A-Za-z+/=\s\\:,"'>|.-]*/y;

const rangesOf = (pattern: RegExp, text: string): TextRange[] =>
  Array.from(text.matchAll(pattern), (match) => ({ start: match.index, end: match.index + match[0].length }));

/** Only where no end line is near: it may go on over many keys, each with its end. */
const endOfBody = (text: string, start: number): number => {
  KEY_BODY.lastIndex = start;
  return start + (KEY_BODY.exec(text)?.[0].length ?? 0);
};

/** Private keys, each up to its end line, or as far as it looks like a key. Linear: ends are found once, in order. */
const privateKeys = (text: string): TextRange[] => {
  const ends = rangesOf(KEY_END, text);
  const keys: TextRange[] = [];
  let nextEnd = 0;
  let covered = 0;
  for (const begin of rangesOf(KEY_BEGIN, text)) {
    if (begin.start < covered) continue;
    while ((ends[nextEnd]?.start ?? Infinity) < begin.end) nextEnd += 1;
    const end = ends[nextEnd];
    covered = end !== undefined && end.start - begin.end <= MAX_KEY ? end.end : endOfBody(text, begin.end);
    keys.push({ start: begin.start, end: covered });
  }
  return keys;
};

/** Where `text` holds something that has the form of a credential. Linear in the length of the text. */
export const findTokens = (text: string): readonly TextRange[] => [
  ...rangesOf(TOKENS, text),
  ...rangesOf(CARRIED, text),
  ...privateKeys(text),
];
