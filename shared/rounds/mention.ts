/**
 * Does this comment address the bot? Only outside quotes and code, and only the whole name: `@bot-ci` is not `@bot`.
 * Line by line and without backtracking, because anybody can write a comment.
 */
export const addressesBot = (body: string, name: string): boolean => {
  for (const line of plainLines(body)) if (afterMention(line, name) !== null) return true;
  return false;
};

/**
 * `@bot fix` at the start of a line, outside quotes and code, and nothing that only begins so: what is told to push must
 * have been told.
 */
export const asksForFix = (body: string, name: string): boolean => {
  const wanted = `@${name.toLowerCase()}`;
  for (const line of plainLines(body)) {
    const text = line.trimStart().toLowerCase();
    if (text.startsWith(wanted) && /^\s+fix(?![\p{L}\p{N}_-])/u.test(text.slice(wanted.length))) return true;
  }
  return false;
};

/** Lines outside quotes and code blocks, without code spans. */
export function* plainLines(body: string): Generator<string> {
  let fence: string | null = null;
  for (const line of body.split(/\r?\n/)) {
    const marks = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1] ?? null;
    if (marks !== null) {
      if (fence === null) fence = marks;
      else if (marks.startsWith(fence)) fence = null;
      continue;
    }
    if (fence === null && !isQuoteOrCode(line)) yield withoutCodeSpans(line);
  }
}

const isQuoteOrCode = (line: string): boolean => /^ {0,3}>/.test(line) || /^(?: {4}|\t)/.test(line);

/** Code between equal runs of backticks is dropped; an unclosed run is text. */
const withoutCodeSpans = (line: string): string => {
  const parts = line.split(/(`+)/);
  const kept: string[] = [];
  for (let index = 0; index < parts.length; index += 1) {
    const part = parts[index] ?? '';
    const end = part.startsWith('`') ? parts.indexOf(part, index + 1) : -1;
    if (end > index) index = end;
    else kept.push(part);
  }
  return kept.join(' ');
};

const NAME_CHARACTER = /[\p{L}\p{N}_.-]/u;

/** What stands behind the first mention of the whole name in a plain line; null when there is none. */
export const afterMention = (line: string, name: string): string | null => {
  // With the flag `u` a backslash before a dash is an error, and many names have dashes.
  const escaped = name.replaceAll(/[\\^$.*+?()[\]{}|/]/g, '\\$&');
  for (const { 0: found, index } of line.matchAll(new RegExp(`@${escaped}`, 'giu'))) {
    const before = line[index - 1] ?? ' ';
    const after = line.slice(index + found.length);
    // A sentence may end behind the name; a dot or dash that a name goes on after belongs to another name.
    const goesOn = NAME_CHARACTER.test(after[0] ?? ' ') && !/^[.-]+(?:\s|$)/u.test(after);
    if (!NAME_CHARACTER.test(before) && before !== '@' && before !== '/' && !goesOn) return after;
  }
  return null;
};
