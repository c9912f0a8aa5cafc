import { readListPage } from '../list-page.ts';
import { apiPath } from '../path.ts';
import type { ListsChangeRequests } from '../port-listing.ts';
import type { OpenChangeRequest } from '../port-facts.ts';
import { isDraft } from './change-request.ts';
import { type GitlabContext, PAGE_WORDS } from './api/context.ts';
import { ApiMergeRequestEntry } from './api/schema.ts';

const toOpen = (forge: string, projectId: number, entry: ApiMergeRequestEntry): readonly OpenChangeRequest[] =>
  entry.sha === null || entry.sha === undefined
    ? []
    : [
        {
          changeRequest: { forge, projectId, number: entry.iid },
          head: entry.sha,
          draft: isDraft(entry),
          targetBranch: entry.target_branch,
          // The list does not contain the merge base.
          mergeBase: null,
          updatedAtMs: entry.updated_at,
        },
      ];

const QUERY = { state: 'opened', order_by: 'updated_at', sort: 'desc' };

/** GET /projects/:id/merge_requests: https://docs.gitlab.com/api/merge_requests/#list-project-merge-requests */
export const listsChangeRequests = ({ http }: GitlabContext): ListsChangeRequests => ({
  readOpenPage: async (project, { page, tag }, signal) => {
    const path = apiPath`/api/v4/projects/${project.id}/merge_requests`;
    const request = { path, query: QUERY, item: ApiMergeRequestEntry, page, tag, words: PAGE_WORDS };
    const answer = await readListPage(http, request, signal);
    if (answer === null) return null;
    const { items, ...rest } = answer;
    return { open: items.flatMap((entry) => toOpen(http.forgeId, project.id, entry)), ...rest };
  },
});
