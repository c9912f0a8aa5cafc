/** Webhook bodies (Forgejo services/webhook/notifier.go, modules/structs/hook.go). */
import { commentJson, isoTime, labelJson, pullJson, pullUrl, repoJson, repoUrl, userJson } from './represent.ts';
import { fireHooks } from './webhooks.ts';
import type { SimComment, SimPull, SimRepo, SimReview, SimStatus, SimUser, World } from './world.ts';

export type PullChanges = Readonly<Record<string, { readonly from: string }>>;

export type PullHook = {
  readonly event: string;
  readonly action: string;
  readonly sender: SimUser;
  readonly changes?: PullChanges;
  readonly requestedReviewer?: SimUser;
  readonly more?: Readonly<Record<string, unknown>>;
};

export const firePull = (world: World, pull: SimPull, hook: PullHook): void => {
  const { requestedReviewer } = hook;
  fireHooks(world, pull.repo, hook.event, {
    action: hook.action,
    number: pull.number,
    ...(hook.changes === undefined ? {} : { changes: hook.changes }),
    pull_request: pullJson(world, pull, null),
    requested_reviewer: requestedReviewer === undefined ? null : userJson(world, requestedReviewer),
    repository: repoJson(world, pull.repo, pull.repo.owner),
    sender: userJson(world, hook.sender),
    commit_id: '',
    review: null,
    ...hook.more,
  });
};

const reviewEvents: Readonly<Record<string, string>> = {
  APPROVED: 'pull_request_review_approved',
  REQUEST_CHANGES: 'pull_request_review_rejected',
  COMMENT: 'pull_request_review_comment',
};

/** Has no review id and no inline comments; `commit_id` is empty, `requested_reviewer` is the author (forges.md 4.3). */
export const fireReview = (world: World, pull: SimPull, review: SimReview): void => {
  const event = reviewEvents[review.state];
  // Pending reviews and requests are "unsupported types" in the forge and send nothing.
  if (event === undefined) return;
  firePull(world, pull, {
    event,
    action: 'reviewed',
    sender: review.author,
    requestedReviewer: review.author,
    more: { review: { type: event, content: review.body } },
  });
};

const issueJson = (world: World, pull: SimPull): Record<string, unknown> => ({
  id: pull.id,
  url: `${world.publicUrl}/api/v1/repos/${pull.repo.owner.login}/${pull.repo.name}/issues/${pull.number}`,
  html_url: pullUrl(world, pull),
  number: pull.number,
  user: userJson(world, pull.author),
  title: pull.title,
  body: pull.body,
  labels: pull.labels.map((label) => labelJson(world, pull.repo, label)),
  milestone: null,
  assignee: null,
  assignees: null,
  state: pull.state,
  is_locked: pull.locked,
  comments: pull.comments.filter((comment) => comment.kind === 'comment').length,
  created_at: isoTime(pull.createdAt),
  updated_at: isoTime(pull.updatedAt),
  closed_at: pull.closedAt === null ? null : isoTime(pull.closedAt),
  pull_request: { merged: pull.merged, merged_at: null, html_url: pullUrl(world, pull) },
  repository: { id: pull.repo.id, name: pull.repo.name, owner: pull.repo.owner.login },
});

export type CommentHook = {
  readonly action: 'created' | 'edited' | 'deleted';
  readonly sender: SimUser;
  readonly previousBody?: string;
};

/** Also for a reply to an inline comment: has no path, line or review id (forges.md 4.3). */
export const fireComment = (world: World, pull: SimPull, comment: SimComment, hook: CommentHook): void =>
  fireHooks(world, pull.repo, 'pull_request_comment', {
    action: hook.action,
    issue: issueJson(world, pull),
    pull_request: pullJson(world, pull, null),
    comment: commentJson(world, pull, comment),
    ...(hook.previousBody === undefined ? {} : { changes: { body: { from: hook.previousBody } } }),
    repository: repoJson(world, pull.repo, pull.repo.owner),
    sender: userJson(world, hook.sender),
    is_pull: true,
  });

export type PushedCommit = {
  readonly id: string;
  readonly message: string;
  readonly name: string;
  readonly email: string;
};

export type PushHook = {
  readonly ref: string;
  readonly before: string;
  readonly after: string;
  readonly commits: readonly PushedCommit[];
  readonly pusher: SimUser;
};

/** `PAYLOAD_COMMIT_LIMIT`, default 15 (forges.md 4.3). */
const payloadCommitLimit = 15;

export const firePush = (world: World, repo: SimRepo, push: PushHook): void => {
  const commits = push.commits.map((commit) => ({
    id: commit.id,
    message: commit.message,
    url: `${repoUrl(world, repo)}/commit/${commit.id}`,
    author: { name: commit.name, email: commit.email, username: '' },
    committer: { name: commit.name, email: commit.email, username: '' },
    verification: null,
    timestamp: isoTime(world.clock()),
    added: null,
    removed: null,
    modified: null,
  }));
  const user = userJson(world, push.pusher);
  fireHooks(world, repo, 'push', {
    ref: push.ref,
    before: push.before,
    after: push.after,
    compare_url: `${repoUrl(world, repo)}/compare/${push.before}...${push.after}`,
    commits: commits.slice(0, payloadCommitLimit),
    total_commits: commits.length,
    head_commit: commits[0] ?? null,
    repository: repoJson(world, repo, repo.owner),
    pusher: user,
    sender: user,
  });
};

/** The newest commit as a push that changes nothing (routers/api/v1/repo/hook.go TestHook). */
export const testPush = (
  world: World,
  repo: SimRepo,
  { sha, pusher }: { readonly sha: string; readonly pusher: SimUser },
): unknown => {
  const user = userJson(world, pusher);
  const url = repoUrl(world, repo);
  const commit = { id: sha, message: '', url: `${url}/commit/${sha}`, timestamp: isoTime(world.clock()) };
  return {
    ref: `refs/heads/${repo.defaultBranch}`,
    before: sha,
    after: sha,
    compare_url: `${url}/compare/${sha}...${sha}`,
    commits: [commit],
    total_commits: 1,
    head_commit: commit,
    repository: repoJson(world, repo, repo.owner),
    pusher: user,
    sender: user,
  };
};

/** Gitea only (forges.md 4.2). */
export const fireStatus = (world: World, repo: SimRepo, status: SimStatus): void =>
  fireHooks(world, repo, 'status', {
    id: status.id,
    sha: status.sha,
    context: status.context,
    state: status.state,
    description: status.description,
    target_url: status.targetUrl,
    repository: repoJson(world, repo, repo.owner),
    sender: userJson(world, status.creator),
    created_at: isoTime(status.createdAt),
    updated_at: isoTime(status.createdAt),
  });
