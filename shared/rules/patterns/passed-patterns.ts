/** What the calls of a function in the same file pass to one of its parameters, found without a parser. */
import { isFollowed } from '../inserted/followed-name.ts';
import { readString, splitOutside } from '../inserted/strings.ts';

const MAX_FUNCTIONS = 2_000;
const MAX_CALLS = 20;
const MAX_CALL_CHARACTERS = 1_000;

/** `name(parameters) {`, `name = function (parameters) {` and `name = (parameters) =>`, and the same after a colon. */
const FUNCTION =
  /(?<![\w$])([A-Za-z_$][\w$]{0,60})\s{0,3}(?:[:=]\s{0,3}(?:async\s{1,3})?(?:function\s{0,3}[\w$]{0,60}\s{0,3})?)?\(([^()]{0,300})\)\s{0,3}(?:=>|\{)/g;
const NO_NAME = /^(?:if|for|while|switch|catch|function|with)$/;
const COMMENT = /\/\*[^*]{0,80}\*\//g;

type FunctionHead = { readonly name: string; readonly parameters: readonly string[]; readonly line: number };

export type PassedValues = (name: string, line: number) => readonly { readonly code: string; readonly line: number }[];

const lineAt = (starts: readonly number[], offset: number): number => {
  let [low, high] = [0, starts.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((starts[middle] ?? 0) <= offset) low = middle + 1;
    else high = middle;
  }
  return low;
};

const startsOfLines = (text: string): readonly number[] => {
  const starts = [0];
  for (let at = text.indexOf('\n'); at !== -1; at = text.indexOf('\n', at + 1)) starts.push(at + 1);
  return starts;
};

const functionsIn = (text: string, starts: readonly number[]): readonly FunctionHead[] => {
  const found: FunctionHead[] = [];
  for (const match of text.matchAll(FUNCTION)) {
    const [, name = '', list = ''] = match;
    if (NO_NAME.test(name) || !isFollowed(name)) continue;
    const parameters = list
      .replaceAll(COMMENT, '')
      .split(',')
      .map((each) => each.split(/[:=]/, 1)[0]?.replace('?', '').trim() ?? '');
    found.push({ name, parameters, line: lineAt(starts, match.index) });
    if (found.length >= MAX_FUNCTIONS) break;
  }
  return found;
};

/** The arguments of the call that begins at the offset behind its opening bracket. */
const argumentsFrom = (text: string, from: number): readonly string[] => {
  const code = text.slice(from, from + MAX_CALL_CHARACTERS);
  let depth = 1;
  for (let at = 0; at < code.length; ) {
    const sign = code.charAt(at);
    if (sign === '(') depth += 1;
    else if (sign === ')') depth -= 1;
    if (depth === 0) return splitOutside(code.slice(0, at), ',', 'JavaScript');
    at = readString(code, at, 'JavaScript')?.end ?? at + (sign === '\\' ? 2 : 1);
  }
  return [];
};

/** For one file. `line` is that of the use: the nearest function above with such a parameter is meant. */
export const createPassedValues = (text: string): PassedValues => {
  let read: { readonly starts: readonly number[]; readonly functions: readonly FunctionHead[] } | null = null;
  return (name, line) => {
    if (read === null) {
      const starts = startsOfLines(text);
      read = { starts, functions: functionsIn(text, starts) };
    }
    const { starts, functions } = read;
    const around = functions.findLast((each) => each.line <= line && each.parameters.includes(name));
    if (around === undefined) return [];
    const position = around.parameters.indexOf(name);
    const calls = new RegExp(`(?<![\\w$])${around.name.replaceAll('$', '\\$')}\\(`, 'g');
    const found: { code: string; line: number }[] = [];
    for (const match of text.matchAll(calls)) {
      const at = lineAt(starts, match.index);
      const code = at === around.line ? undefined : argumentsFrom(text, match.index + match[0].length)[position];
      if (code !== undefined) found.push({ code: code.trim(), line: at });
      if (found.length >= MAX_CALLS) break;
    }
    return found;
  };
};
