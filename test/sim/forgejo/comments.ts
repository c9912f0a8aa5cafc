import { fireComment } from './hook-payloads.ts';
import { sendMail } from './mails.ts';
import { log } from './pulls.ts';
import { recordQuickActions } from './quick-actions.ts';
import { forbidden, SimHttpError } from './reply.ts';
import { hasAccess } from './access.ts';
import type { SimComment, SimPull, SimUser, World } from './world.ts';
import { fullName, nextId } from './world.ts';

const place = (pull: SimPull): string => `${fullName(pull.repo)}#${pull.number}`;

export const addComment = (world: World, pull: SimPull, author: SimUser, body: string): SimComment => {
  // Only writers may comment in a locked conversation (forges.md 5.3).
  if (pull.locked && !hasAccess(author, pull.repo, 'write')) throw forbidden('You cannot comment on a locked issue.');
  const at = world.clock();
  const id = nextId(world, 'comment');
  const rest = { code: null, reviewId: 0, resolver: null, reactions: [] };
  const comment: SimComment = { id, kind: 'comment', author, body, createdAt: at, updatedAt: at, ...rest };
  pull.comments.push(comment);
  pull.updatedAt = at;
  recordQuickActions(world, author.login, place(pull), body);
  log({ world, pull }, author, 'comment.create', { id, body });
  sendMail(world, pull, 'mail.comment', { by: author, body });
  fireComment(world, pull, comment, { action: 'created', sender: author });
  return comment;
};

export type CommentAt = { readonly pull: SimPull; readonly comment: SimComment };

/** Writers may edit and delete others' comments; the error has no body (routers/api/v1/repo/issue_comment.go). */
const requireOwnOrWriter = ({ pull, comment }: CommentAt, actor: SimUser): void => {
  if (comment.author.id === actor.id || hasAccess(actor, pull.repo, 'write')) return;
  throw new SimHttpError(403, '', 'no body');
};

export const editComment = (world: World, where: CommentAt, body: string, actor: SimUser): void => {
  requireOwnOrWriter(where, actor);
  const { pull, comment } = where;
  const previousBody = comment.body;
  comment.body = body;
  comment.updatedAt = world.clock();
  recordQuickActions(world, actor.login, place(pull), body);
  log({ world, pull }, actor, 'comment.edit', { id: comment.id, body });
  fireComment(world, pull, comment, { action: 'edited', sender: actor, previousBody });
};

export const deleteComment = (world: World, where: CommentAt, actor: SimUser): void => {
  requireOwnOrWriter(where, actor);
  const { pull, comment } = where;
  pull.comments = pull.comments.filter((other) => other !== comment);
  // The review stays in the lists, with its text, and has no address any more (`HTMLURL` in models/issues/review.go).
  for (const review of pull.reviews) if (review.timelineId === comment.id) review.timelineId = 0;
  log({ world, pull }, actor, 'comment.delete', { id: comment.id });
  if (comment.kind !== 'review') fireComment(world, pull, comment, { action: 'deleted', sender: actor });
};
