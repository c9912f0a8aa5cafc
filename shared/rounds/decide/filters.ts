/** Finds the rule that keeps a change request from its review, and the text that explains it. */
import { createLoginMatch, createNameMatch } from '../../diff/paths/glob-names.ts';
import type { ChangeRequestFacts } from '../../forge/port-facts.ts';
import { isPaused } from '../model/command-reply.ts';
import { inputOf } from '../model/input.ts';
import type { Policy } from '../model/policy.ts';
import type { SkipRule } from '../model/command-reply.ts';
import type { GuardState } from '../model/state.ts';
import { isInputSettled } from './decision.ts';

/** A commit status shows about 46 characters of such an explanation. */
const SKIP_REASONS: Readonly<Record<Exclude<SkipRule, 'no_wanted_label'>, string>> = {
  paused: 'reviews of this change request are paused',
  draft: 'the change request is a draft',
  ignored_label: 'the change request has an ignored label',
  unwanted_author: 'reviews are limited to other authors',
  ignored_author: 'the author is ignored',
  unwanted_branch: 'reviews are limited to other target branches',
  opened_off: 'the trigger opened is off',
  pushed_off: 'the trigger pushed is off',
};

export const isWantedTarget = (branch: string, patterns: readonly string[]): boolean =>
  patterns.length === 0 || createNameMatch(patterns)(branch);

/** Returns the operator's filter that excludes this change request, or null. Empty lists exclude nothing. */
export const filterRuleOf = (facts: ChangeRequestFacts, policy: Policy): SkipRule | null => {
  const { labels, ignoreLabels, authors, ignoreAuthors, targetBranches } = policy.filters;
  const { login } = facts.author;
  if (labels.length > 0 && !facts.labels.some(createNameMatch(labels))) return 'no_wanted_label';
  if (facts.labels.some(createNameMatch(ignoreLabels))) return 'ignored_label';
  if (authors.length > 0 && !createLoginMatch(authors)(login)) return 'unwanted_author';
  if (createLoginMatch(ignoreAuthors)(login)) return 'ignored_author';
  return isWantedTarget(facts.targetBranch, targetBranches) ? null : 'unwanted_branch';
};

/** Returns the first rule that keeps an ordinary event from starting a review, or null. A commander's request overrides all rules. */
export const skipRuleOf = (facts: ChangeRequestFacts, policy: Policy, pauses: number): SkipRule | null => {
  if (isPaused(pauses)) return 'paused';
  if (facts.draft && !policy.reviewDrafts) return 'draft';
  return filterRuleOf(facts, policy);
};

/** Returns the trigger that would have started a review of the current input, if the operator has disabled it. */
export const triggerRuleOf = (state: GuardState, facts: ChangeRequestFacts, { triggers }: Policy): SkipRule | null => {
  const { running, wanted, quiet, reviewed, closed, runsUsed } = state;
  const isInWork = running !== null || wanted !== null || quiet !== null;
  if (isInWork || isInputSettled(state, inputOf(facts))) return null;
  const isFirst = reviewed.length + closed.length + runsUsed === 0;
  if (isFirst) return triggers.includes('opened') ? null : 'opened_off';
  return triggers.includes('pushed') ? null : 'pushed_off';
};

/** The text that explains a rule in the log, in `fixpoint why`, in the commit status and in answers. */
export const skipReason = (rule: SkipRule, { filters }: Policy): string =>
  rule === 'no_wanted_label' ? `the label ${filters.labels.join(' or ')} is missing` : SKIP_REASONS[rule];

/** Returns why an ordinary event starts no review, or null. */
export const whySkipped = (facts: ChangeRequestFacts, policy: Policy, pauses: number): string | null => {
  const rule = skipRuleOf(facts, policy, pauses);
  return rule === null ? null : skipReason(rule, policy);
};

/** Returns why a review cannot start, or null. Always null for excluded target branches: no merge there waits for a review. */
export const whyWaiting = (facts: ChangeRequestFacts, policy: Policy, pauses: number): string | null =>
  isWantedTarget(facts.targetBranch, policy.filters.targetBranches) ? whySkipped(facts, policy, pauses) : null;

/**
 * With `review.announce_skips`, excluded target branches (which otherwise get no status) and disabled triggers are
 * announced, too.
 */
export const whyAnnounced = (state: GuardState, facts: ChangeRequestFacts, policy: Policy): string | null => {
  if (policy.announceSkips !== true) return null;
  const rule = skipRuleOf(facts, policy, state.pauses) ?? triggerRuleOf(state, facts, policy);
  return rule === null ? null : skipReason(rule, policy);
};
