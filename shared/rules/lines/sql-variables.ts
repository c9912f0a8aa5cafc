/** What the lines above say about a variable of T-SQL: who gives it its value, and whether it is a number. */

const MAX_LINES_ABOVE = 300;
const MAX_LINE_CHARACTERS = 2_000;
const MAX_STEPS = 3;

const NUMBER_TYPE =
  /^(?:(?:big|small|tiny)?int|bit|decimal|numeric|float|real|(?:small)?money|(?:small)?date\w{0,10}|time|uniqueidentifier)$/i;
const DECLARE = /\bDECLARE\b/i;
const HEAD = /\b(?:CREATE|ALTER)\b.{0,40}?\b(?:PROC(?:EDURE)?|FUNCTION)\b/i;
/** Another batch does not see the variable. */
const END_OF_BATCH = /^\s{0,99}GO\s{0,99}$/i;
const VARIABLE = /@\w{1,100}/g;
/** A number or a time as text. */
const NUMBER_AS_TEXT = /^\(?(?:CAST|CONVERT|STR|RTRIM|LTRIM|FORMAT)\s{0,3}\([^'"]{0,200}\)$/i;

export type SqlVariable = 'number' | 'local' | 'parameter' | 'unknown';

type Declared = { readonly type: string; readonly isParameter: boolean };

const aboveOf = (lines: readonly string[], line: number): readonly string[] => {
  const above = lines.slice(Math.max(0, line - 1 - MAX_LINES_ABOVE), line - 1);
  const batch = above.findLastIndex((text) => END_OF_BATCH.test(text));
  return above.slice(batch + 1).map((text) => text.slice(0, MAX_LINE_CHARACTERS));
};

const declarationOf = (name: string, above: readonly string[]): Declared | null => {
  const declared = new RegExp(`(?<!\\bCAST\\s?\\(\\s?)${name}\\s{1,20}(?:AS\\s{1,20})?\\[?(\\w{1,40})`, 'i');
  const assigned = new RegExp(`\\b(?:SET|SELECT)\\s{1,20}${name}\\b`, 'i');
  for (let index = above.length - 1; index >= 0; index -= 1) {
    const text = above[index] ?? '';
    if (!text.toLowerCase().includes(name.toLowerCase()) || assigned.test(text)) continue;
    const [, type] = declared.exec(text) ?? [];
    if (type === undefined) continue;
    // A list of names may begin some lines above.
    const begin = above.slice(0, index + 1).findLast((each) => DECLARE.test(each) || HEAD.test(each));
    if (begin !== undefined) return { type, isParameter: !DECLARE.test(begin) };
  }
  return null;
};

/** The expressions that are assigned to the variable above, each up to the end of its line. */
const assignedTo = (name: string, above: readonly string[]): readonly string[] => {
  const assigned = new RegExp(
    `(?:\\b(?:SET|SELECT)\\s{1,20}|,\\s{0,20})${name}\\s{0,20}\\+?=\\s{0,20}(.{1,1000})$`,
    'i',
  );
  return above.flatMap((text) => {
    const [, value] = assigned.exec(text) ?? [];
    return value === undefined ? [] : [value.replace(/;?\s{0,20}$/, '')];
  });
};

const variablesIn = (code: string): readonly string[] => [...code.matchAll(VARIABLE)].map(([name]) => name);

/** `line`: the one that uses the variable, counted from 1. */
export const sqlVariable = (
  name: string,
  lines: readonly string[],
  line: number,
  steps: number = MAX_STEPS,
): SqlVariable => {
  const above = aboveOf(lines, line);
  const declared = declarationOf(name, above);
  if (declared === null) return 'unknown';
  if (NUMBER_TYPE.test(declared.type)) return 'number';
  if (declared.isParameter) return 'parameter';
  const values = assignedTo(name, above);
  if (steps <= 0) return 'unknown';
  const kindsOf = (value: string): readonly SqlVariable[] =>
    variablesIn(value)
      .filter((each) => each.toLowerCase() !== name.toLowerCase())
      .map((each) => sqlVariable(each, lines, line, steps - 1));
  const isNumber = (value: string): boolean =>
    NUMBER_AS_TEXT.test(value) && variablesIn(value).length > 0 && kindsOf(value).every((kind) => kind === 'number');
  if (values.length > 0 && values.every(isNumber)) return 'number';
  const kinds = values.flatMap(kindsOf);
  return kinds.find((kind) => kind === 'parameter') ?? kinds.find((kind) => kind === 'unknown') ?? 'local';
};
