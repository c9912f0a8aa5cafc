/** Which values an expression inserts into the string that it builds. */
import type { GrepLanguage } from '../model/rule.ts';
import { type Piece, readString, splitOutside } from './strings.ts';

export type Inserted = {
  readonly code: string;
  /** The text of the string before the value. */
  readonly before: string;
};

export const withoutBrackets = (code: string): string => {
  const text = code.trim();
  if (!text.startsWith('(') || !text.endsWith(')')) return text;
  const inner = text.slice(1, -1);
  let depth = 0;
  for (const sign of inner) {
    if (sign === '(') depth += 1;
    if (sign === ')') depth -= 1;
    if (depth < 0) return text;
  }
  return inner.trim();
};

/** Splits code that consists only of string literals, such as `"a" f"b{c}"`, into its pieces; null for other code. */
export const piecesOf = (code: string, language: GrepLanguage): readonly Piece[] | null => {
  const pieces: Piece[] = [];
  for (let at = 0; at < code.length; ) {
    if (/\s/.test(code.charAt(at))) {
      at += 1;
      continue;
    }
    const string = readString(code, at, language);
    if (string === null) return null;
    pieces.push(...string.pieces);
    at = string.end;
  }
  return pieces.length === 0 ? null : pieces;
};

const textOf = (pieces: readonly Piece[]): string =>
  pieces.map((piece) => (piece.kind === 'text' ? piece.text : '\0')).join('');

const FORMAT_CALL = /^(?:(?:fmt|string|String|util)\.)?(?:Sprintf?|[fF]ormat|sprintf|printf)\s{0,3}\(/;
/** That of Rust, whose braces may hold a name. */
const FORMAT_MACRO = /^(?:std::)?format!\s{0,3}[([]/;
const BRACES = /\{\{|\}\}|\{([^{}:]{0,99})(?::[^{}]{0,30})?\}/g;
const NAMED = /^\s{0,9}([a-z_]\w{0,60})\s{0,9}=(?!=)(.*)$/s;
/** Verbs of `printf`, and the braces of `str.format`. */
const VERB = /%%|%[-+ #0-9.*]{0,8}(?:\([\w]{1,60}\))?[-+ #0-9.]{0,8}([a-zA-Z])|\{[^{}]{0,99}\}/g;
const NUMBER_VERBS = 'dioxXucfFeEgGb';

/** The values of a format string. A value that a verb prints as a number is left out. */
const formatted = (text: string, values: readonly string[]): readonly Inserted[] => {
  const verbs = [...text.matchAll(VERB)].filter(([verb]) => verb !== '%%');
  return values.flatMap((code, index) => {
    const verb = verbs[index];
    if (verb?.[1] !== undefined && NUMBER_VERBS.includes(verb[1])) return [];
    return [{ code: code.trim(), before: text.slice(0, verb?.index ?? text.length) }];
  });
};

const argumentsIn = (code: string, language: GrepLanguage): readonly string[] =>
  splitOutside(code.slice(code.indexOf('(') + 1, code.lastIndexOf(')')), ',', language).filter(
    (each) => each.trim() !== '',
  );

/** `{}` takes the next value, `{1}` that of the number, and `{name}` the value or the variable of the name. */
const ofMacro = (text: string, values: readonly string[]): readonly Inserted[] => {
  const named = new Map<string, string>();
  const ordered: string[] = [];
  for (const value of values) {
    const [, name, code] = NAMED.exec(value) ?? [];
    if (name === undefined || code === undefined) ordered.push(value.trim());
    else named.set(name, code.trim());
  }
  let next = 0;
  return [...text.matchAll(BRACES)].flatMap((match) => {
    const [, name] = match;
    if (name === undefined) return [];
    const before = text.slice(0, match.index);
    if (name !== '' && !/^\d+$/.test(name)) return [{ code: named.get(name) ?? name, before }];
    const code = ordered[name === '' ? next : Number(name)];
    if (name === '') next += 1;
    return code === undefined ? [] : [{ code, before }];
  });
};

const byMacro = (code: string): readonly Inserted[] | null => {
  const [first = '', ...values] = splitOutside(code.replace(FORMAT_MACRO, '').slice(0, -1), ',', 'Rust');
  const text = insertedPieces(first, 'Rust');
  const given = values.filter((each) => each.trim() !== '');
  return text === null ? null : ofMacro(textOf(text), given);
};

const byFormat = (code: string, language: GrepLanguage): readonly Inserted[] | null => {
  if (language === 'Rust' && FORMAT_MACRO.test(code)) return byMacro(code);
  if (FORMAT_CALL.test(code) && code.endsWith(')')) {
    const [first = '', ...values] = argumentsIn(code, language);
    const text = insertedPieces(first, language);
    return text === null ? null : formatted(textOf(text), values);
  }
  const string = readString(code, 0, language);
  if (string === null) return null;
  const rest = code.slice(string.end).trim();
  if (/^\.format(?:ted)?\s{0,3}\(/.test(rest) && rest.endsWith(')'))
    return formatted(textOf(string.pieces), argumentsIn(rest, language));
  if (!rest.startsWith('%') || (language !== 'Python' && language !== 'Ruby')) return null;
  const values = rest.slice(1).trim();
  const several = /^[([{]/.test(values) && /[)\]}]$/.test(values);
  return formatted(
    textOf(string.pieces),
    several ? splitOutside(values.slice(1, -1), ',', language).filter((each) => each.trim() !== '') : [values],
  );
};

const insertedPieces = (code: string, language: GrepLanguage): readonly Piece[] | null =>
  piecesOf(withoutBrackets(code), language);

/**
 * The values that the expression inserts; empty for a literal. If the expression builds no string, the only value is
 * the expression itself, with no text before it.
 */
export const insertedValues = (expression: string, language: GrepLanguage): readonly Inserted[] => {
  const code = withoutBrackets(expression);
  const format = byFormat(code, language);
  if (format !== null) return format;
  const found: Inserted[] = [];
  let before = '';
  const operands = splitOutside(code, language === 'Php' ? '.' : '+', language);
  for (const operand of operands) {
    const pieces = insertedPieces(operand, language);
    if (pieces === null) {
      const inner = operands.length > 1 ? byFormat(withoutBrackets(operand), language) : null;
      found.push(...(inner ?? [{ code: operand.trim(), before }]));
      continue;
    }
    for (const piece of pieces) {
      if (piece.kind === 'text') before += piece.text;
      else found.push({ code: piece.code.trim(), before });
    }
  }
  return found;
};

/** The text of all strings of the expression. */
export const textIn = (expression: string, language: GrepLanguage): string => {
  let text = '';
  for (let at = 0; at < expression.length; ) {
    const string = readString(expression, at, language);
    if (string === null) at += 1;
    else {
      text += textOf(string.pieces);
      at = string.end;
    }
  }
  return text;
};

/** The arguments behind the format of a call such as `snprintf(line, size, "ls %s", name)`; those of any other call are the values that it joins. */
export const printedValues = (call: string, language: GrepLanguage): readonly Inserted[] => {
  const given = argumentsIn(call, language).map((each) => each.trim());
  const format = given.findIndex((each) => each.includes('"'));
  const behind = given.slice(format + 1).map((code) => ({ code, before: '' }));
  return behind.length > 0 ? behind : insertedValues(given[format] ?? '', language);
};
