/** Recognises the CI system from its environment. */
import { readFile } from 'node:fs/promises';
import type { Environment } from '../../../shared/config/secrets.ts';
import { unreadable, UsageError } from '../terminal/usage-error.ts';
import { actionsJob, eventPathOf, isActionsJob } from './actions-job.ts';
import type { CiJob } from './ci-job.ts';
import { gitlabJob, isGitlabJob } from './gitlab-job.ts';

/** An address given as a flag takes precedence. Only its forge can tell whether it comes from a fork. */
export const findJob = async (url: string | undefined, env: Environment): Promise<CiJob> =>
  url === undefined ? jobIn(env, await readEvent(env)) : { address: url, fromFork: null, checkout: null };

/**
 * `event` is the content of the event's file; null if there is none.
 * @throws UsageError with one sentence that says what is missing and how to trigger the job
 */
export const jobIn = (env: Environment, event: string | null): CiJob => {
  if (isGitlabJob(env)) return gitlabJob(env);
  if (isActionsJob(env)) return actionsJob(env, event);
  throw new UsageError(
    'no CI job found: none of GITLAB_CI, FORGEJO_ACTIONS, GITEA_ACTIONS and GITHUB_ACTIONS is "true"; in another CI system give --url ADDRESS',
  );
};

const readEvent = async (env: Environment): Promise<string | null> => {
  const file = isActionsJob(env) ? eventPathOf(env) : undefined;
  if (file === undefined) return null;
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw unreadable(`GITHUB_EVENT_PATH: ${file}`, error);
  }
};
