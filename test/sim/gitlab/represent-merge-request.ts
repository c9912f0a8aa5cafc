import { diffFiles } from './diffs.ts';
import { allResolved, diffRefs, isDraft, mergeRequestUrl, mergeStatus, newestVersion } from './mr-facts.ts';
import { iso, isoOrNull, type Json, userJson, wholePipelineJson } from './represent.ts';
import { projectPath } from './paths.ts';
import type { SimMergeRequest, World } from './world.ts';

/** A string, such as "1000+" when the diff was cut (forges.md 3.2). Null until the merge request is prepared. */
export const changesCount = async (world: World, mr: SimMergeRequest): Promise<string | null> => {
  const version = newestVersion(mr);
  if (version === null) return null;
  const count = (await diffFiles(mr.project.gitDir, version.baseSha, version.headSha)).length;
  const { maxFiles } = world.diffLimits;
  return count > maxFiles ? `${maxFiles}+` : String(count);
};

export const mergeRequestRow = (world: World, mr: SimMergeRequest): Json => {
  const draft = isDraft(mr);
  const status = mergeStatus(world, mr);
  return {
    id: mr.id,
    iid: mr.iid,
    project_id: mr.project.id,
    title: mr.title,
    description: mr.description,
    state: mr.state,
    created_at: iso(mr.createdAt),
    updated_at: iso(mr.updatedAt),
    merged_by: mr.mergedBy === null ? null : userJson(world, mr.mergedBy),
    merge_user: mr.mergedBy === null ? null : userJson(world, mr.mergedBy),
    merged_at: isoOrNull(mr.mergedAt),
    closed_by: mr.closedBy === null ? null : userJson(world, mr.closedBy),
    closed_at: isoOrNull(mr.closedAt),
    target_branch: mr.targetBranch,
    source_branch: mr.sourceBranch,
    user_notes_count: mr.notes.filter((note) => !note.system).length,
    upvotes: mr.awards.filter((award) => award.name === 'thumbsup').length,
    downvotes: mr.awards.filter((award) => award.name === 'thumbsdown').length,
    author: userJson(world, mr.author),
    assignees: mr.assignees.map((user) => userJson(world, user)),
    assignee: mr.assignees[0] === undefined ? null : userJson(world, mr.assignees[0]),
    reviewers: mr.reviewers.map(({ user }) => userJson(world, user)),
    source_project_id: mr.sourceProjectId,
    target_project_id: mr.project.id,
    labels: mr.labels.map((label) => label.name),
    draft,
    imported: false,
    imported_from: 'none',
    work_in_progress: draft,
    milestone: null,
    merge_when_pipeline_succeeds: mr.autoMergeBy !== null,
    merge_status: status === 'preparing' ? 'preparing' : 'can_be_merged',
    detailed_merge_status: status,
    merge_after: null,
    sha: mr.headSha,
    merge_commit_sha: mr.mergeCommit,
    squash_commit_sha: null,
    discussion_locked: mr.locked ? true : null,
    should_remove_source_branch: null,
    force_remove_source_branch: false,
    prepared_at: isoOrNull(mr.preparedAt),
    reference: `!${mr.iid}`,
    references: { short: `!${mr.iid}`, relative: `!${mr.iid}`, full: `${projectPath(mr.project)}!${mr.iid}` },
    web_url: mergeRequestUrl(world, mr),
    time_stats: { time_estimate: 0, total_time_spent: 0, human_time_estimate: null, human_total_time_spent: null },
    squash: false,
    squash_on_merge: false,
    task_completion_status: { count: 0, completed_count: 0 },
    has_conflicts: false,
    blocking_discussions_resolved: allResolved(mr),
    approvals_before_merge: null,
  };
};

const diffRefsJson = (mr: SimMergeRequest): Json | null => {
  const refs = diffRefs(mr);
  return refs !== null && newestVersion(mr)?.unrelated === true ? { ...refs, base_sha: null } : refs;
};

export const mergeRequestJson = async (world: World, mr: SimMergeRequest): Promise<Json> => {
  // GL lib/api/entities/merge_request.rb: shown to users who may read pipelines of the target project.
  const { headPipeline } = mr;
  const head = headPipeline === null ? null : wholePipelineJson(world, headPipeline.project, headPipeline.pipeline);
  return {
    ...mergeRequestRow(world, mr),
    subscribed: false,
    changes_count: await changesCount(world, mr),
    latest_build_started_at: null,
    latest_build_finished_at: null,
    first_deployed_to_production_at: null,
    pipeline: null,
    head_pipeline: head,
    diff_refs: diffRefsJson(mr),
    merge_error: null,
    first_contribution: false,
    user: { can_merge: false },
  };
};
