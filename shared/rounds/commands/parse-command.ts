/** Parses the writer's own words in a comment. The first mention with a command word counts; a mention without one is text. */
import { type FindingId, formatFindingId } from '../../vocabulary/ids.ts';
import { afterMention, isCallForFix, linesFor } from './mention.ts';
import { LEFT_OUT } from './strip-quoted-text.ts';
import { PLAIN_COMMANDS, type PlainCommand, type UserCommand } from '../model/user-command.ts';

const WORDS = ['review', 'dismiss', 'explain', ...PLAIN_COMMANDS.flatMap(({ words }) => words)] as const;
type Word = (typeof WORDS)[number];

export const parseUserCommand = (body: string, name: string): UserCommand | null => {
  const said = linesFor(body, name);
  if (said.some((line) => isCallForFix(line, name))) return { kind: 'fix' };
  const lines = said.map((line) => line.replaceAll(LEFT_OUT, ' '));
  let text: string | null = null;
  for (const [index, line] of lines.entries()) {
    const after = afterMention(line, name);
    if (after === null) continue;
    const command = readWord(after);
    if (command !== null) {
      const below = lines.slice(index + 1);
      if (below.some((each) => isDismissal(each, name))) return SEVERAL;
      return readCommand(command.word, command.rest, below.join('\n'));
    }
    text ??= `${after.replace(/^[\s,:;.!-]+/u, '')}\n${lines.slice(index + 1).join('\n')}`;
  }
  return text === null ? null : { kind: 'text', instructions: clean(text) };
};

const SEVERAL: UserCommand = { kind: 'misread', why: 'several' };

/** A line or list item. */
const BEGINS_WITH_MENTION = /^\s*(?:(?:[*+-]|\d{1,3}[.)])\s+)?(?:\[[ x]\]\s+)?@/iu;

/** True for a line that begins with `@bot dismiss`. Within other words it belongs to a reason or to instructions. */
const isDismissal = (line: string, name: string): boolean => {
  const after = afterMention(line, name);
  return after !== null && BEGINS_WITH_MENTION.test(line) && readWord(after)?.word === 'dismiss';
};

/**
 * Accepts `@bot review`, `@bot: review` and `@bot, review`, but not `@bot reviewer` or `@bot re-review`. Editors and
 * keyboards replace what people type, so any blank separates words, and dashes and quotes may be typographic. The mention
 * and the word may be bold or italic.
 */
const readWord = (after: string): { readonly word: Word; readonly rest: string } | null => {
  const match = /^\*{0,3}[,:]?\*{0,3}\s+[*_]{0,3}(\p{L}+)(?!_{0,3}[\p{L}\p{N}-])[*_]{0,3}/u.exec(after);
  const word = WORDS.find((known) => known === match?.[1]?.toLowerCase());
  if (match === null || word === undefined) return null;
  const rest = after.slice(match[0].length);
  // "why is this a problem?" is a question about the code.
  return word === 'why' && /[\p{L}\p{N}]/u.test(rest) ? null : { word, rest };
};

const readCommand = (word: Word, rest: string, below: string): UserCommand => {
  if (word === 'review') return readReview(rest, below);
  if (word === 'dismiss') return readDismiss(rest, below);
  if (word === 'explain') return readExplain(rest);
  return hasArguments(rest) ? { kind: 'misread', why: 'arguments' } : { kind: word satisfies PlainCommand };
};

const readReview = (rest: string, below: string): UserCommand => {
  const full = /^\s+(?:--|[–—])full(?=\s|$)/u.exec(rest);
  const others = full === null ? rest : rest.slice(full[0].length);
  const quoted = full === null ? readQuotedPath(others) : null;
  if (quoted === null && hasArguments(others)) return { kind: 'misread', why: 'arguments' };
  const only = quoted ?? (full === null ? readPlainPath(others) : null);
  if (only !== null) return { kind: 'review', full: false, instructions: clean(below), only };
  return { kind: 'review', full: full !== null, instructions: clean(`${others}\n${below}`) };
};

/**
 * `"a folder/"`, with nothing else in the line. Within the quotes, text that looks like an option is part of the path.
 */
const readQuotedPath = (text: string): string | null =>
  pathOf(/^\s+["“”„]([^"“”„]{1,1000})["“”]\s*$/u.exec(text)?.[1] ?? '');

/** The only word of the line, if it looks like a path: `src/` or `src/app.ts`. Other words are instructions. */
const readPlainPath = (text: string): string | null => {
  const path = pathOf(/^\s+([^\s"“”„]{1,1000})\s*$/u.exec(text)?.[1] ?? '');
  return path !== null && (path.includes('/') || /\.[\p{L}\p{N}]+$/u.test(path)) ? path : null;
};

const pathOf = (word: string): string | null => {
  const path = word.replace(/^\.\//, '');
  return path === '' || path.startsWith('/') || path.includes('://') ? null : path;
};

const readDismiss = (rest: string, below: string): UserCommand => {
  const named = readFinding(rest);
  if (named === null) return { kind: 'misread', why: 'no_finding' };
  if (NEXT_FINDING.test(named.rest)) return SEVERAL;
  const always = ALWAYS.exec(named.rest);
  const after = named.rest.slice(always?.[0].length ?? 0);
  const reason = clean(`${after.replace(/^[\s,:;.–—-]*(?:because(?![\p{L}\p{N}_-]))?/iu, '')}\n${below}`);
  if (!/[\p{L}\p{N}]/u.test(reason)) return { kind: 'misread', why: 'no_reason' };
  return { kind: 'dismiss', findingId: named.findingId, reason, ...(always === null ? {} : { always: true }) };
};

/** Marks that people put around an id: emphasis, code, quotation marks, brackets and links. */
const OPENING = /["“”„'‘’`*_~#[]{0,8}/u.source;
const CLOSING = /(?:["“”'‘’`*_~)]|\](?:\([^()\n]{0,2000}\)|\[[^[\]\n]{0,1000}\])?){0,8}/u.source;
const ID = /f[-‐‑–](\d{1,6})(?!_{0,8}[\p{L}\p{N}]|-)/u.source;

const FINDING = new RegExp(`^\\s+\\(?${OPENING}${ID}${CLOSING}`, 'iu');

/** `F-001, F-002`, `F-001 and F-002` and `F-001 F-002`; words between them are a reason, as in `F-001 because of F-002`. */
const NEXT_FINDING = new RegExp(`^[\\s,;&+/]{1,20}(?:(?:and|or)\\s{1,20})?${OPENING}${ID}`, 'iu');

/**
 * A reason may also begin with the word "always", so the word counts as the option only before `because`, punctuation
 * or the end of the line.
 */
const ALWAYS = /^[\s,:;.–—-]{0,20}always(?=\s+because(?![\p{L}\p{N}_-])|\s*[,:;.]|\s+[–—-]|\s*$)/iu;

const readExplain = (rest: string): UserCommand => {
  const named = readFinding(rest);
  if (named === null) return { kind: 'misread', why: 'no_finding' };
  return NEXT_FINDING.test(named.rest) ? SEVERAL : { kind: 'explain', findingId: named.findingId };
};

const readFinding = (rest: string): { readonly findingId: FindingId; readonly rest: string } | null => {
  const match = FINDING.exec(rest);
  const number = Number(match?.[1] ?? 0);
  return match === null || number === 0
    ? null
    : { findingId: formatFindingId(number), rest: rest.slice(match[0].length) };
};

/** Matches options and settings such as `--model x` or `agent.model=x`, which a comment cannot set. */
const hasArguments = (text: string): boolean => text.split(/\s+/).some(isArgument);

const isArgument = (token: string): boolean => {
  if (/^--?[\p{L}_]/u.test(token)) return true;
  const [key = '', ...values] = token.split('=');
  return values.length > 0 && (key.includes('__') || key.includes('.'));
};

const MAX_CHARACTERS = 2_000;

const clean = (text: string): string =>
  text
    .replace(/^[\s,:;.!–—-]+/u, '')
    .trim()
    .slice(0, MAX_CHARACTERS)
    .trim();
