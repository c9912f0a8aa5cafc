/** What the functions of the same file return, found without a parser. */
import { type Use, valueAt } from './local-values.ts';

const MAX_FUNCTION_LINES = 120;
const MAX_LINE_CHARACTERS = 500;
const MAX_RETURNED = 6;
/** A call of a function by its name, or by its name behind that of an object. */
const CALL = /^(?:await\s{1,3})?(?:[\w$]{1,60}\.){0,3}([A-Za-z_$][\w$]{0,60})\(/;
const RETURN = /^\s{0,99}(?:if\s{0,3}\([^()]{0,200}\)\s{0,3})?return\s{1,3}(\S.*)$/;

/** The three ways to begin a function, with its name. */
const HEADS = [
  /\bfunction\s{1,3}([A-Za-z_$][\w$]{0,60})\s{0,3}\(/g,
  /(?<![\w$])([A-Za-z_$][\w$]{0,60})\s{0,3}[:=]\s{0,3}(?:async\s{1,3})?(?:function\b|\()/g,
  /^\s{0,99}(?:async\s{1,3})?([A-Za-z_$][\w$]{0,60})\s{0,3}\([^()]{0,200}\)\s{0,3}\{/g,
];

/** The index of the first line that begins a function with the name, by name. */
const readHeads = (lines: readonly string[]): ReadonlyMap<string, number> => {
  const found = new Map<string, number>();
  for (const [index, line] of lines.entries())
    for (const head of HEADS)
      for (const [, name = ''] of line.slice(0, MAX_LINE_CHARACTERS).matchAll(head))
        if (!found.has(name)) found.set(name, index);
  return found;
};

/** Each file is read once, however many calls it has. */
const headsOf = new WeakMap<readonly string[], ReadonlyMap<string, number>>();

const indentOf = (line: string): number => line.length - line.trimStart().length;

export type Returned = { readonly code: string; readonly use: Use };

/** The values after `return` in the function that the code calls; empty if the code is no such call. `line`s are those of them. */
export const returnedValues = (code: string, use: Use): readonly Returned[] => {
  const [, name] = CALL.exec(code.trim()) ?? [];
  if (name === undefined) return [];
  const { lines, work } = use;
  const heads = headsOf.get(lines) ?? readHeads(lines);
  headsOf.set(lines, heads);
  const at = heads.get(name);
  if (at === undefined) return [];
  const indent = indentOf(lines[at] ?? '');
  const found: Returned[] = [];
  for (let index = at + 1; index < Math.min(lines.length, at + MAX_FUNCTION_LINES); index += 1) {
    const line = (lines[index] ?? '').slice(0, MAX_LINE_CHARACTERS);
    work?.spend(1);
    if (line.trim() !== '' && indentOf(line) <= indent) break;
    const [, value] = RETURN.exec(line) ?? [];
    if (value !== undefined) found.push({ code: valueAt(lines, index, value), use: { ...use, line: index + 1 } });
    if (found.length >= MAX_RETURNED) break;
  }
  return found;
};
