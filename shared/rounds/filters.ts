import { createLoginMatch, createNameMatch } from '../diff/glob-names.ts';
import type { ChangeRequestFacts } from '../forge/port.ts';
import type { Policy } from './facts.ts';

/** Why the operator's filters keep this change request from being reviewed, or null. Empty lists filter nothing. */
export const filteredOut = (facts: ChangeRequestFacts, policy: Policy): string | null => {
  const { labels, ignoreLabels, authors, ignoreAuthors, targetBranches } = policy.filters;
  const { login } = facts.author;
  if (labels.length > 0 && !facts.labels.some(createNameMatch(labels))) return 'it has none of the wanted labels';
  if (facts.labels.some(createNameMatch(ignoreLabels))) return 'it has an ignored label';
  if (authors.length > 0 && !createLoginMatch(authors)(login)) return 'its author is not among the wanted ones';
  if (createLoginMatch(ignoreAuthors)(login)) return 'its author is ignored';
  return isWantedTarget(facts.targetBranch, targetBranches) ? null : 'its target branch is not among the wanted ones';
};

/** An empty list wants all. */
export const isWantedTarget = (branch: string, patterns: readonly string[]): boolean =>
  patterns.length === 0 || createNameMatch(patterns)(branch);
