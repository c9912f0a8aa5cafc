/** Regular expressions that JavaScript builds from several strings. */
import { piecesOf } from '../inserted/inserted-values.ts';
import { localValues, type Use } from '../inserted/local-values.ts';
import { splitOutside } from '../inserted/strings.ts';
import { type Pattern, unescaped } from './named-patterns.ts';

const MAX_CHARACTERS = 2_000;
const MAX_OPERANDS = 40;
const MAX_STEPS = 2;
/** Stands for a part that is not known. No real pattern contains this character. */
const UNKNOWN = '\u{E000}';

const CONSTRUCTOR = /^(?:new\s{1,9})?RegExp\(([\s\S]*)\)$/;
const JOINED = /^\[([\s\S]*)\]\s{0,9}\.join\(\s{0,9}(?:'([^'\\]{0,9})'|"([^"\\]{0,9})")\s{0,9}\)$/;
const NAME = /^[A-Za-z_$][\w$]{0,60}$/;
const FLAGS = /^\s{0,80}["']([dgimsuvy]{0,8})["']\s{0,80}$/;
const LITERAL = /^\/(.{1,500})\/[dgimsuvy]{0,8}$/;

const split = (code: string, separator: string): readonly string[] => splitOutside(code, separator, 'JavaScript');

/** The text of a string expression, with `UNKNOWN` for each part that is not known. */
const textOf = (expression: string, use: Use, steps: number): string => {
  use.work?.spend(expression.length);
  const operands = split(expression, '+');
  if (operands.length > MAX_OPERANDS) return UNKNOWN;
  return operands.map((operand) => textOfOperand(operand.trim(), use, steps)).join('');
};

const textOfOperand = (code: string, use: Use, steps: number): string => {
  const pieces = piecesOf(code, 'JavaScript');
  if (pieces !== null)
    return pieces
      .map((piece) => (piece.kind === 'text' ? unescaped(piece.text) : textOf(piece.code, use, steps)))
      .join('');
  const [, items, single, double] = JOINED.exec(code) ?? [];
  if (items !== undefined)
    return split(items, ',')
      .map((item) => textOf(item, use, steps))
      .join(single ?? double);
  const name = code.replace(/\.source$/, '');
  return NAME.test(name) && steps > 0 ? textOfName(name, use, steps - 1) : UNKNOWN;
};

const textOfName = (name: string, use: Use, steps: number): string => {
  const found = localValues(name, use);
  if (found.kind === 'unknown' || found.values.length !== 1) return UNKNOWN;
  const [value = ''] = found.values;
  return LITERAL.exec(value)?.[1] ?? textOf(value, use, steps);
};

/** The pattern of `new RegExp(…)` with a sum of strings; null if the code is something else or no part of it is known. */
export const composedPattern = (code: string, use: Use): Pattern | null => {
  const text = code.trim();
  if (text.length > MAX_CHARACTERS) return null;
  const [, given] = CONSTRUCTOR.exec(text) ?? [];
  if (given === undefined) return null;
  const [expression = '', flags = "''", ...more] = split(given, ',').filter((each) => each.trim() !== '');
  const [, known] = FLAGS.exec(flags) ?? [];
  const source = textOf(expression.trim(), use, MAX_STEPS);
  return more.length > 0 || source.replaceAll(UNKNOWN, '') === '' ? null : { source, flags: known ?? '' };
};
