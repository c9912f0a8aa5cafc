/** The forges send null for absent values, although their API descriptions rarely say so. Such fields are `nullish` here. */
import { z } from 'zod';
import { CommitSha } from '../../../vocabulary/ids.ts';
import { readableItems } from '../../readable-items.ts';

const Id = z.number().int().positive();

/** A time in RFC 3339. The forges send the zero time of Go (year 1) for "never". */
const Time = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));

/** A deleted account has the login Ghost and the id -1. */
export const ApiUser = z.object({ id: z.number().int(), login: z.string() });
export type ApiUser = z.output<typeof ApiUser>;

export const ApiRepository = z.object({
  id: Id,
  name: z.string(),
  owner: z.object({ login: z.string() }),
  full_name: z.string(),
  html_url: z.string(),
  default_branch: z.string(),
  private: z.boolean(),
  internal: z.boolean().nullish(),
  archived: z.boolean().nullish(),
  has_pull_requests: z.boolean().nullish(),
  /** Of the account that the token belongs to. `push`: it may write code. `pull`: it may read code. */
  permissions: z.object({ push: z.boolean(), pull: z.boolean().nullish() }).nullish(),
});
export type ApiRepository = z.output<typeof ApiRepository>;

/** The tip of a branch; empty when the branch is deleted. */
const BranchSha = z.union([CommitSha, z.literal('')]);

const ApiBranch = z.object({
  ref: z.string(),
  sha: BranchSha,
  repo_id: z.number().int(),
  /** Null when the repository is deleted or not visible. */
  repo: z
    .object({ owner: z.object({ login: z.string() }), name: z.string() })
    .nullish()
    .catch(null),
});

export const ApiPullRequest = z.object({
  number: Id,
  state: z.string(),
  merged: z.boolean().nullish(),
  draft: z.boolean().nullish(),
  title: z.string(),
  body: z.string().nullish(),
  user: ApiUser.nullish(),
  labels: readableItems(z.object({ name: z.string() })).nullish(),
  requested_reviewers: readableItems(ApiUser).nullish(),
  assignees: readableItems(ApiUser).nullish(),
  head: ApiBranch,
  base: ApiBranch,
  merge_base: z.string().nullish(),
  /** 1 when the change was pushed to a magic ref (AGit) instead of a branch. */
  flow: z.number().int().nullish(),
  updated_at: Time,
  html_url: z.string(),
});
export type ApiPullRequest = z.output<typeof ApiPullRequest>;

export const ApiComment = z.object({
  id: Id,
  user: ApiUser.nullish(),
  body: z.string(),
  created_at: Time,
  updated_at: Time,
  html_url: z.string(),
});
export type ApiComment = z.output<typeof ApiComment>;

/** The response to an edit of a comment; a 204 response has no body. */
export const ApiEdited = z.object({ body: z.string(), updated_at: Time });

/** An entry of the timeline: a comment, a review or an event. */
export const ApiTimelineEntry = z.object({ id: Id, type: z.string(), body: z.string(), updated_at: Time });
export type ApiTimelineEntry = z.output<typeof ApiTimelineEntry>;

export const ApiReview = z.object({
  id: Id,
  user: ApiUser.nullish(),
  state: z.string(),
  body: z.string(),
  commit_id: z.string().nullish(),
  comments_count: z.number().int().nonnegative().nullish(),
  dismissed: z.boolean().nullish(),
  submitted_at: Time,
  updated_at: Time.nullish(),
  html_url: z.string(),
});
export type ApiReview = z.output<typeof ApiReview>;

export const ApiReviewComment = z.object({
  id: Id,
  user: ApiUser.nullish(),
  body: z.string(),
  path: z.string(),
  /** Line on the new side. 0 when the comment is on the old side. */
  position: z.number().int().nonnegative(),
  /** Line on the old side. 0 when the comment is on the new side. */
  original_position: z.number().int().nonnegative(),
  resolver: ApiUser.nullish(),
  created_at: Time,
  updated_at: Time,
  html_url: z.string(),
});
export type ApiReviewComment = z.output<typeof ApiReviewComment>;

export const ApiReaction = z.object({ user: ApiUser.nullish(), content: z.string() });

/** The forges expect the field `state` when a status is written, but return it as `status`. */
export const ApiStatus = z.object({
  id: Id,
  context: z.string(),
  status: z.string(),
  description: z.string().nullish(),
  target_url: z.string().nullish(),
  creator: ApiUser.nullish(),
  created_at: Time,
});
export type ApiStatus = z.output<typeof ApiStatus>;

export const ApiPermission = z.object({ permission: z.string(), user: ApiUser.nullish() });

export const ApiTeam = z.object({
  id: Id,
  permission: z.string(),
  units_map: z.record(z.string(), z.string()).nullish(),
});
export type ApiTeam = z.output<typeof ApiTeam>;
