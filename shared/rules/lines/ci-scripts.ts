import { readable } from './line-matches.ts';

export type ScriptLine = { readonly number: number; readonly text: string };

const KEY = /^((?: {1,100}|- {1,20}){0,20})(run|script|before_script|after_script) {0,8}:(?: (.*))?$/;

const indentOf = (line: string): number => line.length - line.trimStart().length;

/** Returns the lines of shell code in a CI definition: values of `run`, `script`, `before_script` and `after_script`. */
export const ciScriptLines = (lines: readonly string[]): readonly ScriptLine[] => {
  const found: ScriptLine[] = [];
  let open: number | null = null;
  for (const [index, whole] of lines.entries()) {
    const line = readable(whole);
    if (open !== null && isInside(line, open)) {
      if (!/^\s*(?:#|$)/.test(line)) found.push({ number: index + 1, text: line.trim().replace(/^(?:- )+/, '') });
      continue;
    }
    open = null;
    const [, before, , value = ''] = KEY.exec(line) ?? [];
    if (before === undefined) continue;
    open = before.length;
    if (!/^\s*(?:[|>][-+0-9]{0,3}\s*(?:#.*)?)?$/.test(value)) found.push({ number: index + 1, text: value.trim() });
  }
  return found;
};

/** The value of a key: more indented lines, and items of a list that begin in the column of the key. */
const isInside = (line: string, keyIndent: number): boolean => {
  if (line.trim() === '') return true;
  const indent = indentOf(line);
  return indent > keyIndent || (indent === keyIndent && /^\s*- /.test(line));
};
