import { createLoginMatch, createNameMatch } from '../../diff/paths/glob-names.ts';
import type { ChangeRequestFacts } from '../../forge/port-facts.ts';
import type { Policy } from '../model/policy.ts';
import { isPaused } from '../model/command-reply.ts';

/** Why a change request is not reviewed by itself. `setting`: the operator's setting behind it; null when it is a command. */
export type Skip = { readonly why: string; readonly setting: string | null };

/** The operator's filter that excludes this change request, or null. Empty lists exclude nothing. */
const filterOf = (facts: ChangeRequestFacts, policy: Policy): Skip | null => {
  const { labels, ignoreLabels, authors, ignoreAuthors, targetBranches } = policy.filters;
  const { login } = facts.author;
  if (labels.length > 0 && !facts.labels.some(createNameMatch(labels)))
    return { why: 'it has none of the wanted labels', setting: 'review.labels' };
  if (facts.labels.some(createNameMatch(ignoreLabels)))
    return { why: 'it has an ignored label', setting: 'review.ignore_labels' };
  if (authors.length > 0 && !createLoginMatch(authors)(login))
    return { why: 'its author is not among the wanted ones', setting: 'review.authors' };
  if (createLoginMatch(ignoreAuthors)(login)) return { why: 'its author is ignored', setting: 'review.ignore_authors' };
  return isWantedTarget(facts.targetBranch, targetBranches)
    ? null
    : { why: 'its target branch is not among the wanted ones', setting: 'review.target_branches' };
};

/** The reason why the operator's filters exclude this change request, or null. */
export const filteredOut = (facts: ChangeRequestFacts, policy: Policy): string | null =>
  filterOf(facts, policy)?.why ?? null;

/** Null when a new commit is reviewed by itself. A commander's `review` works in any case. */
export const whySkipped = (facts: ChangeRequestFacts, policy: Policy, pauses: number): Skip | null => {
  if (isPaused(pauses)) return { why: 'reviews of it are paused', setting: null };
  if (facts.draft && !policy.reviewDrafts) return { why: 'it is a draft', setting: 'review.drafts' };
  if (!policy.triggers.includes('pushed'))
    return { why: 'new commits do not start a review', setting: 'review.triggers' };
  return filterOf(facts, policy);
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
