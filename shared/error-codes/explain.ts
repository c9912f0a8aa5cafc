/** What each error code means and what helps, for people who see a code in a list, a page or a log. */
import { AUTHOR_CODES } from './author-codes.ts';
import type { ErrorMeaning, ErrorTable } from './error-table.ts';
import { FORGE_CODES } from './forge-codes.ts';
import { GIT_CODES } from './git-codes.ts';
import { MODEL_CODES } from './model-codes.ts';
import { SERVICE_CODES } from './service-codes.ts';

export const ERROR_CODES: ErrorTable = {
  ...AUTHOR_CODES,
  ...FORGE_CODES,
  ...GIT_CODES,
  ...MODEL_CODES,
  ...SERVICE_CODES,
};

const UNKNOWN: ErrorMeaning = {
  disposition: 'retry',
  text: 'An unforeseen error. The log has its message and stack; please report it.',
};

/** Never fails: a code that is not in the table was written by another version, or is unforeseen. */
export const explainCode = (code: string): ErrorMeaning => {
  const known = Object.hasOwn(ERROR_CODES, code) ? ERROR_CODES[code] : undefined;
  return known ?? UNKNOWN;
};

/** The meaning without Markdown, for a terminal: a link is reduced to its text. */
export const plainMeaning = (code: string): string =>
  explainCode(code)
    .text.replaceAll(/\[([^[\]]{1,200})\]\([^()]{1,300}\)/g, '$1')
    .replaceAll('`', '');

/** For labels of metrics: a code that is not in the table counts as `UNEXPECTED`, so that labels stay few. */
export const knownCode = (code: string): string => (Object.hasOwn(ERROR_CODES, code) ? code : 'UNEXPECTED');

/** @public The rows of the table in `shared/README.md`; a test compares them. */
export const readmeRows = (): readonly string[] =>
  Object.entries(ERROR_CODES)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([code, { disposition, text }]) => {
      const shown = disposition === 'run' ? '*run*' : disposition;
      return `| \`${code}\` | ${shown} | ${text.replaceAll('](deploy/', '](../deploy/')} |`;
    });
