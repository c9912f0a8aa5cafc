/** Decides which projects of a forge the ingress and the sweep serve. */

/** All names are in lower case, because forges ignore case in paths. */
export type ProjectScope = {
  /** If true, all projects of which the read token's account is a member are served. */
  readonly all: boolean;
  readonly groups: readonly string[];
  readonly paths: readonly string[];
};

const BELOW = '/*';

/** Parses the list `projects` of a `[[forge]]`: `owner/name`, `group/*` or `*`; `**` means `*`. */
export const parseProjectScope = (patterns: readonly string[]): ProjectScope => {
  const all = [...new Set(patterns.map((pattern) => pattern.toLowerCase().replace(/\*\*$/, '*')))];
  const groups = all.filter((pattern) => pattern.endsWith(BELOW));
  return {
    all: all.includes('*'),
    groups: groups.map((pattern) => pattern.slice(0, -BELOW.length)),
    paths: all.filter((pattern) => pattern !== '*' && !pattern.endsWith(BELOW)),
  };
};

/** A null path means that the payload names no project; the result is then false. */
export const inScope = (scope: ProjectScope, path: string | null): boolean => {
  if (path === null || path === '') return false;
  const wanted = path.toLowerCase();
  return scope.all || scope.paths.includes(wanted) || scope.groups.some((group) => wanted.startsWith(`${group}/`));
};
