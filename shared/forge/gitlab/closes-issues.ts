import { MergeRequests } from '@gitbeaker/rest';
import { z } from 'zod';
import { mayCloseIssue } from '../closing-words.ts';
import { MAX_CLOSED_ISSUES, type ReadsClosedIssues } from '../port-issues.ts';
import { readableItems } from '../readable-items.ts';
import type { GitlabContext } from './api/context.ts';
import { orNull } from './api/or-null.ts';

/** Issues of an external tracker have only a title. */
const ApiIssue = z.object({
  iid: z.number().int().positive().nullish(),
  project_id: z.number().int().nullish(),
  title: z.string(),
  description: z.string().nullish(),
  confidential: z.boolean().nullish(),
});

/**
 * GitLab lists what the account may see: other projects and confidential issues are left out, because the author and the
 * readers of the review may not be allowed to see them.
 * GET /projects/:id/merge_requests/:iid/closes_issues: https://docs.gitlab.com/api/merge_requests/#list-issues-that-close-on-merge
 */
export const readsClosedIssues = ({ api }: GitlabContext): ReadsClosedIssues => ({
  fetchClosedIssues: async (of, words, signal) => {
    if (!mayCloseIssue(words)) return [];
    const found = await orNull(
      api.read(readableItems(ApiIssue), signal, (options) =>
        new MergeRequests(options).allIssuesClosed(of.projectId, of.number),
      ),
    );
    return (found ?? [])
      .flatMap(({ iid, project_id: project, title, description, confidential }) =>
        project !== of.projectId || confidential === true || typeof iid !== 'number'
          ? []
          : [{ number: iid, title, text: description ?? '' }],
      )
      .slice(0, MAX_CLOSED_ISSUES);
  },
});
