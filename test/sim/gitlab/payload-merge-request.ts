/** `merge_request` events (GL lib/gitlab/hook_data/merge_request_builder.rb; forges.md 2.4). */
import { allResolved, isDraft, mergeRequestUrl, mergeStatus } from './mr-facts.ts';
import { hookCommit, hookLabel, hookProject, hookRepository, hookTime, hookUser, type Json } from './payload-parts.ts';
import type { SimMergeRequest, SimReviewer, SimUser, World } from './world.ts';
import { fireHooks } from './webhooks.ts';

export type MergeRequestAction =
  | 'open'
  | 'update'
  | 'close'
  | 'reopen'
  | 'merge'
  | 'approved'
  | 'approval'
  | 'unapproved'
  | 'unapproval';

export type Change = { readonly previous: unknown; readonly current: unknown };

export type MergeRequestEvent = {
  readonly action: MergeRequestAction;
  readonly user: SimUser;
  /** The previous head. Set only for a push; no other field identifies one. */
  readonly oldrev?: string;
  readonly changes?: Readonly<Record<string, Change>>;
  readonly systemAction?: 'approvals_reset_on_push';
  readonly reRequested?: SimUser;
};

const stateIds = { opened: 1, closed: 2, merged: 3 } as const;

/** An object per reviewer with its state; the arrays in the documentation's example do not exist (forges.md 2.4). */
export const hookReviewer = (reviewer: SimReviewer, reRequested: boolean): Json => ({
  ...hookUser(reviewer.user),
  state: reviewer.state,
  re_requested: reRequested,
});

export const hookMergeRequest = async (world: World, mr: SimMergeRequest): Promise<Json> => {
  const draft = isDraft(mr);
  return {
    assignee_id: mr.assignees[0]?.id ?? null,
    author_id: mr.author.id,
    created_at: hookTime(mr.createdAt),
    description: mr.description,
    draft,
    head_pipeline_id: mr.headPipeline?.pipeline.id ?? null,
    id: mr.id,
    iid: mr.iid,
    last_edited_at: null,
    last_edited_by_id: null,
    merge_commit_sha: mr.mergeCommit,
    merge_error: null,
    merge_params: { force_remove_source_branch: '0' },
    merge_status: mr.preparedAt === null ? 'preparing' : 'can_be_merged',
    merge_user_id: mr.mergedBy?.id ?? null,
    merge_when_pipeline_succeeds: mr.autoMergeBy !== null,
    milestone_id: null,
    source_branch: mr.sourceBranch,
    source_project_id: mr.sourceProjectId,
    state_id: stateIds[mr.state],
    target_branch: mr.targetBranch,
    target_project_id: mr.project.id,
    time_estimate: 0,
    title: mr.title,
    updated_at: hookTime(mr.updatedAt),
    updated_by_id: null,
    prepared_at: mr.preparedAt === null ? null : hookTime(mr.preparedAt),
    assignee_ids: mr.assignees.map((user) => user.id),
    blocking_discussions_resolved: allResolved(mr),
    detailed_merge_status: mergeStatus(world, mr),
    first_contribution: false,
    human_time_change: null,
    human_time_estimate: null,
    human_total_time_spent: null,
    labels: mr.labels.map((label) => hookLabel(mr.project, label)),
    last_commit: await hookCommit(world, mr.project, mr.headSha),
    reviewer_ids: mr.reviewers.map(({ user }) => user.id),
    source: mr.sourceProject === null ? null : hookProject(world, mr.sourceProject),
    state: mr.state,
    target: hookProject(world, mr.project),
    time_change: 0,
    total_time_spent: 0,
    url: mergeRequestUrl(world, mr),
    work_in_progress: draft,
    approval_rules: [],
  };
};

export const fireMergeRequest = async (world: World, mr: SimMergeRequest, event: MergeRequestEvent): Promise<void> => {
  const attributes = await hookMergeRequest(world, mr);
  const payload = {
    object_kind: 'merge_request',
    event_type: 'merge_request',
    user: hookUser(event.user),
    project: hookProject(world, mr.project),
    object_attributes: {
      ...attributes,
      system: event.systemAction !== undefined,
      ...(event.systemAction === undefined ? {} : { system_action: event.systemAction }),
      action: event.action,
      ...(event.oldrev === undefined ? {} : { oldrev: event.oldrev }),
    },
    labels: mr.labels.map((label) => hookLabel(mr.project, label)),
    changes: event.changes ?? {},
    repository: hookRepository(world, mr.project),
    // Absent when empty, never `[]` (forges.md 2.4).
    ...(mr.assignees.length === 0 ? {} : { assignees: mr.assignees.map(hookUser) }),
    ...(mr.reviewers.length === 0
      ? {}
      : { reviewers: mr.reviewers.map((reviewer) => hookReviewer(reviewer, reviewer.user === event.reRequested)) }),
  };
  fireHooks(world, mr.project, { flag: 'merge_requests_events', name: 'Merge Request Hook', payload });
};
