import { commitFacts, isResolvable, webUrl } from './mr-facts.ts';
import { namespacePath, projectPath } from './paths.ts';
import type {
  SimAward,
  SimDraft,
  SimHook,
  SimMergeRequest,
  SimNote,
  SimPipeline,
  SimProject,
  SimStatus,
  SimUser,
  World,
} from './world.ts';
import { hookFlags } from './world.ts';
import { alertStatus } from './hook-health.ts';

export type Json = Record<string, unknown>;

export const iso = (ms: number): string => new Date(ms).toISOString();
export const isoOrNull = (ms: number | null): string | null => (ms === null ? null : iso(ms));

/** The ghost user is an ordinary account, created when it is first needed (GL lib/users/internal.rb, `ghost`). */
const ghostId = 1_000_001;

/** What a removed account wrote belongs to the ghost user (forges.md 3.1). */
export const userJson = (world: World, user: SimUser): Json =>
  user.deleted
    ? {
        id: ghostId,
        username: 'ghost',
        name: 'Ghost',
        state: 'active',
        locked: false,
        avatar_url: null,
        web_url: `${world.publicUrl}/ghost`,
      }
    : {
        id: user.id,
        username: user.username,
        public_email: null,
        name: user.name,
        state: 'active',
        locked: false,
        avatar_url: null,
        web_url: `${world.publicUrl}/${user.username}`,
      };

export const lastActivity = (project: SimProject): number =>
  Math.max(project.createdAt, ...project.mergeRequests.map((mr) => mr.updatedAt));

export const projectJson = (world: World, project: SimProject): Json => {
  const path = projectPath(project);
  const url = webUrl(world, project);
  return {
    id: project.id,
    description: null,
    name: project.path,
    name_with_namespace: path.replaceAll('/', ' / '),
    path: project.path,
    path_with_namespace: path,
    created_at: iso(project.createdAt),
    last_activity_at: iso(lastActivity(project)),
    default_branch: project.defaultBranch,
    ssh_url_to_repo: `git@${new URL(world.publicUrl).hostname}:${path}.git`,
    http_url_to_repo: `${url}.git`,
    web_url: url,
    namespace: {
      id: project.namespace.id,
      path: namespacePath(project.namespace),
      full_path: namespacePath(project.namespace),
    },
    visibility: project.visibility,
    archived: project.archived,
    merge_requests_enabled: project.mergeRequestsEnabled,
    merge_requests_access_level: 'enabled',
    // GL lib/api/entities/project.rb.
    only_allow_merge_if_pipeline_succeeds: project.pipelinesMustSucceed,
    allow_merge_on_skipped_pipeline: project.skippedPipelinesPass,
    ...(project.forkedFrom === null
      ? {}
      : { forked_from_project: { id: project.forkedFrom.id, path_with_namespace: projectPath(project.forkedFrom) } }),
  };
};

/** The state is stored per note: an open thread can contain a resolved note. */
const resolution = (world: World, note: SimNote): Json =>
  isResolvable(note)
    ? {
        resolvable: true,
        resolved: note.resolvedAt !== null,
        resolved_by: note.resolvedBy === null ? null : userJson(world, note.resolvedBy),
        resolved_at: isoOrNull(note.resolvedAt),
      }
    : { resolvable: false };

export const noteJson = (world: World, mr: SimMergeRequest, note: SimNote): Json => ({
  id: note.id,
  type: note.type,
  body: note.body,
  author: userJson(world, note.author),
  created_at: iso(note.createdAt),
  updated_at: iso(note.updatedAt),
  system: note.system,
  noteable_id: mr.id,
  noteable_type: 'MergeRequest',
  project_id: mr.project.id,
  ...(note.type === 'DiffNote' ? { commit_id: null, position: note.position, suggestions: [] } : {}),
  ...resolution(world, note),
  confidential: note.internal,
  internal: note.internal,
  imported: false,
  imported_from: 'none',
  noteable_iid: mr.iid,
  commands_changes: {},
});

export const discussionJson = (world: World, mr: SimMergeRequest, notes: readonly SimNote[]): Json => ({
  id: notes[0]?.discussionId ?? '',
  // True for a single comment, which is not a thread (forges.md 3.4).
  individual_note: notes[0]?.type === null,
  notes: notes.map((note) => noteJson(world, mr, note)),
});

export const draftJson = (mr: SimMergeRequest, draft: SimDraft): Json => ({
  id: draft.id,
  author_id: draft.author.id,
  merge_request_id: mr.id,
  resolve_discussion: draft.resolveDiscussion,
  discussion_id: draft.discussionId,
  note: draft.note,
  commit_id: null,
  line_code: draft.lineCode,
  position: draft.position,
});

export const awardJson = (world: World, award: SimAward, awardable: { id: number; type: string }): Json => ({
  id: award.id,
  name: award.name,
  user: userJson(world, award.user),
  created_at: iso(award.createdAt),
  updated_at: iso(award.createdAt),
  awardable_id: awardable.id,
  awardable_type: awardable.type,
  url: null,
});

export const statusJson = (world: World, status: SimStatus): Json => ({
  id: status.id,
  sha: status.pipeline.sha,
  ref: status.pipeline.ref,
  // Called `state` in requests and `status` in responses.
  status: status.state,
  name: status.name,
  target_url: status.targetUrl,
  description: status.description,
  created_at: iso(status.createdAt),
  started_at: isoOrNull(status.startedAt),
  finished_at: isoOrNull(status.finishedAt),
  allow_failure: status.allowFailure,
  coverage: null,
  pipeline_id: status.pipeline.id,
  author: userJson(world, status.user),
});

/** GL lib/api/entities/ci/job.rb. */
export const jobJson = (world: World, project: SimProject, job: SimStatus): Json => ({
  id: job.id,
  status: job.state,
  stage: 'test',
  name: job.name,
  ref: job.pipeline.ref,
  tag: false,
  allow_failure: job.allowFailure,
  created_at: iso(job.createdAt),
  started_at: isoOrNull(job.startedAt),
  finished_at: isoOrNull(job.finishedAt),
  user: userJson(world, job.user),
  pipeline: pipelineJson(world, project, job.pipeline),
  web_url: `${webUrl(world, project)}/-/jobs/${job.id}`,
  artifacts: [],
  artifacts_expire_at: null,
});

export const pipelineJson = (world: World, project: SimProject, pipeline: SimPipeline): Json => ({
  id: pipeline.id,
  iid: pipeline.iid,
  project_id: project.id,
  sha: pipeline.sha,
  ref: pipeline.ref,
  status: pipeline.state,
  source: pipeline.source,
  created_at: iso(pipeline.createdAt),
  updated_at: iso(pipeline.updatedAt),
  web_url: `${webUrl(world, project)}/-/pipelines/${pipeline.id}`,
  name: null,
});

/** GL lib/api/entities/ci/pipeline.rb. */
export const wholePipelineJson = (world: World, project: SimProject, pipeline: SimPipeline): Json => ({
  ...pipelineJson(world, project, pipeline),
  before_sha: '0'.repeat(40),
  tag: false,
  yaml_errors: pipeline.yamlErrors,
  user: userJson(world, pipeline.user),
  started_at: null,
  finished_at: null,
  committed_at: null,
  duration: null,
  queued_duration: null,
  coverage: null,
  archived: false,
});

/** Secrets are never returned, only whether they are set (forges.md 2.2). */
export const hookJson = (world: World, hook: SimHook): Json => ({
  id: hook.id,
  url: hook.url,
  name: hook.name,
  description: null,
  created_at: iso(hook.createdAt),
  ...Object.fromEntries(hookFlags.map((flag) => [flag, hook.events.has(flag)])),
  enable_ssl_verification: true,
  alert_status: alertStatus(world, hook),
  disabled_until: isoOrNull(hook.disabledUntil),
  url_variables: [],
  custom_headers: [],
  token_present: hook.token !== '',
  signing_token_present: hook.signingToken !== '',
  ...(hook.owner.kind === 'project' ? { project_id: hook.owner.id } : {}),
  ...(hook.owner.kind === 'group' ? { group_id: hook.owner.id } : {}),
});

export const commitJson = async (world: World, project: SimProject, sha: string): Promise<Json> => {
  const commit = await commitFacts(project.gitDir, sha);
  return {
    id: commit.id,
    short_id: commit.id.slice(0, 8),
    created_at: commit.timestamp,
    parent_ids: commit.parents,
    title: commit.title,
    message: commit.message,
    author_name: commit.authorName,
    author_email: commit.authorEmail,
    authored_date: commit.timestamp,
    committer_name: commit.authorName,
    committer_email: commit.authorEmail,
    committed_date: commit.timestamp,
    trailers: {},
    web_url: `${webUrl(world, project)}/-/commit/${commit.id}`,
  };
};
