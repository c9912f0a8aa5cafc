import { ForgeRequestError, hasForgeCode } from '../errors.ts';
import { apiPath } from '../path.ts';
import type { ForgeComment } from '../port-facts.ts';
import type { DeletesComments, WritesComments } from '../port.ts';
import type { ForgejoContext } from './api/context.ts';
import { ApiEdited } from './api/schema.ts';
import { commentIdOf, deleteReview, fetchReviewComments, type Target, targetOf } from './reviews.ts';
import { parseThreadId } from './thread-id.ts';

const cannot = (message: string, comment: ForgeComment): ForgeRequestError =>
  new ForgeRequestError({
    code: 'FORGE_REJECTED',
    message,
    disposition: { kind: 'fail' },
    fields: { comment: comment.id, kind: comment.kind },
  });

export const writesComments = ({ http, projects, answered }: ForgejoContext): WritesComments => ({
  // POST /repos/{owner}/{repo}/issues/{index}/comments: https://codeberg.org/api/swagger#/issue/issueCreateComment
  createComment: (of, body, signal) =>
    projects.withProject(of.projectId, signal, async ({ owner, name }) => {
      const path = apiPath`/api/v1/repos/${owner.login}/${name}/issues/${of.number}/comments`;
      await http.write({ method: 'POST', path, body: { body }, schema: null }, signal);
    }),
  /**
   * Also edits inline comments, and the body of a review by the id of the review's comment: see `withEdits`.
   * PATCH /repos/{owner}/{repo}/issues/comments/{id}: https://codeberg.org/api/swagger#/issue/issueEditComment
   */
  editComment: async (of, comment, body, signal) => {
    const id = comment.kind === 'review_body' ? commentIdOf(comment) : comment.id;
    if (id === null) throw cannot('The forge does not report which comment belongs to this review', comment);
    await projects.withProject(of.projectId, signal, async ({ owner, name }) => {
      const path = apiPath`/api/v1/repos/${owner.login}/${name}/issues/comments/${id}`;
      answered.delete(id);
      const { status, value } = await http.write({ method: 'PATCH', path, body: { body }, schema: ApiEdited }, signal);
      // Both forges send 204 when this kind of comment has no text and nothing was edited.
      if (status === 204) throw cannot('The forge cannot edit this comment', comment);
      if (comment.kind === 'review_body' && value !== null)
        rememberAnswer(answered, id, { body: value.body, updatedAtMs: value.updated_at });
    });
  },
});

/** Limit on stored responses that no read has used yet. When it is reached, all of them are dropped. */
const MAX_ANSWERS = 1_000;

const rememberAnswer = <Answer>(answered: Map<string, Answer>, id: string, answer: Answer): void => {
  if (answered.size >= MAX_ANSWERS) answered.clear();
  answered.set(id, answer);
};

const deleteByIssueRoute = async (
  { http }: ForgejoContext,
  { project }: Target,
  commentId: string,
  signal: AbortSignal,
): Promise<void> => {
  // DELETE /repos/{owner}/{repo}/issues/comments/{id}: https://codeberg.org/api/swagger#/issue/issueDeleteComment
  const path = apiPath`/api/v1/repos/${project.owner.login}/${project.name}/issues/comments/${commentId}`;
  await http.write({ method: 'DELETE', path, schema: null }, signal);
};

const deleteInline = async (
  context: ForgejoContext,
  target: Target,
  comment: ForgeComment,
  signal: AbortSignal,
): Promise<void> => {
  if (comment.threadId === null) throw cannot('An inline comment without a line cannot be deleted on its own', comment);
  const { review } = parseThreadId(comment.threadId);
  const { owner, name } = target.project;
  if (context.traits.deleteInlineRoute === 'review_comments') {
    // DELETE .../reviews/{id}/comments/{comment}: https://codeberg.org/api/swagger#/repository/repoDeletePullReviewComment
    const path = apiPath`/api/v1/repos/${owner.login}/${name}/pulls/${target.number}/reviews/${review}/comments/${comment.id}`;
    await context.http.write({ method: 'DELETE', path, schema: null }, signal);
    return;
  }
  await deleteByIssueRoute(context, target, comment.id, signal);
  const left = await fetchReviewComments(context, target, review, signal);
  if (left.some(({ id }) => String(id) === comment.id)) {
    throw cannot('The forge reported an inline comment as deleted, but it still exists', comment);
  }
};

/** Deletes a review only when it has no inline comments, because the forge would delete the comments and replies with it. */
const deleteBareReview = async (
  context: ForgejoContext,
  target: Target,
  comment: ForgeComment,
  signal: AbortSignal,
): Promise<void> => {
  const inline = await fetchReviewComments(context, target, Number(comment.id), signal);
  if (inline.length > 0) throw cannot('A review that has inline comments cannot be deleted', comment);
  await deleteReview(context, target, Number(comment.id), signal);
};

const deleteByKind = (
  context: ForgejoContext,
  target: Target,
  comment: ForgeComment,
  signal: AbortSignal,
): Promise<void> => {
  switch (comment.kind) {
    case 'conversation':
      return deleteByIssueRoute(context, target, comment.id, signal);
    case 'inline':
      return deleteInline(context, target, comment, signal);
    case 'review_body':
      return deleteBareReview(context, target, comment, signal);
    default:
      return comment.kind satisfies never;
  }
};

export const deletesComments = (context: ForgejoContext): DeletesComments => ({
  deleteComment: async (of, comment, signal) => {
    try {
      await context.projects.withProject(of.projectId, signal, (project) =>
        deleteByKind(context, targetOf(project, of), comment, signal),
      );
    } catch (error) {
      if (!hasForgeCode(error, 'FORGE_NOT_FOUND')) throw error;
    }
  },
});
