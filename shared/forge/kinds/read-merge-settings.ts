/** What a merge waits for in a project on GitLab. The other forges ask for contexts by name, which a review reads itself. */
import { z } from 'zod';
import { type Greeted, openGreeting } from './greet.ts';
import { apiPath } from '../path.ts';

export type MergeSettings = {
  /** "Pipelines must succeed". Null: not told. */
  readonly waitsForPipelines: boolean | null;
  /** "Skipped pipelines are considered successful". */
  readonly skippedPasses: boolean;
};

const ApiSettings = z.object({
  only_allow_merge_if_pipeline_succeeds: z.boolean().nullish(),
  allow_merge_on_skipped_pipeline: z.boolean().nullish(),
});

/** GET /projects/:id: https://docs.gitlab.com/api/projects/#retrieve-a-project */
export const readMergeSettings = async (
  greeted: Greeted,
  projectId: number,
  signal: AbortSignal,
): Promise<MergeSettings> => {
  const path = apiPath`/api/v4/projects/${projectId}`;
  const { value } = await openGreeting(greeted).read({ path, schema: ApiSettings }, signal);
  return {
    waitsForPipelines: value.only_allow_merge_if_pipeline_succeeds ?? null,
    skippedPasses: value.allow_merge_on_skipped_pipeline === true,
  };
};
