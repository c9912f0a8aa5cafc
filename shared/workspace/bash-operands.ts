/** The words of a command that are no options: revisions, objects and paths, told apart by their looks alone. Pure. */
import { REVISION } from './bash-grammar.ts';
import { type BashRefusal, refuse } from './bash-options.ts';
import { whyPathIsRefused } from './paths.ts';

/** The same path without `.` and empty names; empty for the root. */
export const tidyPath = (path: string): string =>
  path
    .split('/')
    .filter((name) => name !== '.' && name !== '')
    .join('/');

const whyPathNot = (path: string): string | null => {
  if (path === '') return 'an empty path';
  if (path.startsWith('/')) return 'an absolute path; paths count from the root of the repository';
  if (path.startsWith(':')) return 'not a path of the repository';
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

export const refusedPath = (words: readonly string[]): BashRefusal | null => firstRefused(words, whyPathNot);

export const refusedCommit = (words: readonly string[]): BashRefusal | null =>
  firstRefused(words, (word) => (isCommit(word) ? null : NO_REVISION));

/** Commits and ranges. */
export const refusedRevision = (words: readonly string[]): BashRefusal | null =>
  firstRefused(words, (word) => (isCommit(word) || isRange(word) ? null : NO_REVISION));

/** Commits, ranges and REVISION:PATH. */
export const refusedObject = (words: readonly string[]): BashRefusal | null => firstRefused(words, whyObjectNot);
