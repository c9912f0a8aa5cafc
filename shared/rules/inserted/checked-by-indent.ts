/** Whether a check above the use makes sure of a value, in languages whose blocks are told by their indents. */
import type { GrepLanguage } from '../model/rule.ts';
import { blockTexts } from './block-texts.ts';
import type { CheckedPlace } from './checked-blocks.ts';
import { implies, placeIn } from './conditions.ts';
import type { Use } from './local-values.ts';

export const MAX_LINES_BY_INDENT = 200;
const MAX_LINE_CHARACTERS = 500;
const MAX_LINES_OF_CONDITION = 4;
const LINE_UNITS = 3;

/** Ends the function, the program or the round of a loop. */
const LEAVES =
  /^(?:return|raise|continue|break|next|throw)\b|^(?:abort|fail|halt|exit!?|quit|sys\.exit|os\._exit|Kernel\.exit|parser\.error)(?![\w.])|\band return\b/;
const FUNCTION = /^(?:async\s{1,3})?(?:def|class|module)\b/;
const ELSE = /^(?:else|elif|elsif|except|rescue|finally|ensure)\b/;
const IF = /^(if|elif|elsif|unless|while|until)(?=[\s(!])/;
const POSTFIX = /\s(if|unless)\s(?!.*\s(?:if|unless|else)\s)/;

type Condition = { readonly text: string; readonly isUnless: boolean; readonly rest: string };

type About = { readonly place: string; readonly isByName: boolean; readonly language: GrepLanguage };

const indentOf = (line: string): number => line.length - line.trimStart().length;

const maskOf = (text: string, language: GrepLanguage): string => blockTexts([text], language).masked;

/** The place of the colon that ends the condition of Python; -1 if it is not there. */
const colonIn = (masked: string): number => {
  let depth = 0;
  for (let at = 0; at < masked.length; at += 1) {
    const sign = masked.charAt(at);
    if ('([{'.includes(sign)) depth += 1;
    if (')]}'.includes(sign)) depth -= 1;
    if (sign === ':' && depth === 0) return at;
  }
  return -1;
};

/** The conditions of a file, by their lines, so that each is read once. */
const conditionsOf = new WeakMap<readonly string[], Map<number, Condition | null>>();

const conditionAt = (lines: readonly string[], index: number, language: GrepLanguage): Condition | null => {
  const known = conditionsOf.get(lines) ?? new Map<number, Condition | null>();
  conditionsOf.set(lines, known);
  const found = known.get(index) ?? conditionOf(lines, index, language);
  known.set(index, found);
  return found;
};

/** The condition of a statement that begins with one, and what follows it on the line; null if there is none. */
const conditionOf = (lines: readonly string[], index: number, language: GrepLanguage): Condition | null => {
  const first = (lines[index] ?? '').slice(0, MAX_LINE_CHARACTERS).trim();
  const [word] = IF.exec(first) ?? [];
  if (word === undefined) return null;
  const isUnless = word === 'unless' || word === 'until';
  if (language === 'Ruby') return { text: first.slice(word.length).replace(/\sthen\b.*$/, ''), isUnless, rest: '' };
  for (let count = 1; count <= MAX_LINES_OF_CONDITION; count += 1) {
    const more = lines.slice(index + 1, index + count).map((line) => line.slice(0, MAX_LINE_CHARACTERS).trim());
    const text = [first, ...more].join(' ');
    const colon = colonIn(maskOf(text, language));
    if (colon >= 0) return { text: text.slice(word.length, colon), isUnless, rest: text.slice(colon + 1).trim() };
  }
  return null;
};

/** The condition behind a statement of Ruby, and the statement. */
const postfixOf = (line: string, language: GrepLanguage): Condition | null => {
  if (language !== 'Ruby') return null;
  const text = line.slice(0, MAX_LINE_CHARACTERS).trim();
  if (!POSTFIX.test(text)) return null;
  const found = POSTFIX.exec(maskOf(text, language));
  if (found === null) return null;
  const behind = text.slice(found.index + found[0].length);
  return { text: behind, isUnless: found[1] === 'unless', rest: text.slice(0, found.index) };
};

const holds = ({ text, isUnless }: Condition, isTrue: boolean, { language, ...asked }: About): boolean => {
  // Another value is tested.
  if (!text.includes(/^@{0,2}\w+/.exec(asked.place)?.[0] ?? asked.place)) return false;
  const texts = blockTexts([text], language);
  return implies({ texts, ...asked }, [0, texts.raw.length], isTrue !== isUnless);
};

const escape = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');

/** Whether the line gives the place, or the name it begins with, another value. */
const assignedIn = (place: string): RegExp => {
  const root = escape(/^@{0,2}\w+/.exec(place)?.[0] ?? place);
  const name = `(?:${escape(place)}|${root})`;
  const before = '^\\s{0,99}(?:(?:if|unless|while|until)\\s|[\\w\\s.,*@[\\]]{0,200},\\s?)?';
  return new RegExp(
    `${before}${name}(?:\\s?,[\\w\\s.,*@]{0,200})?\\s?(?:[-+*|&]|\\|\\||:\\s?[\\w.[\\], |]{1,80})?=(?![=>~])|(?<!\\w)${root}\\s?:=|\\b(?:for|as)\\s(?:[\\w\\s,(]{0,100}\\W)?${root}\\b|\\|[\\w\\s,]{0,100}\\b${root}\\b[\\w\\s,]{0,100}\\|`,
  );
};

/** Lines of a block that has ended, the last one first. */
const leaves = (block: readonly string[]): boolean => {
  const indent = Math.min(...block.map(indentOf));
  const last = block.find((line) => indentOf(line) === indent && /^[\w@]/.test(line.trim()));
  return last !== undefined && LEAVES.test(last.trim());
};

/**
 * `block`: the lines of the block that ends above the present line. `others`: whether the branches below it are none, one
 * `else` that leaves, or other ones. `isInElse`: the use is in a later branch of the `if` above.
 */
type Walk = {
  indent: number;
  block: string[];
  others: 'none' | 'leaving else' | 'some';
  isInElse: boolean;
};

/** What a branch says that has ended, and is the first one. */
const isCheckedBehind = (
  { condition, block, others }: Pick<Walk, 'block' | 'others'> & { readonly condition: Condition },
  about: About,
): boolean => {
  if (others === 'leaving else') return holds(condition, true, about);
  const isLeaving = condition.rest === '' ? block.length > 0 && leaves(block) : LEAVES.test(condition.rest);
  return others === 'none' && isLeaving && holds(condition, false, about);
};

/** What a line says that is indented as much as the use or a block around it. */
const isCheckedBeside = (lines: readonly string[], index: number, walk: Walk, about: About): boolean => {
  const text = (lines[index] ?? '').trim();
  const condition = conditionAt(lines, index, about.language);
  const { block, others, isInElse } = walk;
  walk.block = [];
  if (ELSE.test(text) && condition === null) {
    walk.others = others === 'none' && /^else\b/.test(text) && leaves(block) ? 'leaving else' : 'some';
    return false;
  }
  walk.others = ELSE.test(text) ? 'some' : 'none';
  if (condition === null) {
    const postfix = postfixOf(text, about.language);
    return postfix !== null && LEAVES.test(postfix.rest) && holds(postfix, false, about);
  }
  if (!isInElse) return !ELSE.test(text) && isCheckedBehind({ condition, block, others }, about);
  walk.isInElse = ELSE.test(text);
  return holds(condition, false, about);
};

/** The texts that a branch of `case` or `match` compares with. */
const LABEL =
  /^(?:when|case)\s(?:\s?(?:"[\w .-]{0,60}"|'[\w .-]{0,60}'|:\w{1,60}|\d{1,20})\s?[,|]?){1,20}(?::|\sthen\b.*)?$/;

/** Whether the branch around the use is for texts that the program knows, of a `case` about the place. */
const isInKnownCase = (lines: readonly string[], index: number, place: string): boolean => {
  const own = indentOf(lines[index] ?? '');
  if (!LABEL.test((lines[index] ?? '').trim())) return false;
  for (let above = index - 1; above >= Math.max(0, index - MAX_LINES_BY_INDENT); above -= 1) {
    const [, value] = /^\s{0,99}(?:case|match)\s(.{1,200}?):?\s{0,9}$/.exec((lines[above] ?? '').slice(0, 300)) ?? [];
    if (value !== undefined && indentOf(lines[above] ?? '') <= own && !LABEL.test((lines[above] ?? '').trim()))
      return placeIn(value) === place;
  }
  return false;
};

/** What the line says that opens a block around the use. */
const isCheckedAround = (lines: readonly string[], index: number, walk: Walk, about: About): boolean => {
  const text = (lines[index] ?? '').trim();
  walk.block = [];
  walk.others = 'none';
  walk.isInElse = ELSE.test(text) && !/^(?:except|rescue|finally|ensure)\b/.test(text);
  const condition = conditionAt(lines, index, about.language);
  if (condition !== null) return holds(condition, true, about);
  return isInKnownCase(lines, index, about.place);
};

/** The place is as `placeIn` writes it. */
export const isCheckedByIndent = (asked: CheckedPlace, { lines, line, language, work }: Use): boolean => {
  const about: About = { ...asked, language };
  const { place } = asked;
  const use = lines[line - 1] ?? '';
  const postfix = postfixOf(use, language);
  if (postfix !== null && holds(postfix, true, about)) return true;
  const assigned = assignedIn(place);
  const walk: Walk = { indent: indentOf(use), block: [], others: 'none', isInElse: false };
  for (let index = line - 2; index >= Math.max(0, line - 1 - MAX_LINES_BY_INDENT); index -= 1) {
    const text = (lines[index] ?? '').slice(0, MAX_LINE_CHARACTERS);
    work?.spend(LINE_UNITS);
    // A comment, or the end of a condition over several lines.
    if (/^\s{0,200}(?:#|$|[)\]])/.test(text)) continue;
    const own = indentOf(text);
    if (FUNCTION.test(text.trim()) && own < walk.indent) return false;
    const isOuter = own < walk.indent;
    if (own > walk.indent) walk.block.push(text);
    else if ((isOuter ? isCheckedAround : isCheckedBeside)(lines, index, walk, about)) return true;
    if (isOuter) walk.indent = own;
    if (assigned.test(text)) return false;
  }
  return false;
};
