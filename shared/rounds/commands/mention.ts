import { stripQuotedText } from './strip-quoted-text.ts';

/**
 * The lines of its writer's own words, with `LEFT_OUT` for the rest; none where the name is nowhere. Few comments call
 * the bot: the others are not parsed.
 */
export const linesFor = (body: string, name: string): readonly string[] =>
  body.toLowerCase().includes(`@${name.toLowerCase()}`) ? stripQuotedText(body) : [];

/** `@bot fix` at the start of a line, and nothing that only begins so: what is told to push must have been told. */
export const isCallForFix = (line: string, name: string): boolean => {
  const wanted = `@${name.toLowerCase()}`;
  const text = line.trimStart().toLowerCase();
  return text.startsWith(wanted) && /^\s+fix(?![\p{L}\p{N}_-])/u.test(text.slice(wanted.length));
};

/** Also finds bare addresses, whole, in which a mention is none. */
const mentionOf = (name: string): RegExp => {
  // With the flag `u` a backslash before a dash is an error, and many names have dashes.
  const escaped = name.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  return new RegExp(`:\\/\\/[^\\s<]*|@${escaped}`, 'giu');
};

const NAME_CHARACTER = /[\p{L}\p{N}_.-]/u;

/**
 * What stands behind the first mention of the whole name in a line; null when there is none. An escaped mention
 * (`\@bot`) is meant to call nobody.
 */
export const afterMention = (line: string, name: string): string | null => {
  for (const { 0: found, index } of line.matchAll(mentionOf(name))) {
    if (!found.startsWith('@')) continue;
    const before = line[index - 1] ?? ' ';
    const after = line.slice(index + found.length);
    // A sentence may end behind the name; a dot or dash that a name goes on after belongs to another name.
    const goesOn = NAME_CHARACTER.test(after[0] ?? ' ') && !/^[.-]+(?:\s|$)/u.test(after);
    if (!NAME_CHARACTER.test(before) && !'@/\\'.includes(before) && !goesOn) return after;
  }
  return null;
};
