import type { ChangeRequestFacts } from '../../shared/forge/port-facts.ts';
import { compareInputs, type InputComparison, inputOf, type KnownInput } from '../../shared/rounds/model/input.ts';
import type { PostPlan } from '../../shared/rounds/model/posting/post-plan.ts';
import type { Posting } from './deps.ts';

const inputOfPlan = ({ head, target, targetHead, base, mergeBase, otherBases }: PostPlan): KnownInput => ({
  head,
  target,
  targetHead,
  base: base ?? mergeBase,
  otherBases,
});

export const compareWithPlan = (plan: PostPlan, facts: ChangeRequestFacts): InputComparison =>
  compareInputs(inputOfPlan(plan), inputOf(facts));

/** Returns null if the plan may no longer be posted: the change request is closed or its input has changed. */
export const fetchStanding = async ({
  forge,
  plan,
  signal,
}: Pick<Posting, 'forge' | 'plan' | 'signal'>): Promise<ChangeRequestFacts | null> => {
  const facts = await forge.read.fetchChangeRequest(plan.changeRequest, signal);
  if (facts === null || facts.state !== 'open') return null;
  return plan.allowStale || compareWithPlan(plan, facts) !== 'other' ? facts : null;
};

/** If the plan names a base, an unknown merge base counts as changed. */
export const isForSure = (plan: PostPlan, facts: ChangeRequestFacts): boolean =>
  plan.base === null ? compareWithPlan(plan, facts) !== 'other' : compareWithPlan(plan, facts) === 'same';
