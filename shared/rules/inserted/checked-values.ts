/** Whether a check above the use leaves the function unless the value is a number, or one of those that the program knows. */
import { isFollowed } from './followed-name.ts';
import type { GrepLanguage } from '../model/rule.ts';
import { blockTexts } from './block-texts.ts';
import { type CheckedPlace, isCheckedIn } from './checked-blocks.ts';
import { isCheckedByIndent, MAX_LINES_BY_INDENT } from './checked-by-indent.ts';
import { implies, placeIn, type CodeRange } from './conditions.ts';
import type { Use } from './local-values.ts';

const MAX_LINES_ABOVE = 600;
const MAX_LINES_OF_CONDITION = 3;
/** Units of work for each line that is searched, and for each character that is read. */
const LINE_UNITS = 0.1;
const CHARACTER_UNITS = 0.15;

/** Languages with blocks in braces, and the same operators. */
const LANGUAGES: ReadonlySet<GrepLanguage> = new Set([
  'Php',
  'JavaScript',
  'TypeScript',
  'Tsx',
  'Java',
  'CSharp',
  'Go',
  'Kotlin',
]);
/** Languages whose blocks are told by their indents, in Ruby by every formatter. */
const BY_INDENT: ReadonlySet<GrepLanguage> = new Set(['Python', 'Ruby']);
/** A name, a property or an item, but no call. */
const PLACE = /^(?:\$|@{1,2})?[A-Za-z_](?:[\w$]|\.|->|::\$?|\[\$?[\w$-]{1,60}\]){0,99}$/;

/** Whether a condition, such as that of a choice, makes sure of the value if it is true, or if it is false. */
export const isCheckedBy = (condition: string, code: string, { language }: Use, isTrue: boolean): boolean => {
  const place = placeIn(code);
  if (!(LANGUAGES.has(language) || BY_INDENT.has(language)) || !isFollowed(place) || !PLACE.test(place)) return false;
  const texts = blockTexts([condition], language);
  return implies({ texts, place }, [0, texts.raw.length], isTrue);
};

/** Words of a check, or of a function whose result is safe. */
const CHECK =
  /is_?[a-z]|ctype_|in_array|isset|key_exists|filter_var|preg_match|TryParse|includes|has|contains|\.test\(|typeof|\(int|intval|quot|escap|db_?str/i;

/** Words of a check in Python or Ruby. */
const CHECK_IN_WORDS = /\bin\b|match|search|[=!]=|[=!]~|\.is\w|isinstance|\?|\bcase\b/;
/** Words in the names of functions that check something. */
const CHECK_BY_NAME = /valid|check|verify|safe|allow|permit|clean|white_?list|alpha|alnum|match|\.test\(/i;

const wordsOf = (isByName: boolean, language: GrepLanguage): RegExp => {
  if (isByName) return CHECK_BY_NAME;
  return BY_INDENT.has(language) ? CHECK_IN_WORDS : CHECK;
};

type Known = {
  /** The lines that name the place and such a word, counted from 0. */
  readonly lines: readonly number[];
  /** By the place of the use. */
  readonly answers: Map<number, boolean>;
};

/** Each file is searched once for each place, however often it is used. */
const knownOf = new WeakMap<readonly string[], Map<string, Known>>();

const knownAbout = ({ place, isByName }: CheckedPlace, { lines, language, work }: Use): Known => {
  const all = knownOf.get(lines) ?? new Map<string, Known>();
  knownOf.set(lines, all);
  const key = isByName ? `${place} by name` : place;
  const found = all.get(key);
  if (found !== undefined) return found;
  work?.spend(lines.length * LINE_UNITS);
  const root = /^[$@]{0,2}\w+/.exec(place)?.[0] ?? place;
  const words = wordsOf(isByName, language);
  const known: Known = {
    lines: lines.flatMap((line, index) => (line.includes(root) && words.test(line) ? [index] : [])),
    answers: new Map(),
  };
  all.set(key, known);
  return known;
};

const isAskedIn = (asked: CheckedPlace, firstCheck: number, { lines, line, language, work }: Use): boolean => {
  const texts = blockTexts(lines, language);
  const range: CodeRange = [texts.startOf(Math.max(0, firstCheck - MAX_LINES_OF_CONDITION)), texts.beforeText(line)];
  work?.spend((range[1] - range[0]) * CHARACTER_UNITS);
  return isCheckedIn(texts, asked, language, range);
};

const isAskedAbove = (asked: CheckedPlace, use: Use): boolean => {
  const { line, language } = use;
  const isByIndent = BY_INDENT.has(language);
  if (!PLACE.test(asked.place) || !(isByIndent || LANGUAGES.has(language))) return false;
  const { lines: checks, answers } = knownAbout(asked, use);
  const from = line - (isByIndent ? MAX_LINES_BY_INDENT : MAX_LINES_ABOVE);
  const check = checks.find((index) => index >= from && index < line);
  if (check === undefined) return false;
  const known = answers.get(line);
  if (known !== undefined) return known;
  const answer = isByIndent ? isCheckedByIndent(asked, use) : isAskedIn(asked, check, use);
  answers.set(line, answer);
  return answer;
};

/** Whether a check above, or in the statement of the use, makes sure of the value. */
export const isCheckedAbove = (code: string, use: Use): boolean =>
  isAskedAbove({ place: placeIn(code), isByName: false }, use);

/**
 * Whether a function whose name says so checks the value above, such as `is_valid_name`. The file does not show what the
 * function lets pass.
 */
export const isCheckedByName = (code: string, use: Use): boolean =>
  isAskedAbove({ place: placeIn(code), isByName: true }, use);
