import { mayTrigger } from '../../shared/forge/may-trigger.ts';
import { inputOf, mayBeSameInput } from '../../shared/rounds/model/input.ts';
import type { FixBrief } from '../../shared/rounds/model/fix-brief.ts';
import type { AuthorForge } from './deps.ts';

/** The reasons why an author stops before it pushes. Guard turns each code into one note or one hand-off. */
export type StopCode =
  | 'HEAD_MOVED'
  | 'INPUT_CHANGED'
  | 'ORDER_LAPSED'
  | 'NO_CAGE'
  | 'SOURCE_IN_FORK'
  | 'BRANCH_PROTECTED'
  | 'NOT_ALLOWED'
  | 'EMPTY_CHANGE'
  | 'TREE_SEEN'
  | 'CHANGE_REFUSED'
  | 'CHANGE_TOO_LARGE'
  | 'CHANGE_REQUEST_TOO_LARGE'
  | 'VALIDATION_FAILED'
  | 'PUSH_REFUSED';

/** The forge is asked before the work and again right before the push, because everything may have changed since the order. */
export const whyNotFix = async (
  forge: Pick<AuthorForge, 'read' | 'otherBots'>,
  brief: FixBrief,
  signal: AbortSignal,
): Promise<StopCode | null> => {
  const facts = await forge.read.fetchChangeRequest(brief.changeRequest, signal);
  if (facts === null || facts.state !== 'open' || facts.head !== brief.head) return 'HEAD_MOVED';
  if (facts.fromFork) return 'SOURCE_IN_FORK';
  if (facts.sourceBranch !== brief.sourceBranch) return 'HEAD_MOVED';
  const { projectId } = brief.changeRequest;
  const branch = await forge.read.fetchBranch(projectId, brief.sourceBranch, signal);
  if (branch === null) return 'HEAD_MOVED';
  if (branch.isProtected || branch.isDefault || facts.targetBranch === brief.sourceBranch) return 'BRANCH_PROTECTED';
  // The findings belong to a comparison with one target branch and merge base.
  if (!mayBeSameInput({ ...brief, target: brief.targetBranch }, inputOf(facts))) return 'INPUT_CHANGED';
  if (brief.requester === null) return null;
  const allowed = await mayTrigger(forge, { actor: brief.requester, action: 'fix', projectId }, signal);
  return allowed ? null : 'NOT_ALLOWED';
};
