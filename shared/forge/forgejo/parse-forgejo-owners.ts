/**
 * CODEOWNERS as Forgejo and Gitea read it: each line has a Go regular expression for the whole path, and owners. Every line that
 * matches counts. A line with "!" counts if it does not match. A backslash is removed before the expression is compiled.
 * Sources: https://forgejo.org/docs/latest/user/code-owners/, https://docs.gitea.com/usage/code-owners and
 * `models/issues/pull.go` of both.
 *
 * The expressions run on RE2JS, which like Go takes time linear in the path. Gitea 1.27 uses an engine with lookahead and a
 * timeout. Lines that need lookahead are skipped here.
 */
import { RE2JS } from 're2js';
import { type CodeOwners, joinOwners, type Owners, toOwners } from '../../owners/code-owners.ts';
import { createWorkLimit } from '../../owners/work-limit.ts';

type Line = { readonly expression: RE2JS; readonly isNegative: boolean; readonly owners: Owners };

/** Maximum number of lines with an expression; further lines are skipped. Each line takes about 0.2 ms. */
const MAX_LINES = 2_000;
const MAX_EXPRESSION_LENGTH = 500;

/**
 * Maximum number of instructions of all expressions. The compiler creates about a hundred instructions per millisecond.
 */
const MAX_PROGRAM = 60_000;

/** Cost of reading the table of a Unicode class, in instructions. */
const CLASS_COST = 100;

/** Maximum of instructions times characters of a path, which takes about half a second. */
const MAX_STEPS = 10_000_000;

export type ForgejoSyntax = {
  /** Whether a leading slash is ignored, as in Gitea since 1.27. */
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

/** Accepts a name or a team. Teams cannot be nested. */
const isNameOrTeam = (name: string): boolean => name.split('/').length <= 2;

const costOf = (expression: RE2JS): number =>
  expression.programSize() + CLASS_COST * (expression.pattern().match(/\\[pP]/g) ?? []).length;

/** Case folding of a Unicode range takes milliseconds, thousands of times what its length and program size suggest. */
const foldsUnicode = (source: string): boolean =>
  /\(\?[a-zA-Z]*i/.test(source) && /[^\x20-\x7e]|\\[xpP0-7]/.test(source);

/** Adds anchors as the forges do: without a group, so each side of a top-level `|` gets only one of the anchors. */
const compile = (source: string): RE2JS | null => {
  if (source.length > MAX_EXPRESSION_LENGTH || foldsUnicode(source)) return null;
  try {
    return RE2JS.compile(`^${source}$`);
  } catch {
    // RE2JS throws for an expression that is invalid or needs backtracking.
    return null;
  }
};

/** A "#" starts a comment and a blank separates words, unless a backslash precedes the character. */
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
