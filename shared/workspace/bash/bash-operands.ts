import { REVISION } from './bash-grammar.ts';
import { type BashRefusal, refuse } from './bash-options.ts';
import { whyPathIsRefused } from '../tree/paths.ts';

/** Removes `.` and empty segments from a path. The root becomes the empty string. */
export const tidyPath = (path: string): string =>
  path
    .split('/')
    .filter((name) => name !== '.' && name !== '')
    .join('/');

const NO_MAGIC = "not a path of the repository; write patterns plainly, such as '*.ts' or 'src/**/*.ts'";

const whyPathNot = (path: string): string | null => {
  if (path === '') return 'an empty path';
  if (path.startsWith('/')) return 'an absolute path; paths are relative to the root of the repository';
  if (path.startsWith(':')) return NO_MAGIC;
  const tidy = tidyPath(path);
  if (tidy.split('/').includes('..')) return 'a path that leads out of the repository';
  return tidy === '' ? null : whyPathIsRefused(tidy);
};

const firstRefused = (words: readonly string[], whyNot: (word: string) => string | null): BashRefusal | null => {
  for (const word of words) {
    const reason = whyNot(word);
    if (reason !== null) return refuse(word, reason);
  }
  return null;
};

const NO_REVISION = 'not a revision (letters, digits and . _ / ~ ^ - only); paths come after --';

const isCommit = (word: string): boolean => REVISION.test(word) && !word.includes('..');

export const isRange = (word: string): boolean => {
  const [, from = '', to = ''] = /^(.*[^.])\.{2,3}([^.].*)$/.exec(word) ?? [];
  return isCommit(from) && isCommit(to);
};

const whyObjectNot = (word: string): string | null => {
  const colon = word.indexOf(':');
  if (colon < 0) return isCommit(word) || isRange(word) ? null : NO_REVISION;
  return isCommit(word.slice(0, colon)) ? whyPathNot(word.slice(colon + 1)) : NO_REVISION;
};

const isPattern = (path: string): boolean => /[*?[]/.test(path);

/** git treats braces as literal characters, so a brace list would silently match nothing. */
const BRACES = /\{[^{},]*,[^{}]*\}/;

export type PathWords = { readonly kind: 'paths'; readonly words: readonly string[]; readonly patterns: boolean };

/**
 * Turns paths into git pathspecs. A pattern matches files, everything below a matching folder, and a file whose literal
 * name is the pattern. As in git, `*` also matches `/`; once a pattern contains `**`, `*` stops at `/`.
 */
export const pathWords = (paths: readonly string[]): PathWords | BashRefusal => {
  const refused = refusedPath(paths) ?? firstRefused(paths, (path) => (BRACES.test(path) ? NO_BRACES : null));
  if (refused !== null) return refused;
  if (!paths.some(isPattern)) return { kind: 'paths', words: paths, patterns: false };
  return { kind: 'paths', words: paths.flatMap(wordsOf), patterns: true };
};

const NO_BRACES = 'braces are not supported; give each pattern as a separate word';

const wordsOf = (path: string): readonly string[] => {
  // git spells the root as `.`.
  const tidy = tidyPath(path);
  if (!isPattern(tidy)) return [tidy === '' ? '.' : `:(literal)${tidy}`];
  const [magic, below] = tidy.includes('**') ? [':(glob)', '/**'] : ['', '/*'];
  return [`:(literal)${tidy}`, `${magic}${tidy}`, `${magic}${tidy}${below}`];
};

export const refusedPattern = (paths: readonly string[]): BashRefusal | null =>
  firstRefused(paths, (path) => (/[*?]/.test(path) ? 'this command takes no pattern; git ls-files does' : null));

export const refusedPath = (words: readonly string[]): BashRefusal | null => firstRefused(words, whyPathNot);

export const refusedCommit = (words: readonly string[]): BashRefusal | null =>
  firstRefused(words, (word) => (isCommit(word) ? null : NO_REVISION));

/** Accepts commits and ranges. */
export const refusedRevision = (words: readonly string[]): BashRefusal | null =>
  firstRefused(words, (word) => (isCommit(word) || isRange(word) ? null : NO_REVISION));

/** Accepts commits, ranges and REVISION:PATH. */
export const refusedObject = (words: readonly string[]): BashRefusal | null => firstRefused(words, whyObjectNot);
