/** What holds a merge on GitLab: the settings of a project that decide whether a status of Fixpoint can do so. */
import { z } from 'zod';
import { hasForgeCode } from './errors.ts';
import { type Greeted, openGreeting } from './greet.ts';
import type { ForgeHttp } from './http.ts';
import { apiPath } from './path.ts';

export type Gate = {
  /** "Pipelines must succeed". Null: not told. */
  readonly waitsForPipelines: boolean | null;
  /** "Skipped pipelines are considered successful". */
  readonly skippedPasses: boolean;
  /**
   * Source branches of open merge requests that are protected so that the account may neither push to them nor, as a
   * Developer, merge into them. GitLab takes no status for their commits then (app/policies/ci/pipeline_policy.rb).
   */
  readonly barred: readonly string[];
};

const ApiSettings = z.object({
  only_allow_merge_if_pipeline_succeeds: z.boolean().nullish(),
  allow_merge_on_skipped_pipeline: z.boolean().nullish(),
});

const ApiOpen = z.array(z.object({ source_branch: z.string(), source_project_id: z.number().nullish() }));

const ApiProtection = z.object({
  protected: z.boolean(),
  can_push: z.boolean(),
  developers_can_merge: z.boolean(),
});

const OPEN = 50;
const MAX_BRANCHES = 10;

/** Of a branch that is gone nobody writes a status any more. */
const isBarred = async (http: ForgeHttp, id: number, branch: string, signal: AbortSignal): Promise<boolean> => {
  try {
    const path = apiPath`/api/v4/projects/${id}/repository/branches/${branch}`;
    const { value } = await http.read({ path, schema: ApiProtection }, signal);
    return value.protected && !value.can_push && !value.developers_can_merge;
  } catch (error) {
    if (hasForgeCode(error, 'FORGE_NOT_FOUND')) return false;
    throw error;
  }
};

/**
 * As the account of the token sees it. The newest open merge requests are looked at, and no more than ten branches.
 *
 * - GET /projects/:id:                             https://docs.gitlab.com/api/projects/#retrieve-a-project
 * - GET /projects/:id/merge_requests:              https://docs.gitlab.com/api/merge_requests/#list-project-merge-requests
 * - GET /projects/:id/repository/branches/:branch: https://docs.gitlab.com/api/branches/#get-single-repository-branch
 */
export const readGate = async (greeted: Greeted, projectId: number, signal: AbortSignal): Promise<Gate> => {
  const http = openGreeting(greeted);
  const { value: settings } = await http.read(
    { path: apiPath`/api/v4/projects/${projectId}`, schema: ApiSettings },
    signal,
  );
  const query = { state: 'opened', per_page: OPEN };
  const path = apiPath`/api/v4/projects/${projectId}/merge_requests`;
  const { value: open } = await http.read({ path, query, schema: ApiOpen }, signal);
  const own = open.filter(({ source_project_id: from }) => from === projectId).map((each) => each.source_branch);
  const barred: string[] = [];
  for (const branch of [...new Set(own)].slice(0, MAX_BRANCHES))
    if (await isBarred(http, projectId, branch, signal)) barred.push(branch);
  return {
    waitsForPipelines: settings.only_allow_merge_if_pipeline_succeeds ?? null,
    skippedPasses: settings.allow_merge_on_skipped_pipeline === true,
    barred,
  };
};
