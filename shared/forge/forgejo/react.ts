import { ForgeUnknownOutcomeError, hasForgeCode } from '../errors.ts';
import { type ApiPath, apiPath } from '../path.ts';
import { readableItems } from '../readable-items.ts';
import type { ChangeRequest } from '../../vocabulary/ids.ts';
import type { Reacts } from '../port.ts';
import type { GivenThumb, ReadsThumbs } from '../port-reactions.ts';
import type { ForgejoContext } from './api/context.ts';
import { ApiReaction } from './api/schema.ts';

/**
 * The list is not paged. The response is null when there are no reactions. A lost reaction is only a lost thumb, or an
 * error that the caller already has.
 * GET .../issues/comments/{id}/reactions: https://codeberg.org/api/swagger#/issue/issueGetCommentReactions
 */
const reactionsAt = async ({ http }: ForgejoContext, path: ApiPath, signal: AbortSignal) =>
  (await http.read({ path, schema: readableItems(ApiReaction).nullable() }, signal)).value ?? [];

const isThere = async (
  context: ForgejoContext,
  path: ApiPath,
  reaction: string,
  signal: AbortSignal,
): Promise<boolean> => {
  const { id } = await context.self(signal);
  return (await reactionsAt(context, path, signal)).some(
    ({ user, content }) => user?.id === id && content === reaction,
  );
};

const reactionsOf = async <Result>(
  { projects }: ForgejoContext,
  { of, commentId }: { readonly of: ChangeRequest; readonly commentId: string },
  signal: AbortSignal,
  work: (path: ApiPath) => Promise<Result>,
): Promise<Result> =>
  projects.withProject(of.projectId, signal, async ({ owner, name }) =>
    work(apiPath`/api/v1/repos/${owner.login}/${name}/issues/comments/${commentId}/reactions`),
  );

/**
 * Forgejo (mid-2026) sends 500 for a reaction that already exists (services/issue/reaction.go, ErrReactionAlreadyExist), so
 * after an error the list of reactions is read.
 * POST .../issues/comments/{id}/reactions: https://codeberg.org/api/swagger#/issue/issuePostCommentReaction
 */
export const reacts = (context: ForgejoContext): Reacts => ({
  react: (of, commentId, reaction, signal) =>
    reactionsOf(context, { of, commentId }, signal, async (path) => {
      try {
        await context.http.write({ method: 'POST', path, body: { content: reaction }, schema: null }, signal);
      } catch (error) {
        if (!(error instanceof ForgeUnknownOutcomeError)) throw error;
        // When the list cannot be read either, the first error is more useful.
        if (!(await isThere(context, path, reaction, signal).catch(() => false))) throw error;
      }
    }),
});

const MAX_REACTIONS = 100;

const THUMBS: Readonly<Record<string, GivenThumb['thumb']>> = { '+1': 'up', '-1': 'down' };

export const readsThumbs = (context: ForgejoContext): ReadsThumbs => ({
  fetchThumbs: (of, commentId, signal) =>
    reactionsOf(context, { of, commentId }, signal, async (path) => {
      try {
        const reactions = (await reactionsAt(context, path, signal)).slice(0, MAX_REACTIONS);
        return reactions.flatMap(({ user, content }) => {
          const thumb = THUMBS[content];
          // A deleted account is shown as Ghost with the id -1.
          return thumb === undefined ? [] : [{ accountId: user && user.id > 0 ? user.id : null, thumb }];
        });
      } catch (error) {
        if (hasForgeCode(error, 'FORGE_NOT_FOUND')) return [];
        throw error;
      }
    }),
});
