import { MergeRequests } from '@gitbeaker/rest';
import { z } from 'zod';
import type { ChangeRequest, CommitSha } from '../../rounds/vocabulary.ts';
import { hasForgeCode } from '../errors.ts';
import type { GitlabContext } from './context.ts';
import { ApiPipeline } from './schema.ts';

/** Newest first: the one that is looked for stands at the top or is not there. */
const FIRST_PAGE = { page: 1, perPage: 100 } as const;

/** One that runs for the merge request itself. Those of merged results run on a commit of their own. */
export const newestForHead = (pipelines: readonly ApiPipeline[], head: CommitSha): number | null => {
  const fitting = pipelines.filter(({ sha, source }) => sha === head && source === 'merge_request_event');
  return fitting.length === 0 ? null : Math.max(...fitting.map(({ id }) => id));
};

/**
 * Null where the project has no merge request pipelines, or does not show them.
 * GET /projects/:id/merge_requests/:iid/pipelines: https://docs.gitlab.com/api/merge_requests/#list-merge-request-pipelines
 */
export const fetchMergeRequestPipeline = async (
  { api }: GitlabContext,
  of: ChangeRequest,
  head: CommitSha,
  signal: AbortSignal,
): Promise<number | null> => {
  try {
    const pipelines = await api.read(z.array(ApiPipeline), signal, (options) =>
      new MergeRequests(options).allPipelines(of.projectId, of.number, FIRST_PAGE),
    );
    return newestForHead(pipelines, head);
  } catch (error) {
    if (hasForgeCode(error, 'FORGE_NOT_FOUND', 'FORGE_FORBIDDEN')) return null;
    throw error;
  }
};
