/** Builds the arguments of each allowed command. `--` precedes paths, so that no path can be mistaken for an option. Pure. */
import type { CommandName } from './bash-grammar.ts';
import { type BashRefusal, refuse, type SortedWords } from './bash-options.ts';
import {
  isRange,
  pathWords,
  refusedCommit,
  refusedObject,
  refusedPath,
  refusedPattern,
  refusedRevision,
  tidyPath,
} from './bash-operands.ts';

/** Repository content that a command's output can contain. All of it is scanned for secrets before any of it is shown. */
export type BashSources = {
  /** Revisions and REVISION:PATH words whose objects the command shows. */
  readonly objects: readonly string[];
  /** Whether the output has patches. Their index lines name the objects that they show. */
  readonly patches: boolean;
  /** Whether the output has `git grep` matches. Each match names the file that it comes from. */
  readonly matches: boolean;
};

export type Arranged =
  | {
      readonly kind: 'arranged';
      readonly args: readonly string[];
      readonly sources: BashSources;
      /** Whether the words after `--` are pathspecs with patterns. Otherwise they are literal paths. */
      readonly patterns: boolean;
    }
  | BashRefusal;

type Parts = Omit<SortedWords, 'kind'>;

const HEAD = 'HEAD';
const NAMES_ONLY: BashSources = { objects: [], patches: false, matches: false };
const PATCHES = ['--no-ext-diff', '--no-textconv', '--full-index', '--no-color', '--submodule=short'];

const arranged = (args: readonly string[], sources: Partial<BashSources> = {}): Arranged & { kind: 'arranged' } => ({
  kind: 'arranged',
  args,
  sources: { ...NAMES_ONLY, ...sources },
  patterns: false,
});

const withPaths = (args: readonly string[], paths: readonly string[], sources: Partial<BashSources> = {}): Arranged => {
  const found = pathWords(paths);
  if (found.kind === 'refused') return found;
  return { ...arranged([...args, '--', ...found.words], sources), patterns: found.patterns };
};

const log = ({ options, operands, paths }: Parts): Arranged =>
  refusedRevision(operands) ??
  withPaths(['log', '--no-show-signature', ...PATCHES, ...options, ...operands], paths, { patches: true });

const show = ({ options, operands, paths }: Parts): Arranged =>
  refusedObject(operands) ??
  withPaths(['show', '--no-show-signature', ...PATCHES, ...options, ...operands], paths, {
    objects: operands.filter((word) => !isRange(word)),
    // The content of a single file is printed without a patch, but a line of the file can look like a patch header.
    patches: !operands.every((word) => word.includes(':')) || operands.length === 0,
  });

/** Never diffs against the work tree, because git would then run its filters: one revision is compared with the head. */
const diff = ({ options, operands: given, paths }: Parts): Arranged => {
  const operands = given.length === 1 && !given.some(isRange) ? [...given, HEAD] : given;
  const ranges = operands.filter(isRange).length;
  if (operands.length + ranges !== 2) {
    return refuse(operands.at(-1) ?? 'diff', 'diff takes two revisions or one range; paths come after --');
  }
  return (
    refusedRevision(operands) ?? withPaths(['diff', ...PATCHES, ...options, ...operands], paths, { patches: true })
  );
};

/** Accepts `blame PATH`, `blame REVISION PATH`, and both forms with `--`. */
const blame = ({ options, operands, paths }: Parts): Arranged => {
  const words = paths.length === 0 ? operands.slice(0, -1) : operands;
  const named = paths.length === 0 ? operands.slice(-1) : paths;
  const [revision = HEAD, ...moreWords] = words;
  const [path = '', ...morePaths] = named;
  const extra = [...moreWords, ...morePaths][0];
  if (extra !== undefined) return refuse(extra, 'blame takes one revision and one path');
  return (
    refusedCommit([revision]) ??
    refusedPath([path]) ??
    arranged(['blame', ...options, revision, '--', path], { objects: [`${revision}:${tidyPath(path)}`] })
  );
};

/** With these options `git grep` prints names or counts, but no lines of a file. */
const LISTING = ['-l', '-L', '-c'];
const GREP = ['grep', '-n', '-I', '-z', '--full-name', '--no-color', '--no-textconv', '--threads=1'];

const grep = ({ options, operands, paths }: Parts): Arranged => {
  const [pattern = '', revision = HEAD, extra] = operands;
  if (extra !== undefined) return refuse(extra, 'grep takes a pattern and one revision; paths come after --');
  const matches = !options.some((option) => LISTING.includes(option));
  return refusedCommit([revision]) ?? withPaths([...GREP, ...options, '-e', pattern, revision], paths, { matches });
};

const listTree = (options: readonly string[], revision: string, paths: readonly string[]): Arranged =>
  refusedCommit([revision]) ??
  refusedPath(paths) ??
  refusedPattern(paths) ??
  // `git ls-tree` lists the root by default; no path argument denotes the root.
  arranged(['ls-tree', '--full-tree', ...options, revision, '--', ...paths.filter((path) => tidyPath(path) !== '')]);

const lsTree = ({ options, operands, paths }: Parts): Arranged => {
  const [revision = HEAD, ...more] = operands;
  return listTree(options, revision, [...more, ...paths]);
};

/** The view has no index, so `ls-files` lists the tree at the head. */
const lsFiles = ({ operands, paths }: Parts): Arranged => {
  const found = pathWords([...operands, ...paths]);
  if (found.kind === 'refused') return found;
  if (!found.patterns) return listTree(['-r', '--name-only'], HEAD, found.words);
  return { ...arranged(['ls-files', `--with-tree=${HEAD}`, '--', ...found.words]), patterns: true };
};

const catFile = ({ options, operands, paths }: Parts): Arranged => {
  const [object = ''] = operands;
  if (options.length !== 1) return refuse('cat-file', 'cat-file takes exactly one of -p -t -s -e');
  if (paths[0] !== undefined || isRange(object)) return refuse(paths[0] ?? object, 'expected one object and no path');
  const shown = options.includes('-p') ? [object] : [];
  return refusedObject([object]) ?? arranged(['cat-file', ...options, object], { objects: shown });
};

const revParse = ({ options, operands, paths }: Parts): Arranged =>
  paths[0] === undefined
    ? (refusedObject(operands) ?? arranged(['rev-parse', ...options, ...operands]))
    : refuse(paths[0], 'rev-parse takes no path');

const namesOf = ({ options, operands, paths }: Parts): Arranged =>
  refusedPath([...operands, ...paths]) ?? arranged([...options, '--', ...operands, ...paths]);

/** The checkout is the tree at the head, so a path in it has the same content as `HEAD:path`. */
const linesOf = ({ options, operands, paths }: Parts): Arranged => {
  const files = [...operands, ...paths];
  const objects = files.map((path) => `${HEAD}:${tidyPath(path)}`);
  return refusedPath(files) ?? arranged([...options, '--', ...files], { objects });
};

export const ARRANGE: Readonly<Record<CommandName, (parts: Parts) => Arranged>> = {
  'git log': log,
  'git show': show,
  'git diff': diff,
  'git blame': blame,
  'git grep': grep,
  'git ls-files': lsFiles,
  'git ls-tree': lsTree,
  'git cat-file': catFile,
  'git rev-parse': revParse,
  ls: namesOf,
  wc: namesOf,
  head: linesOf,
  tail: linesOf,
};
