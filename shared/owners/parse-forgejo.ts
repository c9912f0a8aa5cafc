/**
 * CODEOWNERS as Forgejo and Gitea read it: each line is a regular expression of Go over the whole path and its owners; every
 * line that matches counts, or, behind "!", every line that does not. A backslash is taken away before the expression is
 * read. https://forgejo.org/docs/latest/user/code-owners/, https://docs.gitea.com/usage/code-owners and, for what they leave
 * open, `models/issues/pull.go` of both.
 *
 * The expressions run on RE2JS, whose time is linear in the path, as Go's is. Gitea 1.27 reads them with an engine that
 * looks ahead and gives up after a time: lines that need it are skipped here.
 */
import { RE2JS } from 're2js';
import { type CodeOwners, joinOwners, type Owners, toOwners } from './code-owners.ts';
import { createWorkLimit } from './work-limit.ts';

type Line = { readonly expression: RE2JS; readonly isNegative: boolean; readonly owners: Owners };

/** Lines with an expression; more are skipped. Each takes some 0.2 ms. */
const MAX_LINES = 2_000;
const MAX_EXPRESSION_LENGTH = 500;

/** Instructions of all expressions, of which compiling makes some hundred in a millisecond. */
const MAX_PROGRAM = 60_000;

/** In instructions: reading the table of a Unicode class. */
const CLASS_COST = 100;

/** Instructions times characters of a path: about half a second. */
const MAX_STEPS = 10_000_000;

export type ForgejoSyntax = {
  /** A leading slash means nothing: Gitea since 1.27. */
  readonly dropsSlash: boolean;
};

export const parseForgejoOwners = (text: string, syntax: ForgejoSyntax): CodeOwners => {
  const program = createWorkLimit(MAX_PROGRAM);
  const lines: Line[] = [];
  let skipped = 0;
  for (const raw of text.split('\n')) {
    const words = wordsOf(raw);
    if (words.length === 0) continue;
    const isBeyond = lines.length >= MAX_LINES || program.isUsedUp();
    const line = words.length < 2 || isBeyond ? null : readLine(words, syntax);
    if (line === null || !program.spend(costOf(line.expression))) skipped += 1;
    else lines.push(line);
  }
  const named = joinOwners(lines.map(({ owners }) => owners));
  return { ownersOf: (path) => ownersIn(lines, path), named, skipped };
};

const ownersIn = (lines: readonly Line[], path: string): Owners => {
  const limit = createWorkLimit(MAX_STEPS);
  return joinOwners(
    lines
      .filter(({ expression }) => limit.spend(expression.programSize() * path.length))
      .filter(({ expression, isNegative }) => expression.matcher(path).find() !== isNegative)
      .map(({ owners }) => owners),
  );
};

const readLine = ([first = '', ...names]: readonly string[], { dropsSlash }: ForgejoSyntax): Line | null => {
  const isNegative = first.startsWith('!');
  const written = isNegative ? first.slice(1) : first;
  const expression = compile(dropsSlash ? written.replace(/^\//, '') : written);
  if (expression === null) return null;
  const owners = toOwners(names.map((name) => name.replace(/^@/, '')).filter(isNameOrTeam));
  return owners.people.length + owners.groups.length === 0 ? null : { expression, isNegative, owners };
};

/** No team is in another one. */
const isNameOrTeam = (name: string): boolean => name.split('/').length <= 2;

const costOf = (expression: RE2JS): number =>
  expression.programSize() + CLASS_COST * (expression.pattern().match(/\\[pP]/g) ?? []).length;

/** Folding a range of Unicode takes milliseconds, thousands of times what its length and its program tell. */
const foldsUnicode = (source: string): boolean =>
  /\(\?[a-zA-Z]*i/.test(source) && /[^\x20-\x7e]|\\[xpP0-7]/.test(source);

/** As the forges put it together: an alternative at the top is anchored on one side only. */
const compile = (source: string): RE2JS | null => {
  if (source.length > MAX_EXPRESSION_LENGTH || foldsUnicode(source)) return null;
  try {
    return RE2JS.compile(`^${source}$`);
  } catch {
    // RE2JS throws for whatever is no expression, or one that would need to go back.
    return null;
  }
};

/** Everything from "#" on is a comment; behind a backslash it is not, and a blank does not part words. */
const wordsOf = (line: string): readonly string[] => {
  const words: string[] = [];
  let word = '';
  let isEscaped = false;
  for (const character of line.trim().replaceAll('\t', ' ')) {
    const isBlank = character === ' ';
    if (isEscaped) word += character;
    else if (character === '#') break;
    else if (isBlank && word !== '') {
      words.push(word);
      word = '';
    } else if (!isBlank && character !== '\\') word += character;
    isEscaped = !isEscaped && character === '\\';
  }
  return word === '' ? words : [...words, word];
};
