import { apiPath } from '../path.ts';
import type { AnswersThreads, ResolvesThreads } from '../port.ts';
import type { ForgejoContext } from './api/context.ts';
import { parseThreadId } from './thread-id.ts';

/**
 * A comment with the same review, path and line joins the thread.
 * POST /repos/{owner}/{repo}/pulls/{index}/reviews/{id}/comments:
 * https://codeberg.org/api/swagger#/repository/repoCreatePullReviewComment
 */
const byReviewComment = ({ http, projects }: ForgejoContext): AnswersThreads => ({
  reply: async (of, threadId, body, signal) => {
    const { review, path: file, line } = parseThreadId(threadId);
    const position = line > 0 ? { new_position: line } : { old_position: -line };
    await projects.withProject(of.projectId, signal, async ({ owner, name }) => {
      const path = apiPath`/api/v1/repos/${owner.login}/${name}/pulls/${of.number}/reviews/${review}/comments`;
      await http.write({ method: 'POST', path, body: { body, path: file, ...position }, schema: null }, signal);
    });
  },
});

/**
 * POST /repos/{owner}/{repo}/pulls/{index}/comments/{id}/replies (Gitea 1.27):
 * https://docs.gitea.com/api/next/#tag/repository/operation/repoCreatePullReviewCommentReply
 */
const byCommentReply = ({ http, projects }: ForgejoContext): AnswersThreads => ({
  reply: async (of, threadId, body, signal) => {
    const { root } = parseThreadId(threadId);
    await projects.withProject(of.projectId, signal, async ({ owner, name }) => {
      const path = apiPath`/api/v1/repos/${owner.login}/${name}/pulls/${of.number}/comments/${root}/replies`;
      await http.write({ method: 'POST', path, body: { body }, schema: null }, signal);
    });
  },
});

export const answersThreads = (context: ForgejoContext): AnswersThreads | null => {
  const route = context.traits.replyRoute;
  switch (route) {
    case 'review_comments':
      return byReviewComment(context);
    case 'comment_replies':
      return byCommentReply(context);
    case 'none':
      return null;
    default:
      return route satisfies never;
  }
};

/**
 * POST /repos/{owner}/{repo}/pulls/comments/{id}/resolve (Gitea 1.26):
 * https://docs.gitea.com/api/1.26/#tag/repository/operation/repoResolvePullReviewComment
 */
export const resolvesThreads = ({ http, projects, traits }: ForgejoContext): ResolvesThreads | null => {
  if (!traits.resolveRoute) return null;
  return {
    resolveThread: async (of, threadId, signal) => {
      const { root } = parseThreadId(threadId);
      await projects.withProject(of.projectId, signal, async ({ owner, name }) => {
        const path = apiPath`/api/v1/repos/${owner.login}/${name}/pulls/comments/${root}/resolve`;
        await http.write({ method: 'POST', path, schema: null }, signal);
      });
    },
  };
};
