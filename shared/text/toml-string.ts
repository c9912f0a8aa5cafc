/** Matches everything except plain letters, digits, punctuation and symbols; `<` is included because it could begin a marker. */
const UNSAFE = /[^\p{L}\p{N}\p{P}\p{S} ]|[<"\\]/gu;

/** Matches half of a surrogate pair, which TOML cannot contain. */
const HALF = /\p{Cs}/gu;

const escaped = (character: string): string => {
  if (character === '"' || character === '\\') return `\\${character}`;
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
  return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`;
};

/** Returns a TOML basic string on one line that nothing in `text` can end. Invisible characters are escaped. */
export const tomlString = (text: string): string =>
  `"${text.replaceAll(HALF, '\u{FFFD}').replaceAll(UNSAFE, escaped)}"`;
