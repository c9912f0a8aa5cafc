/** From the environment of a job to the change request, and to what the job may do. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it, test } from 'vitest';
import { findJob, jobIn } from '../../../../services/cli/ci/find-job.ts';
import { FORK_PRINTS, planCi } from '../../../../services/cli/ci/plan-ci.ts';
import { sharedData } from '../../../support/shared-data.ts';

const GITLAB = {
  GITLAB_CI: 'true',
  CI_SERVER_URL: 'https://forge.example.com/git/',
  CI_MERGE_REQUEST_IID: '7',
  CI_MERGE_REQUEST_PROJECT_ID: '12',
  CI_MERGE_REQUEST_PROJECT_PATH: 'group/sub/shop',
  CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '12',
  CI_MERGE_REQUEST_DIFF_BASE_SHA: 'b'.repeat(40),
  CI_COMMIT_SHA: 'c'.repeat(40),
  CI_PROJECT_DIR: '/builds/shop',
};
const AT_GITLAB = 'https://forge.example.com/git/group/sub/shop/-/merge_requests/7';
const GITLAB_CHECKOUT = { directory: '/builds/shop', base: 'b'.repeat(40), head: 'c'.repeat(40) };

const ACTIONS = {
  GITHUB_ACTIONS: 'true',
  GITHUB_EVENT_NAME: 'pull_request',
  GITHUB_EVENT_PATH: '/event.json',
  GITHUB_SERVER_URL: 'https://forge.example.com/git/',
  GITHUB_REPOSITORY: 'owner/shop',
  GITHUB_WORKSPACE: '/workspace',
};
const AT_ACTIONS = 'https://forge.example.com/git/owner/shop/pulls/7';

const eventOf = (head: object = {}, more: object = {}): string =>
  JSON.stringify({
    pull_request: {
      number: 7,
      head: { sha: 'h1', repo_id: 3, repo: { id: 3 }, ...head },
      base: { sha: 'b1', repo_id: 3, repo: { id: 3 } },
      ...more,
    },
  });

describe('a job of GitLab CI', () => {
  it.each([
    ['of the project', {}, { fromFork: false, checkout: GITLAB_CHECKOUT }],
    ['of a fork', { CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '13' }, { fromFork: true }],
    ['of a deleted fork', { CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '' }, { fromFork: true }],
    ['that runs in the fork', { CI_PROJECT_ID: '13', CI_MERGE_REQUEST_SOURCE_PROJECT_ID: '13' }, { fromFork: true }],
    [
      'of merged results, whose commit only the pipeline has',
      { CI_MERGE_REQUEST_SOURCE_BRANCH_SHA: 'd'.repeat(40) },
      { fromFork: false, checkout: { ...GITLAB_CHECKOUT, head: 'd'.repeat(40) } },
    ],
    ['without a base', { CI_MERGE_REQUEST_DIFF_BASE_SHA: undefined }, { fromFork: false, checkout: null }],
    ['without a folder', { CI_PROJECT_DIR: '' }, { checkout: { ...GITLAB_CHECKOUT, directory: '.' } }],
  ])('names the merge request %s', (_what, more, expected) => {
    expect(jobIn({ ...GITLAB, ...more }, null)).toMatchObject({ address: AT_GITLAB, ...expected });
  });

  it('without a merge request says which variables are missing, and how to trigger it', () => {
    const env = { ...GITLAB, CI_MERGE_REQUEST_IID: undefined, CI_MERGE_REQUEST_PROJECT_PATH: '' };
    expect(() => jobIn(env, null)).toThrow(
      'this GitLab CI job belongs to no merge request: CI_MERGE_REQUEST_PROJECT_PATH, CI_MERGE_REQUEST_IID not set; run the job in merge request pipelines, with rules: [{ if: $CI_PIPELINE_SOURCE == "merge_request_event" }]',
    );
  });
});

describe('a job of Actions', () => {
  it.each([
    ['of the repository', eventOf(), false],
    ['of a fork', eventOf({ repo_id: 4, repo: { id: 4 } }), true],
    ['of a fork, told by the repositories alone', eventOf({ repo_id: undefined, repo: { id: 4 } }), true],
    ['of a deleted fork', eventOf({ repo_id: -1, repo: null }), true],
    ['that tells no repository', eventOf({ repo_id: undefined, repo: undefined }), true],
    ['pushed without a branch', eventOf({}, { flow: 1 }), true],
    ['pushed without a branch to Gitea', eventOf({ ref: 'refs/pull/7/head' }), true],
    ['of a named branch', eventOf({ ref: 'pull/7/head' }), false],
    ['with a flow of its own branch', eventOf({}, { flow: 0 }), false],
  ])('names the pull request %s', (_what, event, fromFork) => {
    const checkout = { directory: '/workspace', base: 'b1', head: 'h1' };
    expect(jobIn(ACTIONS, event)).toEqual({ address: AT_ACTIONS, fromFork, checkout });
  });

  it.each(['FORGEJO', 'GITEA'])('is recognised by the names of %s, which come first', (family) => {
    const own = { [`${family}_ACTIONS`]: 'true', [`${family}_REPOSITORY`]: 'own/name' };
    expect(jobIn({ ...ACTIONS, GITHUB_ACTIONS: undefined, ...own }, eventOf()).address).toContain('/own/name/pulls/7');
  });

  it.each([
    [
      'missing variables',
      { ...ACTIONS, GITHUB_SERVER_URL: '', GITHUB_REPOSITORY: undefined },
      null,
      'cannot find the pull request of this Actions job: GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_EVENT_PATH not set; trigger the workflow with on: pull_request',
    ],
    [
      'a push',
      { ...ACTIONS, GITHUB_EVENT_NAME: 'push' },
      '{"ref":"refs/heads/main"}',
      'this Actions job belongs to no pull request: the event "push" in GITHUB_EVENT_PATH names none; trigger the workflow with on: pull_request',
    ],
    ['a broken file', ACTIONS, '{', 'the file at GITHUB_EVENT_PATH is not JSON'],
  ])('is refused for %s', (_what, env, event, message) => {
    expect(() => jobIn(env, event)).toThrow(message);
  });

  it('whose event file is missing says so', async () => {
    await expect(findJob(undefined, { ...ACTIONS, GITHUB_EVENT_PATH: '/nowhere/event.json' })).rejects.toThrow(
      'GITHUB_EVENT_PATH: /nowhere/event.json cannot be read: file not found',
    );
  });
});

describe('elsewhere', () => {
  it('an address is needed', async () => {
    await expect(findJob(undefined, { CI: 'true' })).rejects.toThrow(/^no CI job found: .* give --url ADDRESS$/);
  });

  it('an address wins over the environment, and only the forge tells whether it is a fork', async () => {
    const url = 'https://forge.example.com/a/b/pulls/1';
    expect(await findJob(url, GITLAB)).toEqual({ address: url, fromFork: null, checkout: null });
  });
});

type Recorded = { readonly number?: number };

/** The event of a run is the payload of the webhook. One recording was cut by its makers and has no number. */
const recordedEvents = ['forgejo', 'gitea', 'forgejo-derived'].flatMap((family) => {
  const folder = sharedData('webhooks', family);
  if (folder === null) return [];
  return readdirSync(folder).flatMap((name) => {
    const text = readFileSync(path.join(folder, name), 'utf8');
    const { pull_request: pull }: { pull_request?: Recorded } = JSON.parse(text);
    return pull?.number === undefined ? [] : [{ name: `${family}/${name}`, text, number: pull.number }];
  });
});

test.skipIf(recordedEvents.length === 0)('recorded events name their pull request (skipped without recordings)', () => {
  const forks: string[] = [];
  for (const { name, text, number } of recordedEvents) {
    const job = jobIn(ACTIONS, text);
    expect({ name, at: job.address }).toEqual({ name, at: `https://forge.example.com/git/owner/shop/pulls/${number}` });
    if (job.fromFork !== false) forks.push(name);
  }
  expect(forks).toEqual(
    expect.arrayContaining(['forgejo-derived/opened_agit.json', 'forgejo-derived/edited_head_fork_deleted.json']),
  );
  expect(recordedEvents.length).toBeGreaterThan(2 * forks.length);
});

describe('what a job may do', () => {
  const checkout = { directory: '.', base: 'b', head: 'h' };
  const POST = { kind: 'post' };
  const CHECKOUT = { kind: 'checkout', checkout };

  it.each([
    [false, true, false, true, POST],
    [false, false, false, true, POST],
    [null, true, false, false, POST],
    [true, true, false, true, FORK_PRINTS],
    [true, true, true, true, POST],
    [true, false, false, true, CHECKOUT],
    [true, false, true, true, CHECKOUT],
    [true, false, false, false, FORK_PRINTS],
  ])('fork %s, token %s, --allow-forks %s, checkout %s', (fromFork, hasToken, allowForks, hasCheckout, expected) => {
    const plan = planCi({ fromFork, checkout: hasCheckout ? checkout : null, allowForks, hasToken, tokenEnv: 'T' });
    expect(plan).toMatchObject(expected);
  });
});
