/** Whether a name is a parameter of the function around its use, which others call by its name. */
import { isFollowed } from './followed-name.ts';
import type { Use } from './local-values.ts';

const MAX_LINES_ABOVE = 400;
const MAX_LINE_CHARACTERS = 300;
const MAX_LINES_OF_HEAD = 12;
const LINE_UNITS = 1;

const WORDS =
  '(?:(?:export|default|public|private|protected|internal|static|final|abstract|async|override|virtual|suspend|open|inline|pub|unsafe|synchronized)\\s{1,4}){0,5}';
/** A function, and one that is assigned to a name or a property. */
const FUNCTION = new RegExp(`^\\s{0,99}${WORDS}(?:function|def|func|fun|fn)\\b(.*)$`);
const ASSIGNED =
  /^\s{0,99}(?:export\s{1,4})?(?:(?:const|let|var)\s{1,4})?[\w$.]{1,80}\s{0,3}[:=]\s{0,3}(?:async\s{0,3})?((?:function\b|\(|[\w$]{1,60}\s{0,3}=>).*)$/;
const METHOD = /^\s{0,99}(?:[\w<>[\],.?]{1,60}\s{1,4}){0,6}([\w$]{1,60})(\s{0,3}\(.*)$/;
const STATEMENT =
  /^(?:if|elseif|for|foreach|while|switch|catch|using|lock|return|with|new|await|throw|else|echo|print|match|when)$/;

const COMMENT = /\/\*[^*]{0,80}\*\//g;

const indentOf = (line: string): number => line.length - line.trimStart().length;

/** The line from its name on, if the line begins a function that has one; null otherwise. */
const headOf = (text: string): string | null => {
  const [, rest] = FUNCTION.exec(text) ?? ASSIGNED.exec(text) ?? [];
  if (rest !== undefined) return rest;
  const [, name, given] = METHOD.exec(text) ?? [];
  if (name === undefined || given === undefined || /[;,]\s{0,9}$/.test(given)) return null;
  return text
    .trim()
    .split(/\s/)
    .some((word) => STATEMENT.test(word.split('(')[0] ?? ''))
    ? null
    : given;
};

/** What is between the brackets, which may be closed some lines below. */
const listIn = (head: string, lines: readonly string[], index: number): string => {
  let list = '';
  let depth = 0;
  const more = lines.slice(index + 1, index + MAX_LINES_OF_HEAD).map((line) => line.slice(0, MAX_LINE_CHARACTERS));
  const arrow = /^([\w$]{1,60})\s{0,3}=>/.exec(head)?.[1];
  if (arrow !== undefined) return arrow;
  for (const sign of [head, ...more].join('\n')) {
    // Go writes the object of a method in brackets of its own, before the others.
    if (depth === 0 && (/[{:;]/.test(sign) || (sign === '\n' && list !== ''))) break;
    if ('([{'.includes(sign)) depth += 1;
    if (')]}'.includes(sign)) depth -= 1;
    if (depth > 0) list += sign;
  }
  return list;
};

type Line = { readonly text: string; readonly index: number };

/** The lines above that are indented less than those below them, the nearest first. */
const outerLines = function* ({ lines, line, language, work }: Use): Generator<Line> {
  let indent = indentOf(lines[line - 1] ?? '');
  for (let index = line - 2; index >= Math.max(0, line - MAX_LINES_ABOVE); index -= 1) {
    const text = (lines[index] ?? '').slice(0, MAX_LINE_CHARACTERS);
    const own = indentOf(text);
    work?.spend(LINE_UNITS);
    if (text.trim() === '' || own > indent) continue;
    if (own < indent || (language === 'Php' && indent === 0)) yield { text, index };
    // The head of a function may end on a line of its own.
    indent = Math.min(indent, own + (/^\s{0,99}[){]/.test(text) ? 1 : 0));
  }
};

/** A function of PHP does not see the names around it. */
const SEES_NOTHING = /\bfunction\s{1,3}&?\w/;

/** A function that begins and ends on the line. */
const ON_LINE =
  /^\s{0,99}(?:(?:export|const|let|var|return|default)\s{1,4}){0,3}(?:[\w$.]{1,80}\s{0,3}[:=]\s{0,3})?(?:async\s{1,3})?(?:function\b[^()]{0,80}\(([^()]{0,300})\)|\(([^()]{0,300})\)\s{0,3}=>|([\w$]{1,60})\s{0,3}=>)/;

/** Whether the name is a parameter of a function that begins on the line of the use. */
export const isParameterOnLine = (name: string, { lines, line }: Use): boolean => {
  if (!isFollowed(name)) return false;
  const [, ...lists] = ON_LINE.exec((lines[line - 1] ?? '').slice(0, MAX_LINE_CHARACTERS)) ?? [];
  const word = new RegExp(`(?<![\\w$.])${name.replaceAll('$', '\\$')}(?![\\w$(])`);
  return lists.some((list: string | undefined) => list !== undefined && word.test(list));
};

/** Looks at the 400 lines above. */
export const isParameterOfFunction = (name: string, use: Use): boolean => {
  if (!isFollowed(name)) return false;
  // Kotlin writes `$` before a name in a string.
  const written = name.replace('$', use.language === 'Php' ? '\\$' : '');
  const word = new RegExp(`(?<![\\w$.])${written}(?![\\w$(])`);
  for (const { text, index } of outerLines(use)) {
    const head = headOf(text.replaceAll(COMMENT, ''));
    if (head === null) continue;
    if (word.test(listIn(head, use.lines, index))) return true;
    if (use.language === 'Php' && SEES_NOTHING.test(text)) return false;
  }
  return false;
};
