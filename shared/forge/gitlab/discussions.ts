import { MergeRequestDiscussions } from '@gitbeaker/rest';
import type { ChangeRequest } from '../../vocabulary/ids.ts';
import { ForgeRequestError } from '../errors.ts';
import type { GitlabContext } from './api/context.ts';
import { ApiDiscussion } from './api/schema.ts';

/**
 * GET /projects/:id/merge_requests/:iid/discussions (includes plain comments):
 * https://docs.gitlab.com/api/discussions/#list-all-merge-request-discussion-items
 */
export const fetchDiscussions = (
  { api }: GitlabContext,
  of: ChangeRequest,
  signal: AbortSignal,
): Promise<readonly ApiDiscussion[]> =>
  api.readAll({ item: ApiDiscussion, keyOf: ({ id }) => id }, signal, (options, page) =>
    new MergeRequestDiscussions(options).all(of.projectId, of.number, page),
  );

/** Throws FORGE_BAD_THREAD when the text is not a GitLab discussion id. */
export const parseThreadId = (text: string): string => {
  if (/^[0-9a-f]{40}$/.test(text)) return text;
  throw new ForgeRequestError({
    code: 'FORGE_BAD_THREAD',
    message: 'the thread id does not belong to this forge',
    disposition: { kind: 'fail' },
  });
};
