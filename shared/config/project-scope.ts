/** Which projects of a forge are served. One rule for the ingress, which sees only a payload, and for the sweep. */

/** Everything is in lower case: forges take paths in any case. */
export type ProjectScope = {
  /** All projects that the reading account is a member of. */
  readonly all: boolean;
  /** Groups whose projects are served, those of groups below them included. */
  readonly groups: readonly string[];
  /** Named one by one. */
  readonly paths: readonly string[];
};

const BELOW = '/*';

/** Takes the list `projects` of a `[[forge]]`: `owner/name`, `group/*` or `*`; `**` says the same. */
export const parseProjectScope = (patterns: readonly string[]): ProjectScope => {
  const all = [...new Set(patterns.map((pattern) => pattern.toLowerCase().replace(/\*\*$/, '*')))];
  const groups = all.filter((pattern) => pattern.endsWith(BELOW));
  return {
    all: all.includes('*'),
    groups: groups.map((pattern) => pattern.slice(0, -BELOW.length)),
    paths: all.filter((pattern) => pattern !== '*' && !pattern.endsWith(BELOW)),
  };
};

/** Null stands for a payload that names no project: it is in no scope. */
export const inScope = (scope: ProjectScope, path: string | null): boolean => {
  if (path === null || path === '') return false;
  const wanted = path.toLowerCase();
  return scope.all || scope.paths.includes(wanted) || scope.groups.some((group) => wanted.startsWith(`${group}/`));
};
