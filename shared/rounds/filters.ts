import type { ChangeRequestFacts } from '../forge/port.ts';
import type { Policy } from './facts.ts';

/** Why the operator's filters keep this change request from being reviewed, or null. Glob only as a final `*`. */
export const filteredOut = (facts: ChangeRequestFacts, policy: Policy): string | null => {
  const { labels, ignoreLabels, authors, ignoreAuthors, targetBranches } = policy.filters;
  if (labels.length > 0 && !facts.labels.some((label) => labels.includes(label)))
    return 'it has none of the wanted labels';
  const unwanted = facts.labels.find((label) => ignoreLabels.includes(label));
  if (unwanted !== undefined) return 'it has an ignored label';
  if (authors.length > 0 && !authors.includes(facts.author.login)) return 'its author is not among the wanted ones';
  if (ignoreAuthors.includes(facts.author.login)) return 'its author is ignored';
  return isWantedTarget(facts.targetBranch, targetBranches) ? null : 'its target branch is not among the wanted ones';
};

/** An empty list wants all. */
export const isWantedTarget = (branch: string, patterns: readonly string[]): boolean =>
  patterns.length === 0 || patterns.some((pattern) => matchesBranch(pattern, branch));

const matchesBranch = (pattern: string, branch: string): boolean =>
  pattern.endsWith('*') ? branch.startsWith(pattern.slice(0, -1)) : pattern === branch;
