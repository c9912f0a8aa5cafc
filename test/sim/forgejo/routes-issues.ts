import { z } from 'zod';
import { bodyOf, type Call, numberParam, pullOf, type Route, repoOf, signedIn, text } from './call.ts';
import { addComment, deleteComment, editComment } from './comments.ts';
import { findComment, findPull } from './find.ts';
import { firePull } from './hook-payloads.ts';
import { pageOf, settledFor, whole } from './paging.ts';
import { isPending } from './pull-facts.ts';
import { log } from './pulls.ts';
import { empty, forbidden, json, type Reply, unprocessable } from './reply.ts';
import { commentJson, isoTime, labelJson, userJson } from './represent.ts';
import { fullName, LOST_REFERENCE, type SimComment, type SimPull } from './world.ts';

const Body = z.object({ body: text });

const within = (call: Call, comment: SimComment): boolean => {
  const since = Date.parse(call.query.get('since') ?? '');
  const before = Date.parse(call.query.get('before') ?? '');
  if (!Number.isNaN(since) && comment.updatedAt < since) return false;
  return Number.isNaN(before) || comment.updatedAt <= before;
};

/** Only ordinary comments, without inline comments and review bodies (forges.md 5.4). Never paged, as documented. */
const listComments = (call: Call): Reply => {
  const pull = pullOf(call);
  const settled = settledFor(call);
  const plain = pull.comments.filter((comment) => comment.kind === 'comment');
  const shown = plain.filter((comment) => within(call, comment) && settled(comment));
  return whole(shown.map((comment) => commentJson(call.world, pull, comment)));
};

const createComment = (call: Call): Reply => {
  const author = signedIn(call);
  const pull = pullOf(call);
  const { body } = bodyOf(call, Body);
  if (body.trim() === '') throw unprocessable('[Body]: Required');
  return json(201, commentJson(call.world, pull, addComment(call.world, pull, author, body)));
};

const commentAt = (call: Call): { pull: SimPull; comment: SimComment } =>
  findComment(repoOf(call), numberParam(call, 'id'));

/** For any other kind of comment: 204 without a body (Forgejo routers/api/v1/repo/issue_comment.go, forges.md 5.3). */
const getComment = (call: Call): Reply => {
  const { pull, comment } = commentAt(call);
  return comment.kind === 'comment' ? json(200, commentJson(call.world, pull, comment)) : empty(204);
};

/**
 * Edits ordinary, inline and review comments; events answer 204 and stay as they are. The text of a review is stored twice:
 * the page and the timeline show the edited one, the lists of reviews the first one (`UpdateComment` in
 * models/issues/comment.go writes only the comment, `ToPullReview` reads only the review).
 */
const patchComment = (call: Call): Reply => {
  const actor = signedIn(call);
  const where = commentAt(call);
  const { body } = bodyOf(call, Body);
  if (!['comment', 'code', 'review'].includes(where.comment.kind)) return empty(204);
  editComment(call.world, where, body, actor);
  return json(200, commentJson(call.world, where.pull, where.comment));
};

/** An inline comment is not deleted, although the answer is 204 (forges.md 5.3); Gitea main deletes it. */
const removeComment = (call: Call): Reply => {
  const actor = signedIn(call);
  const where = commentAt(call);
  const deletes =
    where.comment.kind === 'comment' || (where.comment.kind === 'code' && call.world.traits.deletesInline);
  if (deletes) deleteComment(call.world, where, actor);
  return empty(204);
};

/** `[ui] REACTIONS`. */
const allowedReactions = new Set(['+1', '-1', 'laugh', 'hooray', 'confused', 'heart', 'rocket', 'eyes']);

const reactionJson = (call: Call, content: string, at: number): Record<string, unknown> => ({
  user: userJson(call.world, signedIn(call)),
  content,
  created_at: isoTime(at),
});

/** New: 201. Existing: 200, or 500 in some Forgejo releases. Not in the allowed set: 403 (forges.md 5.4). */
const addReaction = (call: Call): Reply => {
  const user = signedIn(call);
  const { pull, comment } = commentAt(call);
  const { content } = bodyOf(call, z.object({ content: text }));
  if (!allowedReactions.has(content)) throw forbidden(`'${content}' is not an allowed reaction`);
  const found = comment.reactions.find((one) => one.user.id === user.id && one.content === content);
  if (found !== undefined) {
    if (call.world.traits.panicsOnReaction)
      return { status: 500, html: '<html><body>Internal server error</body></html>' };
    return json(200, reactionJson(call, content, found.createdAt));
  }
  const createdAt = call.world.clock();
  comment.reactions.push({ user, content, createdAt });
  log({ world: call.world, pull }, user, 'reaction.create', { comment: comment.id, content });
  return json(201, reactionJson(call, content, createdAt));
};

/** The list is null when there are none (issue_reaction.go: a slice that nothing was appended to). */
const listReactions = (call: Call): Reply => {
  const { comment } = commentAt(call);
  const shown = comment.reactions.map((reaction) => ({
    user: userJson(call.world, reaction.user),
    content: reaction.content,
    created_at: isoTime(reaction.createdAt),
  }));
  return json(200, shown.length === 0 ? null : shown);
};

/** Forgejo answers 200, Gitea 204, both as documented. */
const removeReaction = (call: Call): Reply => {
  const user = signedIn(call);
  const { comment } = commentAt(call);
  const { content } = bodyOf(call, z.object({ content: text }));
  const at = comment.reactions.findIndex((one) => one.user.id === user.id && one.content === content);
  if (at >= 0) comment.reactions.splice(at, 1);
  return empty(call.world.traits.product === 'forgejo' ? 200 : 204);
};

/** Null for a reference whose comment was deleted (services/convert/issue_comment.go ToTimelineComment). */
const entryJson = (call: Call, pull: SimPull, comment: SimComment): Record<string, unknown> | null =>
  comment.kind === LOST_REFERENCE
    ? null
    : { ...commentJson(call.world, pull, comment), type: comment.kind, review_id: comment.reviewId };

/**
 * Everything in order but inline comments, which are taken out of each page after it was cut: a page can be short, or empty,
 * before the last (`ListIssueCommentsAndTimeline` in routers/api/v1/repo/issue_comment.go).
 */
const timeline = (call: Call): Reply => {
  const pull = pullOf(call);
  const inWindow = pull.comments.filter((comment) => !isPending(pull, comment.reviewId) && within(call, comment));
  const shown = pageOf(call, inWindow).filter(({ kind }) => kind !== 'code');
  return whole(shown.map((comment) => entryJson(call, pull, comment)));
};

const LabelWish = z.object({ labels: z.array(z.union([z.number(), z.string()])) });

const addLabels = (call: Call): Reply => {
  const repo = repoOf(call, 'write');
  const pull = pullOf(call);
  const { labels } = bodyOf(call, LabelWish);
  const wanted = repo.labels.filter((label) => labels.includes(label.id) || labels.includes(label.name));
  pull.labels = [...new Set([...pull.labels, ...wanted])];
  log({ world: call.world, pull }, signedIn(call), 'pull.label', { labels });
  firePull(call.world, pull, { event: 'pull_request_label', action: 'label_updated', sender: signedIn(call) });
  return json(
    200,
    pull.labels.map((label) => labelJson(call.world, repo, label)),
  );
};

/** A pull request is an issue, too, with `pull_request` (services/convert/issue.go ToAPIIssue). */
const getIssue = (call: Call): Reply => {
  const repo = repoOf(call);
  const number = numberParam(call, 'index');
  const issue = repo.issues.find((candidate) => candidate.number === number);
  const pull = issue === undefined ? findPull(repo, number) : null;
  const { id, title, body, author, createdAt } = issue ?? pull ?? findPull(repo, number);
  const url = `${call.world.publicUrl}/${fullName(repo)}/${pull === null ? 'issues' : 'pulls'}/${number}`;
  return json(200, {
    id,
    url,
    html_url: url,
    number,
    user: userJson(call.world, author),
    title,
    body,
    labels: [],
    state: pull?.state ?? 'open',
    is_locked: false,
    comments: 0,
    created_at: isoTime(createdAt),
    updated_at: isoTime(createdAt),
    pull_request: pull === null ? null : { merged: pull.merged, merged_at: null },
  });
};

const at = (path: string): string => `/repos/{owner}/{repo}/issues${path}`;

export const issueRoutes: readonly Route[] = [
  { method: 'GET', path: at('/{index}'), category: 'issue', handle: getIssue },
  { method: 'GET', path: at('/{index}/comments'), category: 'issue', handle: listComments },
  { method: 'POST', path: at('/{index}/comments'), category: 'issue', handle: createComment },
  { method: 'GET', path: at('/comments/{id}'), category: 'issue', handle: getComment },
  { method: 'PATCH', path: at('/comments/{id}'), category: 'issue', handle: patchComment },
  { method: 'DELETE', path: at('/comments/{id}'), category: 'issue', handle: removeComment },
  { method: 'GET', path: at('/comments/{id}/reactions'), category: 'issue', handle: listReactions },
  { method: 'POST', path: at('/comments/{id}/reactions'), category: 'issue', handle: addReaction },
  { method: 'DELETE', path: at('/comments/{id}/reactions'), category: 'issue', handle: removeReaction },
  { method: 'GET', path: at('/{index}/timeline'), category: 'issue', handle: timeline },
  { method: 'POST', path: at('/{index}/labels'), category: 'issue', handle: addLabels },
];
