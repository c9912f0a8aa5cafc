/** What the functions of the same file return, found without a parser. */
import { type Use, valueAt } from './local-values.ts';

const MAX_FUNCTION_LINES = 120;
const MAX_LINE_CHARACTERS = 500;
const MAX_RETURNED = 6;
/** A call of a function by its name, or by its name behind that of an object. */
const CALL = /^(?:await\s{1,3})?(?:[\w$]{1,60}\.){0,3}([A-Za-z_$][\w$]{0,60})\(/;
const RETURN = /^\s{0,99}(?:if\s{0,3}\([^()]{0,200}\)\s{0,3})?return\s{1,3}(\S.*)$/;

const headOf = (name: string): RegExp => {
  const word = name.replaceAll('$', '\\$');
  return new RegExp(
    `(?:\\bfunction\\s{1,3}${word}\\s{0,3}\\(|(?<![\\w$])${word}\\s{0,3}[:=]\\s{0,3}(?:async\\s{1,3})?(?:function\\b|\\()|^\\s{0,99}(?:async\\s{1,3})?${word}\\s{0,3}\\([^()]{0,200}\\)\\s{0,3}\\{)`,
  );
};

const indentOf = (line: string): number => line.length - line.trimStart().length;

export type Returned = { readonly code: string; readonly use: Use };

/** The values after `return` in the function that the code calls; empty if the code is no such call. `line`s are those of them. */
export const returnedValues = (code: string, use: Use): readonly Returned[] => {
  const [, name] = CALL.exec(code.trim()) ?? [];
  if (name === undefined) return [];
  const head = headOf(name);
  const { lines } = use;
  const at = lines.findIndex((line) => line.includes(name) && head.test(line.slice(0, MAX_LINE_CHARACTERS)));
  if (at === -1) return [];
  const indent = indentOf(lines[at] ?? '');
  const found: Returned[] = [];
  for (let index = at + 1; index < Math.min(lines.length, at + MAX_FUNCTION_LINES); index += 1) {
    const line = (lines[index] ?? '').slice(0, MAX_LINE_CHARACTERS);
    if (line.trim() !== '' && indentOf(line) <= indent) break;
    const [, value] = RETURN.exec(line) ?? [];
    if (value !== undefined) found.push({ code: valueAt(lines, index, value), use: { ...use, line: index + 1 } });
    if (found.length >= MAX_RETURNED) break;
  }
  return found;
};
