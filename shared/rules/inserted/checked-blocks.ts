/** Steps through the statements above a use, and keeps whether a check makes sure of the value. */
import type { GrepLanguage } from '../model/rule.ts';
import type { BlockTexts } from './block-texts.ts';
import { BOTH, closingIn, EITHER, implies, isSafeValue, placeIn, type CodeRange, splitBy } from './conditions.ts';

const MAX_BRANCHES = 20;
const MAX_BLOCKS = 100;
const MAX_HEADER_CHARACTERS = 400;
const MAX_ASSIGNED_CHARACTERS = 1_000;
/** Languages whose statements may end with the line. */
const ENDS_WITH_LINE: ReadonlySet<GrepLanguage> = new Set(['JavaScript', 'TypeScript', 'Tsx', 'Go', 'Kotlin']);

/** Ends the function, the page or the round of a loop. A method, and a function such as `log_error`, need not. */
const LEAVES =
  /^(?:return|throw|raise|exit|die|continue|break|goto)\b|^(?:process\.exit|System\.exit|os\.Exit|Environment\.Exit|panic|exitProcess)\(|^(?:(?:json|ajax|show|fatal|display|exit|wp)_)?(?:die|exit|error|abort|fail|forbidden|not_?found|halt|redirect|404)\s{0,3}\(/i;
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
  readonly isByName: boolean;
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

const createWalk = (texts: BlockTexts, { place, isByName }: CheckedPlace, isPhp: boolean): Walk => {
  const root = escape(/^\$?\w+/.exec(place)?.[0] ?? place);
  return {
    texts,
    place,
    isByName,
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

const beginBranch = (walk: Walk, condition: CodeRange | null, isNew: boolean): void => {
  const { stack } = walk;
  const top = topOf(walk);
  const chain = (isNew ? null : top.pending) ?? { isCheckedElse: false, isSafe: isNew, hasElse: false };
  top.pending = null;
  const holds = condition !== null && implies(walk, condition, true);
  stack.push(frameOf(top.isChecked || chain.isCheckedElse || holds, chain));
  if (condition === null) chain.hasElse = true;
  else chain.isCheckedElse ||= top.isChecked || implies(walk, condition, false);
};

/** Begins a branch if the text begins with one. Returns the place behind its condition; null if there is no branch. */
const branch = (walk: Walk, [from, to]: CodeRange): number | null => {
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
const checksInStatement = (walk: Walk, range: CodeRange): boolean =>
  [EITHER, BOTH].some((operator) => {
    const parts = splitBy(walk.texts, range, operator);
    const last = parts.at(-1);
    if (parts.length < 2 || last === undefined) return false;
    if (!LEAVES.test(walk.texts.masked.slice(...last).trim())) return false;
    return implies(walk, [range[0], parts.at(-2)?.[1] ?? range[0]], operator === EITHER);
  });

/** `list(…, value) = …`, `[value] = …` and the like. */
const takesApart = ({ root }: Walk, code: string): boolean => {
  const end = code.search(/=(?![=>])/);
  const names = end < 0 ? '' : code.slice(0, end).trimEnd();
  return /[)\]}]$/.test(names) && /\blist\s?\(|[[{]/.test(names) && root.test(names);
};

const simple = (walk: Walk, range: CodeRange): void => {
  const { texts, stack } = walk;
  const top = topOf(walk);
  if (LEAVES.test(texts.masked.slice(...range))) top.leaves = true;
  const code = placeIn(texts.raw.slice(range[0], Math.min(range[1], range[0] + MAX_ASSIGNED_CHARACTERS)));
  const [, value] = walk.assigned.exec(code) ?? [];
  if (value === undefined && !takesApart(walk, code)) {
    top.isChecked ||= checksInStatement(walk, range);
    return;
  }
  const isSafe = value !== undefined && isSafeValue(value);
  if (!isSafe) for (const frame of stack) frame.isChecked = false;
  top.isChecked = isSafe;
};

const withoutLabel = ({ texts }: Walk, [from, to]: CodeRange): CodeRange => {
  const [skipped = ''] = LABEL.exec(texts.masked.slice(from, to)) ?? [];
  return [from + skipped.length, to];
};

const statement = (walk: Walk, range: CodeRange, steps: number = MAX_BRANCHES): void => {
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
const beginBlock = (walk: Walk, range: CodeRange): void => {
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
const isCheckedAtEnd = (walk: Walk, range: CodeRange): boolean => {
  const { texts } = walk;
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
    .some((part) => implies(walk, part, true));
};

/** Whether a statement that began at `begin` ends with the line. */
const endsHere = (texts: BlockTexts, [begin, at]: CodeRange): boolean => {
  const code = texts.masked.slice(begin, Math.min(at, begin + MAX_HEADER_CHARACTERS)).trimStart();
  if (code === '' || ELSE.test(code)) return false;
  if (!IF.test(code)) return true;
  const open = begin + texts.masked.slice(begin, at).indexOf('(');
  const close = closingIn(texts, [open, Math.min(at, begin + MAX_HEADER_CHARACTERS)]);
  return close >= 0 && texts.masked.slice(close + 1, at).trim() !== '';
};

/** Where the walk is: how many brackets are open, where the statement began, and the last sign. */
type Position = { depth: number; begin: number; before: string; readonly outer: number[] };

const enterBlock = (walk: Walk, at: number, position: Position): void => {
  beginBlock(walk, [position.begin, at]);
  position.outer.push(position.depth);
  position.depth = 0;
  position.begin = at + 1;
};

const leaveBlock = (walk: Walk, at: number, position: Position): void => {
  statement(walk, [position.begin, at]);
  endBlock(walk);
  position.depth = position.outer.pop() ?? 0;
  position.begin = at + 1;
};

const isEnd = (sign: string, byLine: boolean, isGoingOn: () => boolean): boolean =>
  sign === ';' || (sign === '\n' && byLine && !isGoingOn());

/** `isByName`: a function whose name says that it checks the place is enough. */
export type CheckedPlace = { readonly place: string; readonly isByName: boolean };

/** Steps through the statements of the range, at whose end the use is. */
export const isCheckedIn = (
  texts: BlockTexts,
  asked: CheckedPlace,
  language: GrepLanguage,
  [first, last]: CodeRange,
): boolean => {
  const walk = createWalk(texts, asked, language === 'Php');
  const byLine = ENDS_WITH_LINE.has(language);
  const position: Position = { depth: 0, begin: first, before: '', outer: [] };
  for (let at = first; at < last && position.outer.length <= MAX_BLOCKS; at += 1) {
    const sign = texts.masked.charAt(at);
    const isGoingOn = (): boolean => GOES_ON.test(position.before) || !endsHere(texts, [position.begin, at]);
    if (sign === '(' || sign === '[') position.depth += 1;
    else if (sign === ')' || sign === ']') position.depth = Math.max(0, position.depth - 1);
    else if (sign === '{') enterBlock(walk, at, position);
    else if (sign === '}') leaveBlock(walk, at, position);
    else if (position.depth === 0 && isEnd(sign, byLine, isGoingOn)) {
      statement(walk, [position.begin, at]);
      position.begin = at + 1;
    }
    if (!/\s/.test(sign)) position.before = sign;
  }
  return position.outer.length <= MAX_BLOCKS && isCheckedAtEnd(walk, [position.begin, last]);
};
