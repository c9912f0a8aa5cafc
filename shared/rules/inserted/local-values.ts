/** Finds the values of a local name in the lines above its use, without a parser. */
import { isFollowed } from './followed-name.ts';
import { LONG_QUOTES } from '../model/lines.ts';
import type { GrepLanguage } from '../model/rule.ts';
import { isNumberFunction, isQuotingFunction } from './made-safe.ts';
import { splitOutside } from './strings.ts';
import type { FollowLimit } from './follow-limit.ts';

export type Use = {
  /** The lines of the file. */
  readonly lines: readonly string[];
  /** The line of the use, counted from 1. */
  readonly line: number;
  readonly language: GrepLanguage;
  /** That of the file; without it the work has no limit. */
  readonly work?: FollowLimit;
};

const MAX_LINES_ABOVE = 400;
const MAX_LINE_CHARACTERS = 500;
const MAX_VALUE_LINES = 30;

const escape = (name: string): string => name.replaceAll(/[$\\^.*+?()[\]{}|]/g, '\\$&');

/** The type of a variable, as in Java. */
const TYPE = '(?:[A-Z][\\w.]{0,60}(?:<[^=;()]{0,80}>)?(?:\\[\\])?\\??\\s{1,4})?';
const WORDS =
  '(?:(?:export|public|private|protected|static|final|readonly|const|let|mut|var|val|my|local|String|string|int|long|auto)\\s{1,4}){0,4}';

type Patterns = { readonly assigned: RegExp; readonly looped: RegExp; readonly header: RegExp };

const patternsFor = (name: string): Patterns => {
  const word = `${name.startsWith('$') ? '' : '\\$?'}${escape(name)}`;
  return {
    assigned: new RegExp(
      `^\\s{0,99}${WORDS}${TYPE}${word}\\s{0,9}(?::[^=]{1,60})?(=|:=|\\+=|\\.=|<<)(?![=>~])(.*)$`,
      'u',
    ),
    looped: new RegExp(
      `^\\s{0,99}(?:for|foreach)\\s{0,3}\\(?\\s{0,3}(?:const|let|var|String)?\\s{0,3}${word}\\s{1,3}(?:of|in)\\s(.*?)\\s{0,3}[:{]?$`,
      'u',
    ),
    header: new RegExp(
      `(?:\\b(?:function|def|func|fn|lambda|public|private|protected|static|void)\\b[^=]*\\(.*|^[^=]*\\(|=\\s{0,3}(?:async\\s{0,3})?\\(?|\\bdo\\s{0,3}\\||\\{\\s{0,3}\\|).*(?<![\\w$])${word}(?![\\w$]).*(?:=>|\\{|:|\\|)\\s{0,3}$`,
      'u',
    ),
  };
};

const indentOf = (line: string): number => line.length - line.trimStart().length;

/**
 * Returns an expression that may span several lines: while a bracket, a string or an operator is open, the next line
 * belongs to it.
 */
export const valueAt = (lines: readonly string[], index: number, first: string): string => {
  let value = first.trim();
  for (let next = index + 1; next < Math.min(lines.length, index + MAX_VALUE_LINES) && isOpen(value); next += 1)
    value += `\n${(lines[next] ?? '').slice(0, MAX_LINE_CHARACTERS)}`;
  return value.replace(/;\s{0,9}$/, '').trim();
};

const isOpen = (code: string): boolean => {
  let depth = 0;
  for (const sign of code) {
    if ('([{'.includes(sign)) depth += 1;
    if (')]}'.includes(sign)) depth -= 1;
  }
  const isInString = LONG_QUOTES.some((quote) => code.split(quote).length % 2 === 0);
  return isInString || depth > 0 || /[+.,\\(&|]\s{0,9}$/.test(code) || code === '';
};

export type LocalValues =
  /**
   * Every value that is assigned to the name above its use, nearest first. The first `appended` ones were appended to the
   * one behind them. `isWhole`: the last one replaces what the name held before.
   */
  | {
      readonly kind: 'values';
      readonly values: readonly string[];
      /** The line of each value, counted from 1. */
      readonly at: readonly number[];
      readonly appended: number;
      readonly isWhole: boolean;
    }
  /** The name is a parameter, or no value was found. */
  | { readonly kind: 'unknown' };

const UNKNOWN: LocalValues = { kind: 'unknown' };

/** Begins a function of PHP, which does not see the variables outside it. */
const PHP_FUNCTION = /\bfunction\s{1,3}&?\w{1,100}\s{0,3}\(/;

/** What one line says about the name: its values, or that earlier lines do not count (`hides`), or nothing (null). */
type Said =
  | {
      readonly values: readonly string[];
      readonly appends: boolean;
      /** The line does not keep the earlier value. */
      readonly replaces: boolean;
    }
  | 'hides'
  | null;

const readLine = (
  { lines, index, isOuter }: { readonly lines: readonly string[]; readonly index: number; readonly isOuter: boolean },
  { assigned, looped, header }: Patterns,
  language: GrepLanguage,
): Said => {
  const whole = lines[index] ?? '';
  const text = whole.slice(0, MAX_LINE_CHARACTERS);
  const [, sign = '', value] = assigned.exec(text) ?? [];
  if (value !== undefined) {
    if (text !== whole) return 'hides';
    const replaces = sign === '=' || sign === ':=';
    return { values: [valueAt(lines, index, value)], appends: sign === '+=', replaces };
  }
  const [, list] = looped.exec(text) ?? [];
  if (list !== undefined) return { values: itemsOf(list, language), appends: false, replaces: false };
  return isOuter && header.test(text) ? 'hides' : null;
};

const CALL = /^([\w.:>$\\-]{1,120})\([^()]*\)$/;
const QUOTES = /quote|escape/i;

/** Whether the value is a call that makes its argument harmless, or a number of it. */
const isMadeSafe = (value: string): boolean => {
  const [, name] = CALL.exec(value) ?? [];
  return name !== undefined && (isNumberFunction(name) || isQuotingFunction(name, QUOTES));
};

/** Whether the value owes nothing to the earlier value of the name. */
const isNew = (value: string, name: string): boolean => !value.includes(name) || isMadeSafe(value);

const replacesAll = ({ values, replaces }: Exclude<Said, 'hides' | null>, name: string): boolean =>
  replaces && values.every((value) => isNew(value, name));

const isPhpFunction = (text: string, language: GrepLanguage): boolean => language === 'Php' && PHP_FUNCTION.test(text);

type Step = {
  readonly text: string;
  readonly line: number;
  readonly said: Said;
  readonly isOuter: boolean;
  readonly indent: number;
};

/** True if no line above this one counts. An assignment that is indented no more than the use is not in another branch. */
const isLast = ({ text, said, isOuter, indent }: Step, name: string, language: GrepLanguage): boolean =>
  said === 'hides' ||
  (said !== null && indentOf(text) <= indent && replacesAll(said, name)) ||
  (isOuter && isPhpFunction(text, language));

/** Units of work: for each line, for each character of a line with the name, and for each of a value over several lines. */
const LINE_UNITS = 1;
const CHARACTER_UNITS = 0.1;

const unitsOf = (text: string, said: Said): number => {
  if (said === null || said === 'hides') return CHARACTER_UNITS * Math.min(text.length, MAX_LINE_CHARACTERS);
  // Each line that is added is judged with those before it.
  return said.values.reduce((sum, value) => sum + CHARACTER_UNITS * value.length * value.split('\n').length, 0);
};

/** Steps through the lines above the use, the nearest first, without blank lines. */
const stepsAbove = function* (name: string, { lines, line, language, work }: Use): Generator<Step> {
  const patterns = patternsFor(name);
  let indent = indentOf(lines[line - 1] ?? '');
  for (let index = line - 2; index >= Math.max(0, line - MAX_LINES_ABOVE); index -= 1) {
    const text = lines[index] ?? '';
    work?.spend(LINE_UNITS);
    if (text.trim() === '') continue;
    const isOuter = indentOf(text) < indent;
    const isNamed = text.includes(name);
    const said = isNamed ? readLine({ lines, index, isOuter }, patterns, language) : null;
    if (isNamed) work?.spend(unitsOf(text, said));
    yield { text, line: index + 1, said, isOuter, indent };
    if (isOuter) indent = indentOf(text);
  }
};

/**
 * Looks at 400 lines. Values that are assigned above the enclosing function do not count if the name is a parameter of
 * that function. The search also ends at an assignment on a line that is too long, and at one that every way to the use passes.
 */
export const localValues = (name: string, use: Use): LocalValues => {
  if (!isFollowed(name)) return UNKNOWN;
  const values: string[] = [];
  const at: number[] = [];
  let appended = 0;
  let isWhole = false;
  for (const step of stepsAbove(name, use)) {
    const { said } = step;
    if (said !== null && said !== 'hides') {
      if (said.appends && appended === values.length) appended += 1;
      values.push(...said.values);
      at.push(...said.values.map(() => step.line));
    }
    if (isLast(step, name, use.language)) {
      isWhole = said !== null && said !== 'hides';
      break;
    }
  }
  return values.length === 0 ? UNKNOWN : { kind: 'values', values, at, appended, isWhole };
};

/** The items of a list literal; any other list is returned as the only value. */
const itemsOf = (list: string, language: GrepLanguage): readonly string[] => {
  // Removes the closing bracket of the loop header.
  const written = isOpen(`(${list}`) ? list : list.replace(/\)\s{0,9}$/, '');
  const [, items] = /^\s{0,9}[([{](.*)[)\]}]\s{0,9}$/.exec(written) ?? [];
  return items === undefined ? [written] : splitOutside(items, ',', language).filter((item) => item.trim() !== '');
};
