import { z } from 'zod';
import { ForgeUnknownOutcomeError } from '../errors.ts';
import { type ApiPath, apiPath } from '../path.ts';
import type { Reacts } from '../port.ts';
import type { ForgejoContext } from './context.ts';
import { ApiReaction } from './schema.ts';

/** GET .../issues/comments/{id}/reactions: https://codeberg.org/api/swagger#/issue/issueGetCommentReactions */
const isThere = async (
  { http, self }: ForgejoContext,
  path: ApiPath,
  reaction: string,
  signal: AbortSignal,
): Promise<boolean> => {
  const { id } = await self(signal);
  const { value } = await http.read({ path, schema: z.array(ApiReaction).nullable() }, signal);
  return (value ?? []).some(({ user, content }) => user?.id === id && content === reaction);
};

/**
 * Forgejo of mid-2026 sends 500 for an existing reaction (services/issue/reaction.go, ErrReactionAlreadyExist), so the list
 * decides.
 * POST .../issues/comments/{id}/reactions: https://codeberg.org/api/swagger#/issue/issuePostCommentReaction
 */
export const reacts = (context: ForgejoContext): Reacts => ({
  react: (of, commentId, reaction, signal) =>
    context.projects.withProject(of.projectId, signal, async ({ owner, name }) => {
      const path = apiPath`/api/v1/repos/${owner.login}/${name}/issues/comments/${commentId}/reactions`;
      try {
        await context.http.write({ method: 'POST', path, body: { content: reaction }, schema: null }, signal);
      } catch (error) {
        if (!(error instanceof ForgeUnknownOutcomeError)) throw error;
        // When the list cannot be read either, the first error is more useful.
        if (!(await isThere(context, path, reaction, signal).catch(() => false))) throw error;
      }
    }),
});
