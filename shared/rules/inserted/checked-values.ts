/** Whether a check above the use leaves the function unless the value is a number, or one of those that the program knows. */
import type { GrepLanguage } from '../model/rule.ts';
import { type BlockTexts, blockTexts } from './block-texts.ts';
import { BOTH, closingIn, EITHER, implies, isSafeValue, placeOf, type Range, splitBy } from './conditions.ts';
import type { Use } from './local-values.ts';

const MAX_LINES_ABOVE = 600;
const MAX_LINES_OF_CONDITION = 3;
const MAX_BRANCHES = 20;
const MAX_BLOCKS = 100;
const MAX_HEADER_CHARACTERS = 400;
const MAX_ASSIGNED_CHARACTERS = 1_000;
/** Units of work for each line that is searched, and for each character that is read. */
const LINE_UNITS = 0.1;
const CHARACTER_UNITS = 0.03;

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
/** Languages whose statements may end with the line. */
const ENDS_WITH_LINE: ReadonlySet<GrepLanguage> = new Set(['JavaScript', 'TypeScript', 'Tsx', 'Go', 'Kotlin']);

/** A name, a property or an item, but no call. */
const PLACE = /^\$?[A-Za-z_](?:[\w$]|\.|->|::\$?|\[\$?[\w$-]{1,60}\]){0,99}$/;
/** Ends the function, the page or the round of a loop. A method of another object, such as a logger, does not. */
const LEAVES =
  /^(?:return|throw|raise|exit|die|continue|break|goto)\b|^(?:process\.exit|System\.exit|os\.Exit|Environment\.Exit|panic|exitProcess)\(|^(?:self::|static::|\$this->)?\w{0,40}?(?:_|\b)(?:die|exit|error|abort|fail|forbidden|not_?found|halt|redirect|show_?404)\s{0,3}\(/i;
/** Blanks, and the label of a branch of `switch`. */
const LABEL = /^\s{0,999}(?:(?:case\b[^:;{}]{0,200}|default\s{0,9}):\s{0,999})?/;
const IF = /^(?:(else)\s{0,9})?(else\s?if|if)\b/;
const ELSE = /^else\b/;
/** Headers of blocks in which names mean the same as outside. */
const CONTROL = /^(?:for|foreach|while|switch|try|catch|finally|do|with|using|lock|synchronized)\b/;
/** Gives its variable another value in each round. */
const LOOP = /^(?:for|foreach)\b/;
const GOES_ON = /^[&|?:=+,.(]?$/;

/** What is known behind the branches of an `if`. */
type Chain = {
  /** The value is checked if every condition so far was false. */
  isCheckedElse: boolean;
  /** Every branch so far leaves, or ends with the value checked. */
  isSafe: boolean;
  hasElse: boolean;
};

/** A block. `chain`: that whose branch it is. `pending`: the one that has ended, unless another branch follows. */
type Frame = { isChecked: boolean; leaves: boolean; readonly chain: Chain | null; pending: Chain | null };

type Walk = {
  readonly texts: BlockTexts;
  readonly place: string;
  readonly isPhp: boolean;
  readonly stack: Frame[];
  readonly assigned: RegExp;
  readonly root: RegExp;
};

const frameOf = (isChecked: boolean, chain: Chain | null = null): Frame => ({
  isChecked,
  leaves: false,
  chain,
  pending: null,
});

const escape = (text: string): string => text.replaceAll(/[\\^$.*+?()[\]{}|]/g, '\\$&');

const createWalk = (texts: BlockTexts, place: string, isPhp: boolean): Walk => {
  const root = escape(/^\$?\w+/.exec(place)?.[0] ?? place);
  return {
    texts,
    place,
    isPhp,
    stack: [frameOf(false)],
    assigned: new RegExp(`(?<![\\w$>.])(?:${escape(place)}|${root})\\s?(?:[.+]|:)?=(?![=>])\\s?(.{0,300})`, 's'),
    root: new RegExp(`(?<![\\w$])${root}(?![\\w$])`),
  };
};

const topOf = ({ stack }: Walk): Frame => {
  const top = stack.at(-1) ?? frameOf(false);
  if (stack.length === 0) stack.push(top);
  return top;
};

/** What follows an `if` without another branch. */
const settle = (walk: Walk): void => {
  const top = topOf(walk);
  const { pending } = top;
  if (pending?.isSafe === true && (pending.hasElse || pending.isCheckedElse)) top.isChecked = true;
  top.pending = null;
};

const beginBranch = (walk: Walk, condition: Range | null, isNew: boolean): void => {
  const { texts, place, stack } = walk;
  const top = topOf(walk);
  const chain = (isNew ? null : top.pending) ?? { isCheckedElse: false, isSafe: isNew, hasElse: false };
  top.pending = null;
  const holds = condition !== null && implies(texts, condition, place, true);
  stack.push(frameOf(top.isChecked || chain.isCheckedElse || holds, chain));
  if (condition === null) chain.hasElse = true;
  else chain.isCheckedElse ||= top.isChecked || implies(texts, condition, place, false);
};

/** Begins a branch if the text begins with one. Returns the place behind its condition; null if there is no branch. */
const branch = (walk: Walk, [from, to]: Range): number | null => {
  const { masked } = walk.texts;
  const code = masked.slice(from, to);
  const [head, before, word] = IF.exec(code) ?? [];
  if (head === undefined && ELSE.test(code)) {
    beginBranch(walk, null, false);
    return from + 'else'.length;
  }
  const isNew = before === undefined && word === 'if';
  if (head === undefined || isNew) settle(walk);
  if (head === undefined) return null;
  const start = from + head.length;
  const open = start + Math.max(0, masked.slice(start, to).search(/\S/));
  const isBracket = masked.charAt(open) === '(';
  const close = isBracket ? closingIn(walk.texts, [open, to]) : to;
  const end = close < 0 ? to : close;
  beginBranch(walk, [isBracket ? open + 1 : start, end], isNew);
  return isBracket ? end + 1 : end;
};

const endBlock = (walk: Walk): void => {
  settle(walk);
  const frame = walk.stack.pop();
  if (frame === undefined || frame.chain === null) return;
  frame.chain.isSafe &&= frame.leaves || frame.isChecked;
  topOf(walk).pending = frame.chain;
};

/** `check(value) or die()`, and `!check(value) and die()`. */
const checksInStatement = ({ texts, place }: Walk, range: Range): boolean =>
  [EITHER, BOTH].some((operator) => {
    const parts = splitBy(texts, range, operator);
    const last = parts.at(-1);
    if (parts.length < 2 || last === undefined) return false;
    if (!LEAVES.test(texts.masked.slice(...last).trim())) return false;
    return implies(texts, [range[0], parts.at(-2)?.[1] ?? range[0]], place, operator === EITHER);
  });

/** `list(…, value) = …`, `[value] = …` and the like. */
const takesApart = ({ root }: Walk, code: string): boolean => {
  const end = code.search(/=(?![=>])/);
  const names = end < 0 ? '' : code.slice(0, end).trimEnd();
  return /[)\]}]$/.test(names) && /\blist\s?\(|[[{]/.test(names) && root.test(names);
};

const simple = (walk: Walk, range: Range): void => {
  const { texts, stack } = walk;
  const top = topOf(walk);
  if (LEAVES.test(texts.masked.slice(...range))) top.leaves = true;
  const code = placeOf(texts.raw.slice(range[0], Math.min(range[1], range[0] + MAX_ASSIGNED_CHARACTERS)));
  const [, value] = walk.assigned.exec(code) ?? [];
  if (value === undefined && !takesApart(walk, code)) {
    top.isChecked ||= checksInStatement(walk, range);
    return;
  }
  const isSafe = value !== undefined && isSafeValue(value);
  if (!isSafe) for (const frame of stack) frame.isChecked = false;
  top.isChecked = isSafe;
};

const withoutLabel = ({ texts }: Walk, [from, to]: Range): Range => {
  const [skipped = ''] = LABEL.exec(texts.masked.slice(from, to)) ?? [];
  return [from + skipped.length, to];
};

const statement = (walk: Walk, range: Range, steps: number = MAX_BRANCHES): void => {
  const own = withoutLabel(walk, range);
  if (walk.texts.masked.slice(...own).trim() === '') return;
  const body = steps > 0 ? branch(walk, own) : null;
  if (body === null) {
    simple(walk, own);
    return;
  }
  statement(walk, [body, own[1]], steps - 1);
  endBlock(walk);
};

/** The text before a brace. */
const beginBlock = (walk: Walk, range: Range): void => {
  const own = withoutLabel(walk, range);
  if (branch(walk, own) !== null) return;
  const code = walk.texts.masked.slice(...own).trim();
  const isNamed = walk.root.test(code);
  const isOther = CONTROL.test(code)
    ? LOOP.test(code) && isNamed
    : isNamed || (walk.isPhp && /\bfunction\b/.test(code));
  walk.stack.push(frameOf(!isOther && topOf(walk).isChecked));
};

/** Whether the value is checked at the end of the range, in which the statement with the use has begun. */
const isCheckedAtEnd = (walk: Walk, range: Range): boolean => {
  const { texts, place } = walk;
  let [at, to] = withoutLabel(walk, range);
  for (let steps = 0; steps < MAX_BRANCHES; steps += 1) {
    const next = branch(walk, [at, to]);
    if (next === null) break;
    [at, to] = withoutLabel(walk, [next, to]);
  }
  if (topOf(walk).isChecked) return true;
  const open = /^(?:else\s?)?(?:if|while)\s{0,9}\(/.exec(texts.masked.slice(at, to))?.[0].length ?? 0;
  return splitBy(texts, [at + open, to], BOTH)
    .slice(0, -1)
    .some((part) => implies(texts, part, place, true));
};

/** Whether a statement that began at `begin` ends with the line. */
const endsHere = (texts: BlockTexts, [begin, at]: Range): boolean => {
  const code = texts.masked.slice(begin, Math.min(at, begin + MAX_HEADER_CHARACTERS)).trimStart();
  if (code === '' || ELSE.test(code)) return false;
  if (!IF.test(code)) return true;
  const open = begin + texts.masked.slice(begin, at).indexOf('(');
  const close = closingIn(texts, [open, Math.min(at, begin + MAX_HEADER_CHARACTERS)]);
  return close >= 0 && texts.masked.slice(close + 1, at).trim() !== '';
};

/** Steps through the statements of the range, at whose end the use is. */
const isCheckedIn = (texts: BlockTexts, place: string, language: GrepLanguage, [first, last]: Range): boolean => {
  const walk = createWalk(texts, place, language === 'Php');
  const byLine = ENDS_WITH_LINE.has(language);
  const outer: number[] = [];
  let [depth, begin, before] = [0, first, ''];
  for (let at = first; at < last; at += 1) {
    const sign = texts.masked.charAt(at);
    if (outer.length > MAX_BLOCKS) return false;
    if (sign === '(' || sign === '[') depth += 1;
    else if (sign === ')' || sign === ']') depth = Math.max(0, depth - 1);
    else if (sign === '{') {
      beginBlock(walk, [begin, at]);
      outer.push(depth);
      [depth, begin] = [0, at + 1];
    } else if (sign === '}') {
      statement(walk, [begin, at]);
      endBlock(walk);
      [depth, begin] = [outer.pop() ?? 0, at + 1];
    } else if (
      depth === 0 &&
      (sign === ';' || (sign === '\n' && byLine && !GOES_ON.test(before) && endsHere(texts, [begin, at])))
    ) {
      statement(walk, [begin, at]);
      begin = at + 1;
    }
    if (!/\s/.test(sign)) before = sign;
  }
  return isCheckedAtEnd(walk, [begin, last]);
};

/** Whether a condition, such as that of a choice, makes sure of the value if it is true, or if it is false. */
export const isCheckedBy = (condition: string, code: string, { language }: Use, isTrue: boolean): boolean => {
  const place = placeOf(code);
  if (!LANGUAGES.has(language) || !PLACE.test(place)) return false;
  const texts = blockTexts([condition], language);
  return implies(texts, [0, texts.raw.length], place, isTrue);
};

/** Words of a check, or of a function whose result is safe. */
const CHECK =
  /is_?[a-z]|ctype_|in_array|isset|key_exists|filter_var|preg_match|TryParse|includes|has|contains|\.test\(|typeof|\(int|intval|quot|escap|db_?str/i;

type Known = {
  /** The lines that name the place and such a word, counted from 0. */
  readonly lines: readonly number[];
  /** By the place of the use. */
  readonly answers: Map<number, boolean>;
};

/** Each file is searched once for each place, however often it is used. */
const knownOf = new WeakMap<readonly string[], Map<string, Known>>();

const knownAbout = (place: string, { lines, work }: Use): Known => {
  const all = knownOf.get(lines) ?? new Map<string, Known>();
  knownOf.set(lines, all);
  const found = all.get(place);
  if (found !== undefined) return found;
  work?.spend(lines.length * LINE_UNITS);
  const root = /^\$?\w+/.exec(place)?.[0] ?? place;
  const known: Known = {
    lines: lines.flatMap((line, index) => (line.includes(root) && CHECK.test(line) ? [index] : [])),
    answers: new Map(),
  };
  all.set(place, known);
  return known;
};

/** Whether a check above, or in the statement of the use, makes sure of the value. */
export const isCheckedAbove = (code: string, use: Use): boolean => {
  const { lines, line, language, work } = use;
  const place = placeOf(code);
  if (!LANGUAGES.has(language) || !PLACE.test(place)) return false;
  const { lines: checks, answers } = knownAbout(place, use);
  const check = checks.find((index) => index >= line - MAX_LINES_ABOVE && index < line);
  if (check === undefined) return false;
  const known = answers.get(line);
  if (known !== undefined) return known;
  const texts = blockTexts(lines, language);
  const range: Range = [texts.startOf(Math.max(0, check - MAX_LINES_OF_CONDITION)), texts.beforeText(line)];
  work?.spend((range[1] - range[0]) * CHARACTER_UNITS);
  const answer = isCheckedIn(texts, place, language, range);
  answers.set(line, answer);
  return answer;
};
