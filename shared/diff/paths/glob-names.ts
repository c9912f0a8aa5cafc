import { compileGlob } from './glob-match.ts';

/**
 * Matches names of branches, labels, accounts or CI contexts. The syntax is that of `glob-match.ts` with two differences. A
 * pattern must match the whole name, and `*` matches every name. A name that is identical to the pattern's
 * text always matches, even if it contains brackets.
 */
export const createNameMatch = (patterns: readonly string[]): ((name: string) => boolean) => {
  const exact = new Set(patterns);
  const globs = patterns.flatMap((pattern) => compileName(pattern) ?? []);
  return (name) => exact.has('*') || exact.has(name) || globs.some((glob) => glob.matches(name));
};

const compileName = (pattern: string): ReturnType<typeof compileGlob> =>
  compileGlob(pattern.startsWith('/') ? pattern : `/${pattern}`);

/** Case is ignored, as in account names on every forge. */
export const createLoginMatch = (patterns: readonly string[]): ((login: string) => boolean) => {
  const matches = createNameMatch(patterns.map((pattern) => pattern.toLowerCase()));
  return (login) => matches(login.toLowerCase());
};
