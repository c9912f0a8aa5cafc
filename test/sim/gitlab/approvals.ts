/** Approvals and requested changes (GL lib/api/merge_request_approvals.rb; forges.md 3.6). */
import { sendMail } from './mails.ts';
import { levelOf } from './access.ts';
import { fireMergeRequest } from './payload-merge-request.ts';
import { systemNote } from './system-notes.ts';
import { logOn } from './log.ts';
import type { ReviewerState, SimMergeRequest, SimUser, World } from './world.ts';

const enough = (mr: SimMergeRequest): boolean => mr.approvals.length >= mr.project.approvalsRequired;

/**
 * Requires membership and update rights, also of the author (GL app/policies/merge_request_policy.rb, `can_approve`:
 * `can?(:update_merge_request)` and `is_project_member`). An EE setting decides whether authors may approve their own.
 */
export const mayApprove = (mr: SimMergeRequest, user: SimUser): boolean => {
  const level = levelOf(user, mr.project);
  return level >= 30 || (level > 0 && mr.author === user);
};

const overApproval: ReadonlySet<ReviewerState> = new Set(['requested_changes', 'unapproved']);

/**
 * False for an account that is not a reviewer. A reviewer who approved keeps that state through drafts and reviews
 * (GL app/services/merge_requests/update_reviewer_state_service.rb: "Reviewer has approved").
 */
export const setReviewerState = (mr: SimMergeRequest, user: SimUser, state: ReviewerState): boolean => {
  const reviewer = mr.reviewers.find((candidate) => candidate.user === user);
  if (reviewer === undefined) return false;
  if (reviewer.state !== 'approved' || overApproval.has(state)) reviewer.state = state;
  return true;
};

/** False when already approved, merged, or the author's own; the API then answers 401. */
export const approve = async (world: World, mr: SimMergeRequest, user: SimUser): Promise<boolean> => {
  const own = mr.author === user && world.edition === 'ee' && !mr.project.authorMayApprove;
  if (mr.state === 'merged' || own || mr.approvals.some((approval) => approval.user === user)) return false;
  mr.approvals = [...mr.approvals, { user, at: world.clock() }];
  mr.requestedChanges.delete(user);
  setReviewerState(mr, user, 'approved');
  systemNote(world, mr, user, 'approved this merge request');
  logOn(world, mr, user, { kind: 'approve', detail: { head: mr.headSha } });
  sendMail(world, mr, { kind: 'mail.approval', by: user });
  // CE: any approval. EE: `approved` for the one that satisfied the rules, `approval` for the others (forges.md 2.4).
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
  sendMail(world, mr, { kind: 'mail.unapproval', by: user });
  const action = world.edition === 'ce' || before ? 'unapproved' : 'unapproval';
  await fireMergeRequest(world, mr, { action, user });
  return true;
};

/**
 * EE: approvals are removed 10 seconds after a push (GL ee/app/services/merge_requests/refresh/approval_service.rb,
 * `perform_in(10.seconds)`). Until then the merge status is `approvals_syncing`.
 */
export const resetApprovalsLater = (world: World, mr: SimMergeRequest, pusher: SimUser): void => {
  if (!mr.project.resetApprovalsOnPush) return;
  mr.approvalReset = { at: world.clock() + world.approvalResetDelayMs, pusher };
  if (!world.realTime) return;
  const timer = setTimeout(() => {
    world.timers.delete(timer);
    void resetDueApprovals(world);
  }, world.approvalResetDelayMs);
  world.timers.add(timer.unref());
};

export const resetDueApprovals = async (world: World): Promise<void> => {
  for (const mr of world.projects.flatMap(({ mergeRequests }) => mergeRequests)) {
    const due = mr.approvalReset;
    if (due === null || world.clock() < due.at) continue;
    mr.approvalReset = null;
    await resetApprovals(world, mr, due.pusher);
  }
};

/**
 * Sends a system event in the pusher's name. GitLab keeps approvals of a diff with the same patch id; here patch ids are
 * null, so all approvals are removed (GL ee/app/services/ee/merge_requests/base_service.rb `delete_approvals`).
 */
const resetApprovals = async (world: World, mr: SimMergeRequest, pusher: SimUser): Promise<void> => {
  if (mr.approvals.length === 0) return;
  const before = enough(mr);
  for (const { user } of mr.approvals) setReviewerState(mr, user, 'unapproved');
  mr.approvals = [];
  logOn(world, mr, pusher, { kind: 'approvals.reset' });
  const action = before ? 'unapproved' : 'unapproval';
  await fireMergeRequest(world, mr, { action, user: pusher, systemAction: 'approvals_reset_on_push' });
};

/**
 * A request for changes blocks the merge only with a licence (GL
 * ee/app/services/merge_requests/mergeability/check_requested_changes_service.rb); CE records none.
 */
export const requestedChangesCheck = (mr: SimMergeRequest): 'INACTIVE' | 'FAILED' | 'SUCCESS' => {
  if (!mr.project.premium) return 'INACTIVE';
  return mr.requestedChanges.size > 0 ? 'FAILED' : 'SUCCESS';
};

/**
 * Withdraws the request for changes; the reviewer's state stays. Returns GitLab's error messages
 * (GL ee/app/services/merge_requests/destroy_requested_changes_service.rb).
 */
export const takeBackRequest = (world: World, mr: SimMergeRequest, user: SimUser): readonly string[] => {
  if (!mayUpdate(mr, user)) return ['Invalid permissions'];
  if (!mr.project.premium) return ['Invalid license'];
  if (!mr.requestedChanges.delete(user)) return ['User has not requested changes for this merge request'];
  setReviewerState(mr, user, 'unreviewed');
  logOn(world, mr, user, { kind: 'changes.take_back' });
  return [];
};

/** GL app/policies/merge_request_policy.rb: `update_merge_request` is for Developers, authors and assignees. */
const mayUpdate = (mr: SimMergeRequest, user: SimUser): boolean =>
  levelOf(user, mr.project) >= 30 || mr.author === user || mr.assignees.includes(user);

/**
 * For an account that is not a reviewer the answer is an error, but the request is still recorded, with a system note
 * (GL app/services/merge_requests/update_reviewer_state_service.rb; forges.md 3.6).
 */
export const requestChanges = async (
  world: World,
  mr: SimMergeRequest,
  user: SimUser,
): Promise<'requested' | 'no reviewer' | 'not allowed'> => {
  if (!mayUpdate(mr, user)) return 'not allowed';
  // GL app/models/merge_request.rb `create_requested_changes` does nothing in CE.
  if (world.edition === 'ee') mr.requestedChanges.add(user);
  systemNote(world, mr, user, 'requested changes');
  const known = setReviewerState(mr, user, 'requested_changes');
  logOn(world, mr, user, { kind: 'changes.request', detail: { reviewer: known } });
  if (!known) return 'no reviewer';
  // Removes the approval without an event (`remove_approval`, app/services/merge_requests/base_service.rb).
  mr.approvals = mr.approvals.filter((approval) => approval.user !== user);
  return 'requested';
};
