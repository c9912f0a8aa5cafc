import { stripQuotedText } from './strip-quoted-text.ts';

/**
 * Returns the lines that the writer wrote, without quoted text. Empty if the comment does not contain the bot's name:
 * only the few comments that do are parsed.
 */
export const linesFor = (body: string, name: string): readonly string[] =>
  body.toLowerCase().includes(`@${name.toLowerCase()}`) ? stripQuotedText(body) : [];

/** True for `@bot fix` as whole words at the start of a line. The match is strict because a fix pushes code. */
export const isCallForFix = (line: string, name: string): boolean => {
  const wanted = `@${name.toLowerCase()}`;
  const text = line.trimStart().toLowerCase();
  return text.startsWith(wanted) && /^\s+fix(?![\p{L}\p{N}_-])/u.test(text.slice(wanted.length));
};

/** The pattern also matches whole URLs, so that a mention inside a URL is skipped. */
const mentionOf = (name: string): RegExp => {
  // Dashes must not be escaped: with flag `u` that is a syntax error.
  const escaped = name.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return new RegExp(`:\\/\\/[^\\s<]*|@${escaped}`, 'giu');
};

const NAME_CHARACTER = /[\p{L}\p{N}_.-]/u;

/** Returns the text after the first mention in a line; null if there is none. An escaped mention (`\@bot`) does not count. */
export const afterMention = (line: string, name: string): string | null => {
  for (const { 0: found, index } of line.matchAll(mentionOf(name))) {
    if (!found.startsWith('@')) continue;
    const before = line[index - 1] ?? ' ';
    const after = line.slice(index + found.length);
    // A dot or dash after the name may end a sentence. If more name characters follow it, the name is another one.
    const goesOn = NAME_CHARACTER.test(after[0] ?? ' ') && !/^[.-]+(?:\s|$)/u.test(after);
    if (!NAME_CHARACTER.test(before) && !'@/\\'.includes(before) && !goesOn) return after;
  }
  return null;
};
