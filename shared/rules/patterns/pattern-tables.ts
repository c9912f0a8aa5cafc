/** Regular expressions that are in a list or an object, and are applied by their index or key, or one after the other. */
import { isFollowed } from '../inserted/followed-name.ts';
import { literalPatterns, type Pattern } from './named-patterns.ts';

const MAX_TABLES = 3;
const MAX_TABLE_CHARACTERS = 6_000;
const MAX_LINES_ABOVE = 40;
const MAX_LINE_CHARACTERS = 500;

/** The code from the offset of a bracket to the one that closes it. Brackets in strings and patterns are counted too. */
const bracketed = (text: string, from: number): string => {
  let depth = 0;
  const end = Math.min(text.length, from + MAX_TABLE_CHARACTERS);
  for (let at = from; at < end; at += 1) {
    const sign = text.charAt(at);
    if (sign === '\\') at += 1;
    else if ('([{'.includes(sign)) depth += 1;
    else if (')]}'.includes(sign)) depth -= 1;
    if (depth <= 0) return text.slice(from, at + 1);
  }
  return text.slice(from, end);
};

/** The patterns in the lists and objects that the file binds to the name. */
export const tablePatterns = (name: string, text: string): readonly Pattern[] => {
  if (!isFollowed(name)) return [];
  const bound = new RegExp(`(?<![\\w$])${name.replaceAll('$', '\\$')}\\s{0,3}[:=]\\s{0,9}(?=[{[])`, 'g');
  const found: Pattern[] = [];
  let tables = 0;
  for (const match of text.matchAll(bound)) {
    tables += 1;
    if (tables > MAX_TABLES) break;
    found.push(...literalPatterns(bracketed(text, match.index + match[0].length)));
  }
  return found;
};

/** The names of tables in code such as `table[key]`. */
export const indexedNames = (code: string): readonly string[] =>
  [...code.slice(0, 300).matchAll(/(?<![\w$])([A-Za-z_$][\w$]{0,60})\[/g)].flatMap(([, name]) => name ?? []);

/** The names of lists whose items the callback around the line takes under this name: `list` of `list.some((item) => …`. */
export const listsOfItem = (name: string, lines: readonly string[], line: number): readonly string[] => {
  if (!isFollowed(name)) return [];
  const header = new RegExp(
    `(?<![\\w$])([A-Za-z_$][\\w$]{0,60})\\.(?:some|every|forEach|map|filter|find|reduce)\\(\\s{0,3}(?:function\\s{0,3})?\\(?${name.replaceAll('$', '\\$')}(?![\\w$])`,
  );
  for (let index = line - 1; index >= Math.max(0, line - 1 - MAX_LINES_ABOVE); index -= 1) {
    const [, list] = header.exec((lines[index] ?? '').slice(0, MAX_LINE_CHARACTERS)) ?? [];
    if (list !== undefined) return [list];
  }
  return [];
};
