/** Fields that an edition or an older release may lack are `nullish`. */
import { z } from 'zod';
import { CommitSha } from '../../../vocabulary/ids.ts';
import { readableItems } from '../../readable-items.ts';

const Id = z.number().int().positive();
const Line = z.number().int().nonnegative().nullish();

const Time = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));

export const ApiUser = z.object({ id: z.number().int(), username: z.string() });
export type ApiUser = z.output<typeof ApiUser>;

/** Only the response for a single account has `bot`, since GitLab 13. */
export const ApiMarkedUser = ApiUser.extend({ bot: z.boolean().nullish() });

/** `enterprise` is sent only by `/metadata`, since GitLab 15.6. */
export const ApiVersionFacts = z.object({ version: z.string().max(100), enterprise: z.boolean().nullish() });

export const ApiProject = z.object({
  id: Id,
  path_with_namespace: z.string(),
  web_url: z.string(),
  /** Null when the repository is empty. */
  default_branch: z.string().nullish(),
  archived: z.boolean().nullish(),
  merge_requests_enabled: z.boolean().nullish(),
});
export type ApiProject = z.output<typeof ApiProject>;

const ApiDiffRefs = z.object({
  base_sha: CommitSha.nullish(),
  head_sha: CommitSha.nullish(),
  start_sha: CommitSha.nullish(),
});

export const ApiMergeRequestEntry = z.object({
  iid: Id,
  title: z.string(),
  draft: z.boolean().nullish(),
  /** The field `draft` had this name before GitLab 14. */
  work_in_progress: z.boolean().nullish(),
  /** Null while the source branch has no commit that the target lacks. */
  sha: CommitSha.nullish(),
  target_branch: z.string(),
  updated_at: Time,
});
export type ApiMergeRequestEntry = z.output<typeof ApiMergeRequestEntry>;

/** `source` is missing before 13.0. `yaml_errors` is only in the response for a single pipeline. */
export const ApiPipeline = z.object({
  id: Id,
  project_id: Id.nullish(),
  sha: CommitSha,
  ref: z.string().nullish(),
  status: z.string(),
  source: z.string().nullish(),
  yaml_errors: z.string().nullish(),
});
export type ApiPipeline = z.output<typeof ApiPipeline>;

/** A job of `.gitlab-ci.yml`; a status that was set through the API is none. */
export const ApiJob = z.object({ id: Id, name: z.string(), status: z.string(), created_at: Time });
export type ApiJob = z.output<typeof ApiJob>;

export const ApiMergeRequest = ApiMergeRequestEntry.extend({
  state: z.string(),
  description: z.string().nullish(),
  author: ApiUser.nullish(),
  labels: readableItems(z.string()).nullish(),
  reviewers: readableItems(ApiUser).nullish(),
  assignees: readableItems(ApiUser).nullish(),
  source_branch: z.string(),
  /** Null when the fork is deleted. */
  source_project_id: Id.nullish(),
  target_project_id: Id,
  /** Null until GitLab has prepared the merge request. */
  diff_refs: ApiDiffRefs.nullish(),
  /** Null when there is no pipeline or the account may not see pipelines. */
  head_pipeline: ApiPipeline.nullish(),
  references: z.object({ full: z.string() }).nullish(),
  web_url: z.string(),
});
export type ApiMergeRequest = z.output<typeof ApiMergeRequest>;

export const ApiBranch = z.object({ commit: z.object({ id: CommitSha }) });

export const ApiParents = z.object({ parent_ids: z.array(z.string()).nullish() });

export const ApiDiffVersion = z.object({
  id: Id,
  head_commit_sha: CommitSha,
  base_commit_sha: CommitSha,
  start_commit_sha: CommitSha,
});
export type ApiDiffVersion = z.output<typeof ApiDiffVersion>;

/** A version without a base commit compares unrelated histories (lib/gitlab/diff/diff_refs.rb). */
export const ApiVersionEntry = ApiDiffVersion.extend({
  base_commit_sha: CommitSha.nullish(),
  start_commit_sha: CommitSha.nullish(),
});
export type ApiVersionEntry = z.output<typeof ApiVersionEntry>;

export const ApiVersionTime = z.object({ created_at: Time });

const ApiPosition = z.object({
  position_type: z.string(),
  old_path: z.string().nullish(),
  new_path: z.string().nullish(),
  old_line: Line,
  new_line: Line,
});
export type ApiPosition = z.output<typeof ApiPosition>;

export const ApiNote = z.object({
  id: Id,
  body: z.string(),
  author: ApiUser.nullish(),
  system: z.boolean(),
  /** An internal note is visible to members only. The field was called `confidential` before GitLab 15.5. */
  internal: z.boolean().nullish(),
  confidential: z.boolean().nullish(),
  resolvable: z.boolean().nullish(),
  resolved: z.boolean().nullish(),
  /** Null when it cannot be read; the note then has no place, but it is not lost. */
  position: ApiPosition.nullish().catch(null),
  created_at: Time,
  updated_at: Time,
});
export type ApiNote = z.output<typeof ApiNote>;

export const ApiDiscussion = z.object({ id: z.string(), individual_note: z.boolean(), notes: z.array(ApiNote) });
export type ApiDiscussion = z.output<typeof ApiDiscussion>;

export const ApiDraftNote = z.object({
  id: Id,
  note: z.string(),
  /** Null when the position is not a line of the diff; GitLab then drops the draft on publishing. */
  line_code: z.string().nullish(),
});
export type ApiDraftNote = z.output<typeof ApiDraftNote>;

export const ApiMember = z.object({
  id: Id,
  access_level: z.number().int().nonnegative(),
  state: z.string().nullish(),
  membership_state: z.string().nullish(),
});
export type ApiMember = z.output<typeof ApiMember>;

export const ApiStatus = z.object({
  id: Id,
  name: z.string(),
  status: z.string(),
  description: z.string().nullish(),
  target_url: z.string().nullish(),
  allow_failure: z.boolean().nullish(),
  ref: z.string().nullish(),
  pipeline_id: Id.nullish(),
  author: ApiUser.nullish(),
  created_at: Time,
});
export type ApiStatus = z.output<typeof ApiStatus>;

export const ApiApprovals = z.object({ approved_by: readableItems(z.object({ user: ApiUser.nullish() })) });

export const ApiReviewers = z.object({ reviewers: readableItems(ApiUser).nullish() });

export const ApiMergeStatus = z.object({ detailed_merge_status: z.string().nullish() });

export const ApiAward = z.object({ id: Id, name: z.string(), user: ApiUser.nullish() });
