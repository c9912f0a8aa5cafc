/** The environment that each forge's documentation lists for a job, for a change request on a stage. */
import { randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { z } from 'zod';
import type { ForgeKind } from '../../shared/forge/kinds/forge-kind.ts';
import type { FileMap } from '../sim/forgejo/git.ts';
import { reviewJob } from '../../services/cli/ci-review.ts';
import type { ReviewOutput } from '../../services/cli/review/review-output.ts';
import type { StageModel } from './story-world.ts';
import type { WaysStage } from './ways-stage.ts';

const run = promisify(execFile);

export type JobEnv = Readonly<Record<string, string | undefined>>;

export type Job = {
  readonly kind: ForgeKind;
  readonly number: number;
  /** Where the runner cloned to. Default: a folder without a clone. */
  readonly workspace?: string;
};

const MergeRequest = z.object({
  sha: z.string(),
  source_project_id: z.number().nullable(),
  diff_refs: z.object({ base_sha: z.string() }),
});

/** What a runner sets, without secrets. */
export const jobEnvOf = async (stage: WaysStage, { kind, number, workspace }: Job): Promise<JobEnv> => {
  const place = workspace ?? stage.folder;
  const common = { PATH: process.env['PATH'], HOME: stage.folder, CI: 'true' };
  return {
    ...common,
    ...(kind === 'gitlab'
      ? await gitlabEnv(stage, number, place)
      : await actionsEnv(stage, { kind, number, workspace: place })),
  };
};

const gitlabEnv = async (
  { sim, tokens, projectId, repo }: WaysStage,
  number: number,
  place: string,
): Promise<JobEnv> => {
  const url = `${sim.url}/api/v4/projects/${projectId}/merge_requests/${number}`;
  const answer = await fetch(url, { headers: { 'private-token': tokens.read } });
  const { sha, source_project_id: source, diff_refs: refs } = MergeRequest.parse(await answer.json());
  return {
    GITLAB_CI: 'true',
    CI_SERVER_URL: sim.url,
    CI_PIPELINE_SOURCE: 'merge_request_event',
    CI_PROJECT_DIR: place,
    CI_COMMIT_SHA: sha,
    CI_MERGE_REQUEST_IID: `${number}`,
    CI_MERGE_REQUEST_PROJECT_ID: `${projectId}`,
    CI_MERGE_REQUEST_PROJECT_PATH: repo,
    CI_MERGE_REQUEST_SOURCE_PROJECT_ID: source === null ? '' : `${source}`,
    CI_MERGE_REQUEST_DIFF_BASE_SHA: refs.base_sha,
  };
};

const actionsEnv = async (
  { sim, tokens, repo, folder }: WaysStage,
  { kind, number, workspace }: Job,
): Promise<JobEnv> => {
  const answer = await fetch(`${sim.url}/api/v1/repos/${repo}/pulls/${number}`, {
    headers: { authorization: `token ${tokens.read}` },
  });
  const event = { action: 'synchronized', number, pull_request: await answer.json() };
  const file = path.join(folder, `event-${randomBytes(4).toString('hex')}.json`);
  await writeFile(file, JSON.stringify(event));
  const named = {
    ACTIONS: 'true',
    EVENT_NAME: 'pull_request',
    EVENT_PATH: file,
    REPOSITORY: repo,
    SERVER_URL: sim.url,
    WORKSPACE: workspace,
  };
  const under = (family: string): JobEnv =>
    Object.fromEntries(Object.entries(named).map(([name, value]) => [`${family}_${name}`, value]));
  return { ...under('GITHUB'), ...(kind === 'gitea' ? { GITEA_ACTIONS: 'true' } : under('FORGEJO')) };
};

/** `fixpoint ci` in a job of the change request, with the bot's token. `said`: the lines that the user sees. */
export const reviewInJob = async (
  stage: WaysStage,
  job: Job,
  model: StageModel,
): Promise<{ readonly output: ReviewOutput; readonly said: readonly string[] }> => {
  const said: string[] = [];
  const say = (line: string): void => {
    said.push(line);
    stage.heard(line);
  };
  const secrets = { FIXPOINT_TOKEN: stage.tokens.post, FIXPOINT_MARKER_SECRET: stage.markerSecret };
  const paid = { ANTHROPIC_API_KEY: model.apiKey, ANTHROPIC_BASE_URL: model.url };
  const env = { ...(await jobEnvOf(stage, job)), ...secrets, ...paid };
  const around = { env, signal: AbortSignal.timeout(120_000), say, log: { write: stage.heard } };
  return { output: await reviewJob({ runner: 'auto', tokenEnv: 'FIXPOINT_TOKEN' }, around), said };
};

/** A change request whose branch is in a fork of an outsider. */
export const openFromFork = async ({ sim, repo }: WaysStage, branch: string, files: FileMap): Promise<number> => {
  const owner = `outsider-${branch}`;
  sim.createUser({ login: owner });
  const fork = `${owner}/shop`;
  const wish = { branch, files, message: `Change ${branch}\n`, author: owner };
  const title = `Change ${branch}`;
  if ('traits' in sim) {
    await sim.forkRepo(repo, owner);
    await sim.commitFiles({ ...wish, repo: fork });
    return (await sim.openPullRequest({ repo, headRepo: fork, head: branch, title, author: owner })).number;
  }
  await sim.forkProject(repo, owner);
  await sim.commitFiles({ ...wish, project: fork });
  return (
    await sim.openMergeRequest({ project: repo, sourceProject: fork, sourceBranch: branch, title, author: owner })
  ).iid;
};

/** The clone that a runner makes of a change request; `depth` makes it shallow. */
export const cloneFor = async (stage: WaysStage, { kind, number }: Job, depth?: number): Promise<string> => {
  const into = path.join(stage.folder, `clone-${randomBytes(4).toString('hex')}`);
  const url = new URL(`${stage.sim.url}/${stage.repo}.git`);
  url.username = 'oauth2';
  url.password = stage.tokens.read;
  const shallow = depth === undefined ? [] : ['--depth', `${depth}`];
  await run('git', ['clone', '--quiet', ...shallow, url.href, into]);
  const ref = kind === 'gitlab' ? `refs/merge-requests/${number}/head` : `refs/pull/${number}/head`;
  await run('git', ['-C', into, 'fetch', '--quiet', ...shallow, 'origin', ref]);
  await run('git', ['-C', into, 'remote', 'remove', 'origin']);
  return into;
};
