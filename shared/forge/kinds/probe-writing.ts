/** Whether a token may write, told without a side effect: by deleting what cannot be there. */
import { AppError } from '../../errors.ts';
import { hasForgeCode } from '../errors.ts';
import { type Greeted, openGreeting } from './greet.ts';
import { type ApiPath, apiPath } from '../path.ts';
import type { ProjectRef } from '../port-facts.ts';

/** What a token may not do, and the forge's own words, which name the scope. */
export type WriteRefusal = { readonly what: string; readonly explanation: string | null };

type Probe = { readonly what: string; readonly path: ApiPath };

/** Nothing has the id 0, and no change request this number, the largest that all of the forges read. */
const NOTHING = 0;
const NO_CHANGE_REQUEST = 2_147_483_647;

/**
 * The forges look at the scopes of a token first, then at what is to be deleted: 403 without the scope, 404 with it.
 * Statuses and reviews take one scope, write:repository; comments another, write:issue.
 *
 * - DELETE /repos/{owner}/{repo}/issues/comments/{id}:       https://codeberg.org/api/swagger#/issue/issueDeleteComment
 * - DELETE /repos/{owner}/{repo}/pulls/{index}/reviews/{id}: https://codeberg.org/api/swagger#/repository/repoDeletePullReview
 * - DELETE /projects/:id/merge_requests/:iid/notes/:id:      https://docs.gitlab.com/api/notes/
 */
const probesOf = (kind: Greeted['kind'], { id, path }: ProjectRef): readonly Probe[] => {
  if (kind === 'gitlab')
    return [
      { what: 'comment', path: apiPath`/api/v4/projects/${id}/merge_requests/${NO_CHANGE_REQUEST}/notes/${NOTHING}` },
    ];
  const [owner = '', name = ''] = path.split('/');
  return [
    { what: 'comment', path: apiPath`/api/v1/repos/${owner}/${name}/issues/comments/${NOTHING}` },
    {
      what: 'review or set a status',
      path: apiPath`/api/v1/repos/${owner}/${name}/pulls/${NO_CHANGE_REQUEST}/reviews/${NOTHING}`,
    },
  ];
};

/** @throws as every call of a forge does, but for the refusals that are asked for. */
export const probeWriting = async (
  greeted: Greeted,
  project: ProjectRef,
  signal: AbortSignal,
): Promise<readonly WriteRefusal[]> => {
  const http = openGreeting(greeted);
  const refusals: WriteRefusal[] = [];
  for (const { what, path } of probesOf(greeted.kind, project)) {
    try {
      await http.write({ method: 'DELETE', path, schema: null }, signal);
    } catch (error) {
      if (hasForgeCode(error, 'FORGE_FORBIDDEN')) refusals.push({ what, explanation: explanationOf(error) });
      else if (!hasForgeCode(error, 'FORGE_NOT_FOUND')) throw error;
    }
  }
  return refusals;
};

const explanationOf = (error: unknown): string | null => {
  const words = error instanceof AppError ? error.fields['explanation'] : null;
  return typeof words === 'string' ? words : null;
};
