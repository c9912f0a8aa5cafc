/** Gitea only: resolving by API (1.26) and replying in a thread (1.27). */
import { z } from 'zod';
import { hasAccess } from './access.ts';
import { bodyOf, type Call, numberParam, pullOf, type Route, repoOf, signedIn, text } from './call.ts';
import { findComment } from './find.ts';
import { fireComment } from './hook-payloads.ts';
import { latestReviews } from './pull-facts.ts';
import { sendMail } from './mails.ts';
import { log } from './pulls.ts';
import { empty, forbidden, json, notFound, type Reply, SimHttpError } from './reply.ts';
import { codeCommentJson } from './represent.ts';
import { insertCodeComment } from './reviews.ts';
import type { SimPull, SimUser } from './world.ts';

/** The author, writers and official reviewers may resolve (forges.md 5.3). */
const mayResolve = (pull: SimPull, actor: SimUser): boolean =>
  actor.id === pull.author.id ||
  hasAccess(actor, pull.repo, 'write') ||
  latestReviews(pull).get(actor.id)?.official === true;

const noReviewComment = (): SimHttpError => new SimHttpError(400, 'comment is not a review comment');

const setResolved =
  (resolved: boolean) =>
  (call: Call): Reply => {
    const actor = signedIn(call);
    const { pull, comment } = findComment(repoOf(call), numberParam(call, 'id'));
    if (comment.code === null) throw noReviewComment();
    if (!mayResolve(pull, actor)) throw forbidden('user should have permission to resolve comment');
    comment.resolver = resolved ? actor : null;
    log({ world: call.world, pull }, actor, resolved ? 'thread.resolve' : 'thread.unresolve', { comment: comment.id });
    return empty(204);
  };

const reply = async (call: Call): Promise<Reply> => {
  const author = signedIn(call);
  const pull = pullOf(call);
  const parent = pull.comments.find((comment) => comment.id === numberParam(call, 'id'))?.code;
  if (parent === undefined) throw notFound();
  if (parent === null) throw noReviewComment();
  const { body } = bodyOf(call, z.object({ body: text }));
  const { line, path } = parent;
  const wish = { path, body, newPosition: Math.max(0, line), oldPosition: Math.max(0, -line), extraLines: 0 };
  const comment = await insertCodeComment(call.world, pull, { id: parent.reviewId, author }, wish);
  sendMail(call.world, pull, 'mail.comment', { by: author, body });
  fireComment(call.world, pull, comment, { action: 'created', sender: author });
  return json(201, codeCommentJson(call.world, pull, comment));
};

const at = (path: string): string => `/repos/{owner}/{repo}/pulls${path}`;

export const resolveRoutes: readonly Route[] = [
  { method: 'POST', path: at('/comments/{id}/resolve'), category: 'repository', handle: setResolved(true) },
  { method: 'POST', path: at('/comments/{id}/unresolve'), category: 'repository', handle: setResolved(false) },
];

export const replyRoutes: readonly Route[] = [
  { method: 'POST', path: at('/{index}/comments/{id}/replies'), category: 'repository', handle: reply },
];
