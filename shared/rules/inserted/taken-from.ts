/** The value that a name is taken out of: `req.query` of `const { title } = req.query`. */
import { isFollowed } from './followed-name.ts';
import { type Use, valueAt } from './local-values.ts';

const MAX_LINES_ABOVE = 60;
const MAX_LINE_CHARACTERS = 500;
/** Begins a function. A name in one does not mean the same as outside it if the function is not around the use. */
const FUNCTION = /\b(?:function|def|func|fun)\b|=>\s{0,3}\{?$/;

const indentOf = (line: string): number => line.length - line.trimStart().length;

const patternsFor = (name: string): readonly RegExp[] => {
  const word = `(?<![\\w$])${name.startsWith('$') ? `\\${name}` : name}(?![\\w$])`;
  return [
    new RegExp(
      `^\\s{0,99}(?:(?:const|let|var)\\s{1,4})?(?:list\\s?\\(|[[{]).{0,300}?${word}.{0,300}?[)\\]}]\\s{0,9}=(?![=>])(.*)$`,
    ),
    new RegExp(`\\bforeach\\s{0,3}\\((.{1,300}?)\\sas\\s[^)]{0,100}?${word}`),
  ];
};

/** Looks at the lines above up to the head of the function. Null if the name is not taken out of anything there. */
export const takenFrom = (name: string, { lines, line, work }: Use): string | null => {
  if (!isFollowed(name)) return null;
  const patterns = patternsFor(name);
  const indent = indentOf(lines[line - 1] ?? '');
  work?.spend(MAX_LINES_ABOVE);
  for (let index = line - 1; index >= Math.max(0, line - MAX_LINES_ABOVE); index -= 1) {
    const text = (lines[index] ?? '').slice(0, MAX_LINE_CHARACTERS);
    if (text.includes(name)) {
      work?.spend(text.length);
      const found = patterns.map((pattern) => pattern.exec(text)?.[1]).find((value) => value !== undefined);
      if (found !== undefined) return valueAt(lines, index, found);
    }
    if (text.trim() !== '' && indentOf(text) < indent && FUNCTION.test(text)) return null;
  }
  return null;
};
