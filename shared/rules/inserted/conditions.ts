/** What a condition says about a value: whether it is a number then, or one of those that the program knows. */
import type { BlockTexts } from './block-texts.ts';
import { isNumberFunction, isQuotingFunction } from './made-safe.ts';
import { checksByItsName } from './named-checks.ts';
import { checksByWords } from './word-checks.ts';

const INDEX = /\[\s{0,3}["':]?([\w$-]{1,60})["']?\s{0,3}\]|\.get\(\s{0,3}["']([\w-]{1,60})["']\s{0,3}\)/g;

/** The same place in all its spellings: `$_GET['id']` and, within a string, `$_GET[id]`; `args["id"]` and `args.get("id")`. */
export const placeIn = (code: string): string =>
  code
    .replaceAll(INDEX, '[$1$2]')
    .replaceAll(/\s{1,9}/g, ' ')
    .trim();

const MAX_CONDITION_CHARACTERS = 2_000;
/** Brackets and negations within each other. */
const MAX_DEPTH = 12;

const NUMBER_CHECK =
  /^[\w:>$.\\-]{0,60}(?:is_?(?:int(?:eger)?|long|numeric|number|float|finite|bool|digits?|uuid|guid)|ctype_(?:x?digit|al(?:num|pha)))$/i;
const PARSED_CHECK = /^(?:int|long|decimal|Guid)\.TryParse$/;
const MEMBER_CHECK = /^(?:in_array|array_key_exists)$/i;
const MEMBER_METHOD = /^(?:includes|has|contains|containsKey|Contains|ContainsKey|hasOwnProperty)$/;
/** What a visitor sends: a list of it allows whatever he wants. */
const OF_REQUEST = /\$_(?:GET|POST|REQUEST|COOKIE|FILES|SERVER)\b|\b(?:req|request|params)\b/;
/** Numbers. Before version 8, PHP compares them with the number at the beginning of a text, and ignores the rest of it. */
const NUMBERS = /^(?:\[|array\s?\()[\s\d.,-]{1,300}[\])]$|^(?:range|array_map)\s?\(/i;
/** Lists with such names, or of constants, hold what is allowed. */
const KNOWN_LIST =
  /^(?:\[[^[\]]{0,300}\]|(?:[\w$]{1,60}\.)?(?:[A-Z][A-Z0-9_]{1,60}|[\w$]{0,40}(?:[aA]llow|[vV]alid|[kK]nown|[pP]ermit|[wW]hite|[sS]upport|[cC]hoices|[oO]ptions|[tT]ypes)\w{0,40}))$/;
const NUMBER_FILTER = /FILTER_VALIDATE_(?:INT|FLOAT|BOOL(?:EAN)?|IP)\b/;
/** Only letters, digits and such signs, from the beginning to the end, so that nothing can end a quoted text. */
const PLAIN_PATTERN =
  /^["']?([/#~@]?)\^(?:\\[dw]|\[(?:\\[dw]|\w-\w|[\w-]){1,20}\]|[+*?()]|\{\d{0,4},?\d{0,4}\}){1,20}\$\1[a-zA-Z]{0,6}["']?$/;
/** A sign that is none of these, so that a text without a match has only them. */
const REFUSED_PATTERN = /^["']?[rR]?["']?([/#~@]?)\[\^(?:\\[dw]|\w-\w|[\w.@: -]){1,20}\][+*]?\1[a-zA-Z]{0,6}["']?$/;
/** Compares with a text that the program knows. */
const LITERAL = /^(.{1,200}?)\s?([!=])==?\s?(?:"[\w .-]{0,60}"|'[\w .-]{0,60}')$/s;
const COMPARED = /^(.{1,500}?)\s?([!=]={1,2})\s?(true|false)$/is;
const NUMBER = /^-?\d[\d.]{0,20}$|^\(int(?:eger)?\)\s?\$?[\w$[\]>-]{1,200}$/i;
const CALL = /^([\w:>$.\\-]{1,99})\s?\((.*)\)$/s;
const DATABASE_STRING = /^db_?str(?:ing)?$/i;

/** Whether the value is a number, or was made safe for a string by its function. Only one call counts. */
export const isSafeValue = (value: string): boolean => {
  const code = value.trim();
  if (NUMBER.test(code)) return true;
  const [, name = '', given = ''] = CALL.exec(code) ?? [];
  let depth = 0;
  for (const sign of given) {
    if (sign === '(') depth += 1;
    if (sign === ')') depth -= 1;
    if (depth < 0) return false;
  }
  return isNumberFunction(name) || isQuotingFunction(name, /quot|escap/i) || DATABASE_STRING.test(name);
};

/** A part of the texts: its first character, and the one behind it. */
export type CodeRange = readonly [number, number];

const isPlaceFirst = (given: string, place: string): boolean =>
  given === place || given.startsWith(`${place},`) || given.startsWith(`${place} ,`);

/** Whether the arguments of `in_array` or `array_key_exists` look the place up in a list of the program. */
const isMember = (name: string, given: string, place: string): boolean => {
  if (!isPlaceFirst(given, place)) return false;
  const list = given.slice(given.indexOf(',', place.length) + 1).trim();
  const isStrict = /,\s{0,9}true$/i.test(list);
  if (OF_REQUEST.test(list)) return false;
  return isStrict || !/^in_array$/i.test(name) || !NUMBERS.test(list.replace(/,\s{0,9}false$/i, ''));
};

/** Whether the arguments of `isset` have an item of the program whose key is the place. */
const isKnownKey = (given: string, place: string): boolean =>
  given
    .split(',')
    .map((each) => each.trim())
    .some((each) => each.endsWith(`[${place}]`) && !OF_REQUEST.test(each.slice(0, -place.length - 2)));

const checksByName = (name: string, given: string, place: string): boolean => {
  if (NUMBER_CHECK.test(name)) return given === place || given === `Number(${place})`;
  if (MEMBER_CHECK.test(name)) return isMember(name, given, place);
  if (PARSED_CHECK.test(name)) return isPlaceFirst(given, place);
  if (/^isset$/i.test(name)) return isKnownKey(given, place);
  if (/^filter_var$/i.test(name)) return isPlaceFirst(given, place) && NUMBER_FILTER.test(given);
  if (/^preg_match$/i.test(name)) {
    const comma = given.lastIndexOf(',');
    return given.slice(comma + 1).trim() === place && PLAIN_PATTERN.test(given.slice(0, Math.max(0, comma)).trim());
  }
  const dot = name.lastIndexOf('.');
  const [object, method] = [name.slice(0, Math.max(0, dot)), name.slice(dot + 1)];
  return MEMBER_METHOD.test(method) && given === place && KNOWN_LIST.test(object);
};

/** Whether the call looks for a sign that the value must not have. */
const findsRefused = (name: string, given: string, place: string): boolean => {
  if (name.endsWith('.test')) return given === place && REFUSED_PATTERN.test(name.slice(0, -'.test'.length));
  const comma = given.lastIndexOf(',');
  const pattern = given.slice(0, Math.max(0, comma)).trim();
  return (
    /^(?:preg_match|re\.search)$/.test(name) && given.slice(comma + 1).trim() === place && REFUSED_PATTERN.test(pattern)
  );
};

/** `isByName`: a function whose name says that it checks the place is enough, whatever it lets pass. */
type Asked = { readonly place: string; readonly isByName?: boolean };

/** Whether the code, one test without an operator, checks the place if it holds, or if it does not. */
const checks = (code: string, { place, isByName = false }: Asked, holds: boolean): boolean => {
  const open = code.endsWith(`(${place})`) ? code.length - place.length - 2 : code.indexOf('(');
  if (open < 1 || !code.endsWith(')')) return false;
  const name = code.slice(0, open).trim();
  const given = code.slice(open + 1, -1).trim();
  if (/^(?:Number\.)?isNaN$/.test(name))
    return !holds && (given === `Number(${place})` || (given === place && name === 'isNaN'));
  if (!holds) return findsRefused(name, given, place);
  if (name.endsWith('.test')) return given === place && PLAIN_PATTERN.test(name.slice(0, -'.test'.length));
  return checksByName(name, given, place) || (isByName && checksByItsName(name, given, place));
};

const judged = (code: string, asked: Asked, isTrue: boolean): boolean => {
  const { place } = asked;
  if (code.startsWith(place)) {
    const [, value] = /^\s?:?=(?!=)\s?(.*)$/s.exec(code.slice(place.length)) ?? [];
    if (value !== undefined) return isSafeValue(value);
  }
  if (checksByWords(code, place, isTrue)) return true;
  const [, typed, operatorOfType] = /^typeof (.{1,200}?) ([!=])==? ["']number["']$/.exec(code) ?? [];
  if (typed === place) return (operatorOfType === '=') === isTrue;
  const [, one, equals] = LITERAL.exec(code) ?? [];
  if (one === place) return (equals === '=') === isTrue;
  const [, compared = code, operator = '==', word = 'true'] = COMPARED.exec(code) ?? [];
  const isSame = operator.startsWith('!') !== (word.toLowerCase() === 'true');
  return checks(compared, asked, isSame === isTrue);
};

/** The place of the bracket that closes the one at `from`; -1 if none does before `to`. */
export const closingIn = ({ masked }: BlockTexts, [from, to]: CodeRange): number => {
  let depth = 0;
  for (let at = from; at < to; at += 1) {
    const sign = masked.charAt(at);
    if ('([{'.includes(sign)) depth += 1;
    if (')]}'.includes(sign)) depth -= 1;
    if (depth === 0) return at;
  }
  return -1;
};

export const EITHER = /\|\||\bor\b/iy;
export const BOTH = /&&|\band\b/iy;

/** The parts between the operators that are in no bracket. */
export const splitBy = ({ masked }: BlockTexts, [from, to]: CodeRange, operator: RegExp): readonly CodeRange[] => {
  const found: CodeRange[] = [];
  let depth = 0;
  let begin = from;
  for (let at = from; at < to; ) {
    const sign = masked.charAt(at);
    if ('([{'.includes(sign)) depth += 1;
    if (')]}'.includes(sign)) depth -= 1;
    operator.lastIndex = at;
    const length = depth === 0 ? (operator.exec(masked)?.[0].length ?? 0) : 0;
    if (length > 0) {
      found.push([begin, at]);
      begin = at + length;
    }
    at += Math.max(1, length);
  }
  return [...found, [begin, to]];
};

const trimmed = ({ masked }: BlockTexts, [start, end]: CodeRange): CodeRange => {
  let [from, to] = [start, end];
  while (from < to && /\s/.test(masked.charAt(from))) from += 1;
  while (to > from && /\s/.test(masked.charAt(to - 1))) to -= 1;
  return [from, to];
};

type About = Asked & { readonly texts: BlockTexts };

/** Whether the place is checked if the condition is true, or if it is false. */
export const implies = (about: About, range: CodeRange, isTrue: boolean, depth: number = MAX_DEPTH): boolean => {
  const { texts } = about;
  const [from, to] = trimmed(texts, range);
  if (from >= to || to - from > MAX_CONDITION_CHARACTERS || depth === 0) return false;
  for (const operator of [EITHER, BOTH]) {
    const parts = splitBy(texts, [from, to], operator);
    if (parts.length === 1) continue;
    const isPart = (part: CodeRange): boolean => implies(about, part, isTrue, depth - 1);
    return isTrue === (operator === BOTH) ? parts.some(isPart) : parts.every(isPart);
  }
  const { masked, raw } = texts;
  if (masked.charAt(from) === '!') return implies(about, [from + 1, to], !isTrue, depth - 1);
  if (masked.startsWith('not ', from) || masked.startsWith('not(', from))
    return implies(about, [from + 'not'.length, to], !isTrue, depth - 1);
  if (masked.charAt(from) === '(' && closingIn(texts, [from, to]) === to - 1)
    return implies(about, [from + 1, to - 1], isTrue, depth - 1);
  return judged(placeIn(raw.slice(from, to)), about, isTrue);
};
