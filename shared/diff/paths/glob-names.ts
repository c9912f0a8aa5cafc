import { compileGlob } from './glob-match.ts';

/**
 * Whether one of the patterns means the name of a branch, label, account or CI context. The dialect is that of paths
 * (`glob-match.ts`) with two differences: a pattern means the whole name, never its end alone, unless it is `*`, which
 * means every name; and a name that is written as the pattern is always meant, whatever brackets it has.
 */
export const createNameMatch = (patterns: readonly string[]): ((name: string) => boolean) => {
  const exact = new Set(patterns);
  const globs = patterns.flatMap((pattern) => compileName(pattern) ?? []);
  return (name) => exact.has('*') || exact.has(name) || globs.some((glob) => glob.matches(name));
};

const compileName = (pattern: string): ReturnType<typeof compileGlob> =>
  compileGlob(pattern.startsWith('/') ? pattern : `/${pattern}`);

/** Accounts are the same in any case, on every forge. */
export const createLoginMatch = (patterns: readonly string[]): ((login: string) => boolean) => {
  const matches = createNameMatch(patterns.map((pattern) => pattern.toLowerCase()));
  return (login) => matches(login.toLowerCase());
};
