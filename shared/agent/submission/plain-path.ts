/**
 * Reads a path as models write it: in quotes or backticks, or with `./` or `/` in front. The prefixes `a/` and `b/` of a diff
 * are removed later, because a folder can have that name.
 */
export const plainPath = (path: string): string => {
  const [, , unquoted = path.trim()] = /^([`'"])(.*)\1$/.exec(path.trim()) ?? [];
  return unquoted.replace(/^(?:\.?\/+)+/, '');
};
