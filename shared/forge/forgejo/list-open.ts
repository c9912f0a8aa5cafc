import { hasForgeCode } from '../errors.ts';
import { type ListPage, readListPage } from '../list-page.ts';
import { apiPath } from '../path.ts';
import type { ListsChangeRequests, OpenPage, OpenPageAsk } from '../port-listing.ts';
import type { OpenChangeRequest } from '../port-facts.ts';
import { isDraft, mergeBaseOf } from './change-request.ts';
import { type ForgejoContext, pageWords } from './api/context.ts';
import { splitPath } from './project.ts';
import { ApiPullRequest } from './api/schema.ts';

// GET /repos/{owner}/{repo}/pulls: https://codeberg.org/api/swagger#/repository/repoListPullRequests
const readAt = (
  { http, traits }: ForgejoContext,
  [owner, name]: readonly [string, string],
  { page, tag }: OpenPageAsk,
  signal: AbortSignal,
): Promise<ListPage<ApiPullRequest> | null> => {
  const path = apiPath`/api/v1/repos/${owner}/${name}/pulls`;
  const query = { state: 'open', sort: 'recentupdate' };
  return readListPage(http, { path, query, item: ApiPullRequest, page, tag, words: pageWords(traits) }, signal);
};

/** A change request whose head has no commit cannot be reviewed and is left out. */
const toOpen = (forge: string, projectId: number, pull: ApiPullRequest): readonly OpenChangeRequest[] =>
  pull.head.sha === ''
    ? []
    : [
        {
          changeRequest: { forge, projectId, number: pull.number },
          head: pull.head.sha,
          draft: isDraft(pull),
          targetBranch: pull.base.ref,
          mergeBase: mergeBaseOf(pull),
          updatedAtMs: pull.updated_at,
        },
      ];

export const listsChangeRequests = (context: ForgejoContext): ListsChangeRequests => ({
  readOpenPage: async (project, ask, signal): Promise<OpenPage | null> => {
    const answer = await readByHint(context, project.path, { ask, projectId: project.id }, signal);
    const page =
      answer === 'elsewhere'
        ? await context.projects.withProject(project.id, signal, ({ owner, name }) =>
            readAt(context, [owner.login, name], ask, signal),
          )
        : answer;
    if (page === null) return null;
    const { items, ...rest } = page;
    return { open: items.flatMap((pull) => toOpen(context.http.forgeId, project.id, pull)), ...rest };
  },
});

type Hinted = { readonly ask: OpenPageAsk; readonly projectId: number };

/** Tries the last known path first: looking up the current path each time would double the requests for a quiet project. */
const readByHint = async (
  context: ForgejoContext,
  path: string,
  { ask, projectId }: Hinted,
  signal: AbortSignal,
): Promise<ListPage<ApiPullRequest> | null | 'elsewhere'> => {
  const parts = splitPath(path);
  if (parts === null) return 'elsewhere';
  try {
    const page = await readAt(context, parts, ask, signal);
    return page?.items.some(({ base }) => base.repo_id !== projectId) === true ? 'elsewhere' : page;
  } catch (error) {
    if (hasForgeCode(error, 'FORGE_NOT_FOUND', 'FORGE_REDIRECTED')) return 'elsewhere';
    throw error;
  }
};
