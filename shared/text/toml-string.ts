/** Anything but plain letters, digits, punctuation and symbols; `<` could begin a marker. */
const UNSAFE = /[^\p{L}\p{N}\p{P}\p{S} ]|[<"\\]/gu;

/** Half a surrogate pair, which TOML cannot hold. */
const HALF = /\p{Cs}/gu;

const escaped = (character: string): string => {
  if (character === '"' || character === '\\') return `\\${character}`;
  const code = (character.codePointAt(0) ?? 0).toString(16).toUpperCase();
  return code.length > 4 ? `\\U${code.padStart(8, '0')}` : `\\u${code.padStart(4, '0')}`;
};

/** A TOML basic string on one line that nothing in `text` can end. Invisible characters are escaped. */
export const tomlString = (text: string): string =>
  `"${text.replaceAll(HALF, '\u{FFFD}').replaceAll(UNSAFE, escaped)}"`;
