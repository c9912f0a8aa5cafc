import { createLoginMatch, createNameMatch } from '../../diff/paths/glob-names.ts';
import type { ChangeRequestFacts } from '../../forge/port-facts.ts';
import type { History } from '../model/history.ts';
import type { Policy } from '../model/policy.ts';
import { isPaused } from '../model/command-reply.ts';

/** Why a change request is not reviewed by itself. `setting`: the operator's setting behind it; null when it is a command. */
export type Skip = { readonly why: string; readonly setting: string | null };

/** The operator's filter that excludes this change request, or null. Empty lists exclude nothing. */
const filterOf = (facts: ChangeRequestFacts, policy: Policy): Skip | null => {
  const { labels, ignoreLabels, authors, ignoreAuthors, targetBranches } = policy.filters;
  const { login } = facts.author;
  if (labels.length > 0 && !facts.labels.some(createNameMatch(labels)))
    return { why: `it waits for the label ${labels.join(' or ')}`, setting: 'review.labels' };
  if (facts.labels.some(createNameMatch(ignoreLabels)))
    return { why: 'it has an ignored label', setting: 'review.ignore_labels' };
  if (authors.length > 0 && !createLoginMatch(authors)(login))
    return { why: 'reviews are limited to other authors', setting: 'review.authors' };
  if (createLoginMatch(ignoreAuthors)(login)) return { why: 'its author is ignored', setting: 'review.ignore_authors' };
  return isWantedTarget(facts.targetBranch, targetBranches)
    ? null
    : { why: 'reviews are limited to other target branches', setting: 'review.target_branches' };
};

/** The reason why the operator's filters exclude this change request, or null. */
export const filteredOut = (facts: ChangeRequestFacts, policy: Policy): string | null =>
  filterOf(facts, policy)?.why ?? null;

/** What keeps this change request from being reviewed, or null. A commander's `review` works in any case. */
const heldBy = (facts: ChangeRequestFacts, policy: Policy, pauses: number): Skip | null => {
  if (isPaused(pauses)) return { why: 'reviews of it are paused', setting: null };
  if (facts.draft && !policy.reviewDrafts) return { why: 'it is a draft', setting: 'review.drafts' };
  return filterOf(facts, policy);
};

/** Why a review cannot start, or null. Always null for excluded target branches: no merge waits for a review there. */
export const whyWaiting = (facts: ChangeRequestFacts, policy: Policy, pauses: number): string | null =>
  isWantedTarget(facts.targetBranch, policy.filters.targetBranches)
    ? (heldBy(facts, policy, pauses)?.why ?? null)
    : null;

type Known = Pick<History, 'pauses' | 'reviewsDone'>;

/** Null when the change request is reviewed by itself. */
export const whySkipped = (facts: ChangeRequestFacts, policy: Policy, { pauses, reviewsDone }: Known): Skip | null => {
  const held = heldBy(facts, policy, pauses);
  if (held !== null) return held;
  const setting = 'review.triggers';
  if (!policy.triggers.includes('pushed')) return { why: 'new commits do not start a review', setting };
  const isNew = reviewsDone === 0 && !policy.triggers.includes('opened');
  return isNew ? { why: 'opening it does not start a review, only a push does', setting } : null;
};

export const isWantedTarget = (branch: string, patterns: readonly string[]): boolean =>
  patterns.length === 0 || createNameMatch(patterns)(branch);
