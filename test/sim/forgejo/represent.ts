/** JSON as in the forge's `services/convert`. A field is null where a Go pointer would be nil. */
import { accessOf, hasAccess } from './access.ts';
import { listedEvents } from './hook-events.ts';
import { isDraft, requestedReviewers } from './pull-facts.ts';
import type { SimComment, SimHook, SimLabel, SimPull, SimRepo, SimReview, SimStatus, SimUser, World } from './world.ts';
import { fullName } from './world.ts';

export const isoTime = (ms: number): string =>
  new Date(Math.floor(ms / 1000) * 1000).toISOString().replace('.000Z', 'Z');
const zeroTime = '0001-01-01T00:00:00Z';

/** A removed account is shown as "Ghost" with id -1 (Forgejo models/user/user_system.go). */
export const userJson = (world: World, user: SimUser): Record<string, unknown> => {
  const login = user.deleted ? 'Ghost' : user.login;
  return {
    id: user.deleted ? -1 : user.id,
    login,
    login_name: '',
    source_id: 0,
    full_name: '',
    email: `${login}@noreply.localhost`,
    avatar_url: `${world.publicUrl}/avatars/${user.id}`,
    html_url: `${world.publicUrl}/${login}`,
    language: '',
    is_admin: user.isAdmin,
    last_login: zeroTime,
    created: '2024-01-01T00:00:00Z',
    restricted: false,
    active: true,
    prohibit_login: false,
    location: '',
    website: '',
    description: '',
    visibility: 'public',
    followers_count: 0,
    following_count: 0,
    starred_repos_count: 0,
    username: login,
  };
};

export const repoUrl = (world: World, repo: SimRepo): string => `${world.publicUrl}/${fullName(repo)}`;

export const repoJson = (world: World, repo: SimRepo, viewer: SimUser | null): Record<string, unknown> => ({
  id: repo.id,
  owner: userJson(world, repo.owner),
  name: repo.name,
  full_name: fullName(repo),
  description: '',
  empty: false,
  private: repo.private,
  fork: repo.parent !== null,
  template: false,
  parent: repo.parent === null ? null : repoJson(world, repo.parent, viewer),
  mirror: false,
  size: 0,
  html_url: repoUrl(world, repo),
  url: `${world.publicUrl}/api/v1/repos/${fullName(repo)}`,
  link: '',
  ssh_url: `ssh://git@localhost/${fullName(repo)}.git`,
  clone_url: `${repoUrl(world, repo)}.git`,
  original_url: '',
  website: '',
  stars_count: 0,
  forks_count: world.repos.filter((other) => other.parent === repo).length,
  watchers_count: 0,
  open_issues_count: 0,
  open_pr_counter: repo.pulls.filter((pull) => pull.state === 'open').length,
  default_branch: repo.defaultBranch,
  archived: repo.archived,
  created_at: isoTime(repo.createdAt),
  updated_at: isoTime(Math.max(repo.createdAt, ...repo.pulls.map((pull) => pull.updatedAt))),
  permissions: {
    admin: hasAccess(viewer, repo, 'admin'),
    push: hasAccess(viewer, repo, 'write'),
    pull: accessOf(viewer, repo) !== 'none',
  },
  has_issues: true,
  has_pull_requests: repo.hasPullRequests,
  object_format_name: 'sha1',
});

export const labelJson = (world: World, repo: SimRepo, label: SimLabel): Record<string, unknown> => ({
  id: label.id,
  name: label.name,
  exclusive: false,
  is_archived: false,
  color: label.color,
  description: '',
  url: `${world.publicUrl}/api/v1/repos/${fullName(repo)}/labels/${label.id}`,
});

export const pullUrl = (world: World, pull: SimPull): string => `${repoUrl(world, pull.repo)}/pulls/${pull.number}`;

const orNull = <Item>(items: readonly Item[]): readonly Item[] | null => (items.length === 0 ? null : items);

/** Forgejo services/convert/pull.go: a deleted fork gives `repo: null` and `repo_id: -1` (forges.md 4.3). */
const branches = (world: World, pull: SimPull, viewer: SimUser | null, baseSha: string): Record<string, unknown> => ({
  base: {
    label: pull.baseRef,
    ref: pull.baseRef,
    sha: baseSha,
    repo_id: pull.repo.id,
    repo: repoJson(world, pull.repo, viewer),
  },
  head: {
    label: pull.headRef,
    ref: pull.headRef,
    sha: pull.headSha,
    repo_id: pull.headRepo?.id ?? -1,
    repo: pull.headRepo === null ? null : repoJson(world, pull.headRepo, viewer),
  },
  merge_base: pull.mergeBase,
});

const people = (world: World, pull: SimPull): Record<string, unknown> => ({
  user: userJson(world, pull.author),
  assignee: pull.assignees[0] === undefined ? null : userJson(world, pull.assignees[0]),
  assignees: orNull(pull.assignees.map((user) => userJson(world, user))),
  requested_reviewers: requestedReviewers(world, pull).map((user) => userJson(world, user)),
  requested_reviewers_teams: [],
  merged_by: pull.mergedBy === null ? null : userJson(world, pull.mergedBy),
});

/** Gitea omits a zero. */
const reviewCount = ({ traits }: World, count: number): Record<string, number> =>
  count === 0 && traits.product === 'gitea' ? {} : { review_comments: count };

/** As in Gitea's lists (ToAPIPullRequests in services/convert/pull.go), where other empty fields are null. */
export const listedPullJson = (world: World, pull: SimPull, viewer: SimUser | null): Record<string, unknown> => {
  const single = pullJson(world, pull, viewer);
  if (world.traits.product === 'forgejo') return single;
  const reviewers = requestedReviewers(world, pull).map((user) => userJson(world, user));
  return {
    ...single,
    // From the table of branches, which keeps deleted branches.
    ...branches(world, pull, viewer, pull.baseSha),
    assignees: pull.assignees.map((user) => userJson(world, user)),
    requested_reviewers: orNull(reviewers),
    requested_reviewers_teams: null,
    content_version: 0,
  };
};

export const pullJson = (world: World, pull: SimPull, viewer: SimUser | null): Record<string, unknown> => {
  const url = pullUrl(world, pull);
  const ofKind = (kind: string): number => pull.comments.filter((comment) => comment.kind === kind).length;
  return {
    id: pull.id,
    url,
    number: pull.number,
    title: pull.title,
    body: pull.body,
    labels: pull.labels.map((label) => labelJson(world, pull.repo, label)),
    milestone: null,
    state: pull.state,
    draft: isDraft(world, pull),
    is_locked: pull.locked,
    comments: ofKind('comment') + ofKind('code'),
    // Despite its name, it counts published reviews (GetReviewCommentsCount in models/issues/pull.go).
    ...reviewCount(world, ofKind('review')),
    html_url: url,
    diff_url: `${url}.diff`,
    patch_url: `${url}.patch`,
    mergeable: pull.state === 'open' && !isDraft(world, pull),
    merged: pull.merged,
    merged_at: pull.merged && pull.closedAt !== null ? isoTime(pull.closedAt) : null,
    merge_commit_sha: pull.mergeCommit,
    allow_maintainer_edit: false,
    ...people(world, pull),
    // ToAPIPullRequest in services/convert/pull.go: empty when the branch was deleted; seen on both forges.
    ...branches(world, pull, viewer, pull.hasBase ? pull.baseSha : ''),
    due_date: null,
    created_at: isoTime(pull.createdAt),
    updated_at: isoTime(pull.updatedAt),
    closed_at: pull.closedAt === null ? null : isoTime(pull.closedAt),
    pin_order: 0,
    ...(world.traits.product === 'forgejo' ? { flow: pull.flow } : {}),
  };
};

export const commentJson = (world: World, pull: SimPull, comment: SimComment): Record<string, unknown> => ({
  id: comment.id,
  html_url: `${pullUrl(world, pull)}#issuecomment-${comment.id}`,
  pull_request_url: pullUrl(world, pull),
  issue_url: '',
  user: userJson(world, comment.author),
  original_author: '',
  original_author_id: 0,
  body: comment.body,
  assets: [],
  created_at: isoTime(comment.createdAt),
  updated_at: isoTime(comment.updatedAt),
});

export const reviewJson = (world: World, pull: SimPull, review: SimReview): Record<string, unknown> => ({
  id: review.id,
  user: userJson(world, review.author),
  team: null,
  state: review.state,
  body: review.body,
  commit_id: review.commitId,
  stale: review.stale,
  official: review.official,
  dismissed: review.dismissed,
  comments_count: pull.comments.filter((comment) => comment.code?.reviewId === review.id).length,
  submitted_at: isoTime(review.submittedAt),
  updated_at: isoTime(review.updatedAt),
  html_url: review.timelineId === 0 ? '' : `${pullUrl(world, pull)}#issuecomment-${review.timelineId}`,
  pull_request_url: pullUrl(world, pull),
});

/** Forgejo services/convert/pull_review.go: one of the two positions is 0; `commit_id` is the blamed commit. */
export const codeCommentJson = (world: World, pull: SimPull, comment: SimComment): Record<string, unknown> | null => {
  const code = comment.code;
  if (code === null) return null;
  return {
    id: comment.id,
    body: comment.body,
    user: userJson(world, comment.author),
    resolver: comment.resolver === null ? null : userJson(world, comment.resolver),
    pull_request_review_id: code.reviewId,
    created_at: isoTime(comment.createdAt),
    updated_at: isoTime(comment.updatedAt),
    path: code.path,
    commit_id: code.commitId,
    original_commit_id: '',
    diff_hunk: code.diffHunk,
    position: Math.max(0, code.line),
    original_position: Math.max(0, -code.line),
    ...(world.traits.extraLines ? { extra_lines_count: code.extraLines } : {}),
    html_url: `${pullUrl(world, pull)}#issuecomment-${comment.id}`,
    pull_request_url: pullUrl(world, pull),
  };
};

/** The state is called `status` in responses and `state` in requests (forges.md 5.4). */
export const statusJson = (world: World, repo: SimRepo, status: SimStatus): Record<string, unknown> => ({
  id: status.id,
  status: status.state,
  target_url: status.targetUrl,
  description: status.description,
  url: `${world.publicUrl}/api/v1/repos/${fullName(repo)}/statuses/${status.sha}`,
  context: status.context,
  creator: userJson(world, status.creator),
  created_at: isoTime(status.createdAt),
  updated_at: isoTime(status.createdAt),
});

/** Without the secret, which is never returned. */
export const hookJson = (hook: SimHook): Record<string, unknown> => ({
  ...(hook.kind === 'gitea' ? { name: '' } : { url: hook.url, content_type: hook.contentType, metadata: null }),
  id: hook.id,
  type: hook.kind,
  branch_filter: '',
  config: { content_type: hook.contentType, url: hook.url },
  events: listedEvents(hook.events, hook.kind),
  authorization_header: '',
  active: hook.active,
  created_at: isoTime(hook.createdAt),
  updated_at: isoTime(hook.createdAt),
});
