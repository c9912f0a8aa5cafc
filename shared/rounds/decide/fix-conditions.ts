/** Conditions for a fix, with the reason when one is not met. Used for guard's own orders and for requests. */
import { createLoginMatch, createNameMatch } from '../../diff/paths/glob-names.ts';
import type { ChangeRequestFacts } from '../../forge/port-facts.ts';
import { stillBlocks } from '../model/blocking.ts';
import { mayStartRun } from '../model/counts.ts';
import type { AuthorPolicy, Policy } from '../model/policy.ts';
import type { Facts, FixFacts } from '../model/facts.ts';
import { findingsToFix, type FixRefusal, maxFixes } from '../model/fixes.ts';
import type { GuardState } from '../model/state.ts';
import { isPresent, lastReviewed } from '../model/history.ts';

export const isAuthorOn = (
  { enabled, labels, authors }: AuthorPolicy,
  facts: Pick<ChangeRequestFacts, 'labels' | 'author'>,
  inScope: boolean,
): boolean =>
  enabled &&
  inScope &&
  (labels.length === 0 || facts.labels.some(createNameMatch(labels))) &&
  (authors.length === 0 || createLoginMatch(authors)(facts.author.login));

export type FixQuestion = {
  readonly state: GuardState;
  readonly facts: Facts;
  readonly policy: Policy;
};

/** Why no fix may begin now, for orders and requests alike. Null when one may begin. */
export const whyNoFix = (question: FixQuestion, isRequested: boolean): FixRefusal | null => {
  const { state, facts, policy } = question;
  const { changeRequest, fix } = facts;
  if (changeRequest === null || fix === null) return 'off';
  if (!isAuthorOn(policy.author, changeRequest, fix.inScope)) return 'off';
  if (changeRequest.fromFork) return 'fork';
  if (fix.branchProtected || changeRequest.sourceBranch === changeRequest.targetBranch) return 'protected';
  if (state.running !== null || state.fixing !== null) return 'busy';
  if (!isPresent(lastReviewed(facts.history), changeRequest)) return 'not_reviewed';
  if (!hasFeedback(question) || findingsToFix(facts.history, isRequested).length === 0) return 'nothing';
  return isUsedUp(question) ? 'cap' : null;
};

const hasFeedback = ({ facts: { history } }: FixQuestion): boolean => lastReviewed(history)?.verdict === 'feedback';

/** No fix is ordered when no round is left to check it. */
const isUsedUp = ({ state, policy }: FixQuestion): boolean =>
  state.fixesUsed >= maxFixes(policy) || state.roundsUsed >= policy.rounds.max || !mayStartRun(state, policy.rounds);

/** Further reasons against a fix that guard orders itself. Null when there are none. */
export const whyNoOwnFix = ({ state, facts }: FixQuestion, fix: FixFacts): string | null => {
  if (state.fixedReview >= state.reviewsDone) return 'this review has had its fix';
  if (fix.approved) return 'a commander has approved the change';
  const settled = facts.history.threads.some((thread) => stillBlocks(thread) && thread.state !== 'open');
  return settled ? 'a thread that blocks waits for a human' : null;
};
