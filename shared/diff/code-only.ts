/**
 * Comments, and the text of strings, in the syntax of most languages. Each form also ends at the end of its line or of the
 * text, so that every match succeeds and the work is linear.
 */
const NO_CODE = new RegExp(
  [
    /\/\*[\s\S]*?(?:\*\/|(?![\s\S]))/,
    /<!--[\s\S]*?(?:-->|(?![\s\S]))/,
    /"""[\s\S]*?(?:"""|(?![\s\S]))/,
    /'''[\s\S]*?(?:'''|(?![\s\S]))/,
    /`(?:\\[\s\S]|[^`\\])*`?/,
    /"(?:\\.|[^"\\\n])*"?/,
    /'(?:\\.|[^'\\\n])*'?/,
    /\/\/[^\n]*/,
    /(?<![^\s])#(?!\[|include|define|if|else|endif|pragma|import)[^\n]*/,
    /(?<![^\s])--[ \t][^\n]*/,
    /(?<![^\n])[ \t]{0,200}(?:[;%]|\*(?=[\s/]))[^\n]*/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
);

/**
 * Returns the text without its comments and without the content of its strings. In doubt, it removes too much, for
 * example after an apostrophe that does not begin a string.
 */
export const codeOnly = (text: string): string =>
  text.replace(NO_CODE, (found) => (/^["'`]/.test(found) ? found.slice(0, 1).repeat(2) : ' '));
