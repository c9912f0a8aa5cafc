/**
 * Forgejo Actions and Gitea Actions: https://forgejo.org/docs/latest/user/actions/reference/. Gitea's runner sets only
 * GitHub's variable names. Forgejo's runner sets both.
 */
import { z } from 'zod';
import type { Environment } from '../../../shared/config/secrets.ts';
import { UsageError } from '../terminal/usage-error.ts';
import { type CiJob, notAJob, pageAt, variable } from './ci-job.ts';

const TRIGGER = 'trigger the workflow with on: pull_request';

const FAMILIES = ['FORGEJO', 'GITEA', 'GITHUB'] as const;

/** Reads a variable by its GitHub name. */
const named = (env: Environment, name: `GITHUB_${string}`): string | undefined =>
  variable(env, ...FAMILIES.map((family) => name.replace('GITHUB', family)));

export const isActionsJob = (env: Environment): boolean => named(env, 'GITHUB_ACTIONS') === 'true';

/** The file with the event; undefined if the environment names none. */
export const eventPathOf = (env: Environment): string | undefined => named(env, 'GITHUB_EVENT_PATH');

const Side = z.object({
  ref: z.string().optional(),
  sha: z.string().min(1),
  repo_id: z.number().optional(),
  /** The source repository. Null when the fork was deleted. */
  repo: z.object({ id: z.number() }).nullish(),
});

const PullRequestEvent = z.object({
  pull_request: z.object({
    number: z.number().int().positive(),
    /** 1 for a change pushed without a branch (AGit), whose author may have no permissions in the target. Gitea sends no flow. */
    flow: z.number().optional(),
    head: Side,
    base: Side,
  }),
});
type PullRequest = z.output<typeof PullRequestEvent>['pull_request'];

/**
 * `event` is the content of the file at `eventPathOf`; null if there is none.
 * @throws UsageError for a run without a pull request
 */
export const actionsJob = (env: Environment, event: string | null): CiJob => {
  const server = named(env, 'GITHUB_SERVER_URL');
  const repository = named(env, 'GITHUB_REPOSITORY');
  const missing = [
    ...(server === undefined ? ['GITHUB_SERVER_URL'] : []),
    ...(repository === undefined ? ['GITHUB_REPOSITORY'] : []),
    ...(event === null ? ['GITHUB_EVENT_PATH'] : []),
  ];
  if (server === undefined || repository === undefined || event === null)
    throw notAJob(`cannot find the pull request of this Actions job: ${missing.join(', ')} not set`, TRIGGER);
  const pull = pullRequestIn(event, env);
  return {
    address: pageAt(server, `${repository}/pulls/${pull.number}`),
    fromFork: isFromFork(pull),
    checkout: { directory: named(env, 'GITHUB_WORKSPACE') ?? '.', base: pull.base.sha, head: pull.head.sha },
  };
};

const pullRequestIn = (event: string, env: Environment): PullRequest => {
  const found = PullRequestEvent.safeParse(parseJson(event));
  if (found.success) return found.data.pull_request;
  const name = named(env, 'GITHUB_EVENT_NAME') ?? 'unknown';
  throw notAJob(
    `this Actions job belongs to no pull request: the event "${name}" in GITHUB_EVENT_PATH names none`,
    TRIGGER,
  );
};

const parseJson = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    throw new UsageError('the file at GITHUB_EVENT_PATH is not JSON');
  }
};

const isFromFork = ({ flow, head, base }: PullRequest): boolean => {
  const [from, to] = [repositoryOf(head), repositoryOf(base)];
  const isAgit = flow === 1 || head.ref?.startsWith('refs/pull/') === true;
  return isAgit || from === undefined || from !== to;
};

const repositoryOf = ({ repo_id: id, repo }: z.output<typeof Side>): number | undefined => id ?? repo?.id;
