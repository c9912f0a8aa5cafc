/** GitLab CI: https://docs.gitlab.com/ci/variables/predefined_variables/#predefined-variables-for-merge-request-pipelines */
import type { Environment } from '../../../shared/config/secrets.ts';
import { type RunnerClone, type CiJob, missingVariables, notAJob, pageAt, variable } from './ci-job.ts';

const TRIGGER =
  'run the job in merge request pipelines, with rules: [{ if: $CI_PIPELINE_SOURCE == "merge_request_event" }]';

const NEEDED = [
  'CI_SERVER_URL',
  'CI_MERGE_REQUEST_PROJECT_PATH',
  'CI_MERGE_REQUEST_PROJECT_ID',
  'CI_MERGE_REQUEST_IID',
] as const;

export const isGitlabJob = (env: Environment): boolean => env['GITLAB_CI'] === 'true';

/**
 * The pipeline may run in the fork, so `CI_PROJECT_ID` proves nothing. The merge request is always in the target project.
 * @throws UsageError for a pipeline without a merge request
 */
export const gitlabJob = (env: Environment): CiJob => {
  const missing = missingVariables(env, NEEDED);
  const [server = '', project = '', targetId = '', iid = ''] = NEEDED.map((name) => variable(env, name));
  if (missing.length > 0)
    throw notAJob(`this GitLab CI job belongs to no merge request: ${missing.join(', ')} not set`, TRIGGER);
  return {
    address: pageAt(server, `${project}/-/merge_requests/${iid}`),
    // The id is empty when the fork was deleted.
    fromFork: variable(env, 'CI_MERGE_REQUEST_SOURCE_PROJECT_ID') !== targetId,
    checkout: checkoutOf(env),
  };
};

/** In a merged results pipeline, `CI_COMMIT_SHA` is a merge commit that exists only in the pipeline. */
const checkoutOf = (env: Environment): RunnerClone | null => {
  const base = variable(env, 'CI_MERGE_REQUEST_DIFF_BASE_SHA');
  const head = variable(env, 'CI_MERGE_REQUEST_SOURCE_BRANCH_SHA', 'CI_COMMIT_SHA');
  if (base === undefined || head === undefined) return null;
  return { directory: variable(env, 'CI_PROJECT_DIR') ?? '.', base, head };
};
