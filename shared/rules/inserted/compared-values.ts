/** Whether a `case` or `switch` above the use compares the value with known ones, whatever it does for the others. */
import { isFollowed } from './followed-name.ts';
import type { Use } from './local-values.ts';

const MAX_LINES_ABOVE = 60;
const MAX_LINE_CHARACTERS = 300;
const FUNCTION = /^\s{0,99}(?:def|function|func|fun|fn)\b/;
/** A place, without the methods that are called on it, as in `params[:type].camelcase`. */
const PLACE = /^(?:\$|@{1,2})?[A-Za-z_]\w{0,60}(?:\[[^[\]]{1,60}\])?/;

const escape = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');

const BRANCH = /^\s{0,99}(?:when|in|case|default|else|end|[})])/;

const indentOf = (line: string): number => line.length - line.trimStart().length;

/** Whether the block that begins at `from` has ended before `to`: a branch for the other values is one of it. */
const hasEnded = (lines: readonly string[], from: number, to: number): boolean =>
  lines
    .slice(from + 1, to + 1)
    .some((line) => line.trim() !== '' && indentOf(line) <= indentOf(lines[from] ?? '') && !BRANCH.test(line));

/** Looks at the 60 lines above, up to the head of a function. */
export const isComparedAbove = (code: string, { lines, line, work }: Use): boolean => {
  const [place] = PLACE.exec(code.trim()) ?? [];
  if (place === undefined || !isFollowed(place)) return false;
  const compared = new RegExp(`\\b(?:case|switch|match|when)\\s{0,3}\\(?\\s{0,3}${escape(place)}(?![\\w[])`);
  work?.spend(MAX_LINES_ABOVE);
  for (let index = line - 2; index >= Math.max(0, line - MAX_LINES_ABOVE); index -= 1) {
    const text = (lines[index] ?? '').slice(0, MAX_LINE_CHARACTERS);
    if (compared.test(text) && hasEnded(lines, index, line - 1)) return true;
    if (FUNCTION.test(text)) return false;
  }
  return false;
};
