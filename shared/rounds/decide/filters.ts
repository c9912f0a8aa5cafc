import { createLoginMatch, createNameMatch } from '../../diff/paths/glob-names.ts';
import type { ChangeRequestFacts } from '../../forge/port-facts.ts';
import type { Policy } from '../model/policy.ts';
import { isPaused } from '../model/command-reply.ts';

/** The reason why the operator's filters exclude this change request, or null. Empty lists exclude nothing. */
export const filteredOut = (facts: ChangeRequestFacts, policy: Policy): string | null => {
  const { labels, ignoreLabels, authors, ignoreAuthors, targetBranches } = policy.filters;
  const { login } = facts.author;
  if (labels.length > 0 && !facts.labels.some(createNameMatch(labels))) return 'it has none of the wanted labels';
  if (facts.labels.some(createNameMatch(ignoreLabels))) return 'it has an ignored label';
  if (authors.length > 0 && !createLoginMatch(authors)(login)) return 'its author is not among the wanted ones';
  if (createLoginMatch(ignoreAuthors)(login)) return 'its author is ignored';
  return isWantedTarget(facts.targetBranch, targetBranches) ? null : 'its target branch is not among the wanted ones';
};

/** Why a review cannot start, or null. Always null for excluded target branches: no merge waits for a review there. */
export const whyWaiting = (facts: ChangeRequestFacts, policy: Policy, pauses: number): string | null => {
  const { labels, targetBranches } = policy.filters;
  if (!isWantedTarget(facts.targetBranch, targetBranches)) return null;
  if (isPaused(pauses)) return 'reviews of it are paused';
  if (facts.draft && !policy.reviewDrafts) return 'it is a draft';
  const isUnlabelled = labels.length > 0 && !facts.labels.some(createNameMatch(labels));
  return isUnlabelled ? `it waits for the label ${labels.join(' or ')}` : filteredOut(facts, policy);
};

export const isWantedTarget = (branch: string, patterns: readonly string[]): boolean =>
  patterns.length === 0 || createNameMatch(patterns)(branch);
