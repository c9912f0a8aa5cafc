/** Approvals and requested changes (GL lib/api/merge_request_approvals.rb; forges.md 3.6). */
import { levelOf } from './access.ts';
import { fireMergeRequest } from './payload-merge-request.ts';
import { systemNote } from './system-notes.ts';
import { logOn } from './log.ts';
import type { ReviewerState, SimMergeRequest, SimUser, World } from './world.ts';

const enough = (mr: SimMergeRequest): boolean => mr.approvals.length >= mr.project.approvalsRequired;

/** Membership and update rights, or being the author (who is held back by a setting in EE instead). */
export const mayApprove = (mr: SimMergeRequest, user: SimUser): boolean =>
  levelOf(user, mr.project) >= 30 || mr.author === user;

export const setReviewerState = (mr: SimMergeRequest, user: SimUser, state: ReviewerState): boolean => {
  const reviewer = mr.reviewers.find((candidate) => candidate.user === user);
  if (reviewer === undefined) return false;
  reviewer.state = state;
  return true;
};

/** False when there is nothing to do: approved already, merged, or the author's own (the API turns that into a 401). */
export const approve = async (world: World, mr: SimMergeRequest, user: SimUser): Promise<boolean> => {
  const own = mr.author === user && world.edition === 'ee' && !mr.project.authorMayApprove;
  if (mr.state === 'merged' || own || mr.approvals.some((approval) => approval.user === user)) return false;
  mr.approvals = [...mr.approvals, { user, at: world.clock() }];
  mr.requestedChanges.delete(user);
  setReviewerState(mr, user, 'approved');
  systemNote(world, mr, user, 'approved this merge request');
  logOn(world, mr, user, { kind: 'approve', detail: { head: mr.headSha } });
  // CE: any approval. EE: the one that satisfied the rules, the others being `approval` (forges.md 2.4).
  const action = world.edition === 'ce' || enough(mr) ? 'approved' : 'approval';
  await fireMergeRequest(world, mr, { action, user });
  return true;
};

export const unapprove = async (world: World, mr: SimMergeRequest, user: SimUser): Promise<boolean> => {
  if (mr.state === 'merged' || !mr.approvals.some((approval) => approval.user === user)) return false;
  const before = enough(mr);
  mr.approvals = mr.approvals.filter((approval) => approval.user !== user);
  setReviewerState(mr, user, 'unapproved');
  systemNote(world, mr, user, 'unapproved this merge request');
  logOn(world, mr, user, { kind: 'unapprove' });
  const action = world.edition === 'ce' || before ? 'unapproved' : 'unapproval';
  await fireMergeRequest(world, mr, { action, user });
  return true;
};

/** EE: a push drops approvals by default, told by a system event in the pusher's name (forges.md 2.4, 3.6). */
export const resetApprovals = async (world: World, mr: SimMergeRequest, pusher: SimUser): Promise<void> => {
  if (!mr.project.resetApprovalsOnPush || mr.approvals.length === 0) return;
  const before = enough(mr);
  for (const { user } of mr.approvals) setReviewerState(mr, user, 'unapproved');
  mr.approvals = [];
  logOn(world, mr, pusher, { kind: 'approvals.reset' });
  const action = before ? 'unapproved' : 'unapproval';
  await fireMergeRequest(world, mr, { action, user: pusher, systemAction: 'approvals_reset_on_push' });
};

/** EE only: the request goes, and the reviewer is as before (GL ee/app/services/merge_requests/destroy_requested_changes_service.rb). */
export const takeBackRequest = (world: World, mr: SimMergeRequest, user: SimUser): 'taken back' | 'nothing' => {
  if (!mr.requestedChanges.delete(user)) return 'nothing';
  setReviewerState(mr, user, 'unreviewed');
  logOn(world, mr, user, { kind: 'changes.take_back' });
  return 'taken back';
};

/**
 * Who is no reviewer is told so, and yet the request is recorded with a system note
 * (GL app/services/merge_requests/update_reviewer_state_service.rb; forges.md 3.6).
 */
export const requestChanges = async (
  world: World,
  mr: SimMergeRequest,
  user: SimUser,
): Promise<'requested' | 'no reviewer'> => {
  mr.requestedChanges.add(user);
  const known = setReviewerState(mr, user, 'requested_changes');
  systemNote(world, mr, user, 'requested changes');
  logOn(world, mr, user, { kind: 'changes.request', detail: { reviewer: known } });
  await unapprove(world, mr, user);
  if (known) setReviewerState(mr, user, 'requested_changes');
  return known ? 'requested' : 'no reviewer';
};
