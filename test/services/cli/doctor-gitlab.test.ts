/** What the doctor says about a GitLab: a token that it does not take, one that may too little, and one that is well. */
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runChecks } from '../../../services/cli/doctor/check.ts';
import { forgeChecks } from '../../../services/cli/doctor/forge.ts';
import { DIALECTS } from '../../../shared/forge/kinds/forge-kind.ts';
import { thisMachine } from '../../../services/cli/doctor/machine.ts';
import { loadConfig } from '../../../shared/config/load.ts';
import { never, temporaryFolder } from '../../shared/workspace/repository.ts';
import { type GitlabSim, startGitlabSim } from '../../sim/gitlab/start.ts';
import type { HookFlag } from '../../sim/gitlab/world.ts';
import { makeSettings } from '../../support/settings.ts';

const PROJECT = 'shop-team/shop';

let hooks = 0;
let folder: ReturnType<typeof temporaryFolder>;
let gitlab: GitlabSim;

beforeAll(async () => {
  folder = temporaryFolder();
  gitlab = await startGitlabSim({ dataDir: path.join(folder.path, 'gitlab') });
  gitlab.createGroup('shop-team');
  const project = await gitlab.createProject(PROJECT);
  project.pipelinesMustSucceed = true;
  gitlab.addProjectHook({ project: PROJECT, url: 'https://ci.example/webhooks/sim', token: 'x'.repeat(24) });
});
afterAll(async () => {
  await gitlab?.close();
  folder?.dispose();
});

/** `level|text|fix` of each thing that was looked at. */
const look = async (token: string, edit = (toml: string) => toml, more: Readonly<Record<string, string>> = {}) => {
  const wish = { forgeUrl: gitlab.url, kind: 'gitlab', token, projects: [PROJECT], dataDir: folder.path } as const;
  const { toml, env } = makeSettings(wish);
  const needs = ['read_token', 'post_token', 'git_token'] as const;
  const loaded = loadConfig({
    text: edit(`${toml}\n[operators]\nlogins = ["on-call"]\n`),
    env: { ...env, ...more },
    needs,
  });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  const findings = await runChecks(forgeChecks(loaded.config, thisMachine()), never());
  expect(JSON.stringify(findings)).not.toContain(token);
  return findings.map(({ level, text, fix }) => [level, text, fix]);
};

type Wish = Parameters<GitlabSim['createProjectAccessToken']>[1];

const botOf = (wish: Wish) => gitlab.createProjectAccessToken(PROJECT, wish);

const ONE_TOKEN = [
  'ok',
  'one token, in SIM_TOKEN, serves reading, posting, git; separate tokens limit the damage of a leak',
  null,
];
const THE_BOT = [
  'ok',
  expect.stringMatching(/^the bot is project_\d+_bot_\w+ \(id \d+\), the account of an access token: rotate the token/),
  null,
];
const MAY_WRITE = ['ok', `${PROJECT}: the bot has write access`, null];
const NO_ACCESS = [
  'fail',
  `${PROJECT}: the bot has only the permission "read", so it cannot set a status`,
  'make the bot a Developer of the project',
];
const FIX_SCOPE = 'give the token the scope api (for git alone: read_repository)';
const NO_API = ['fail', 'the token in SIM_TOKEN lacks the scope "api", so it cannot post', FIX_SCOPE];
const LACKS = 'the token in SIM_TOKEN lacks permission (answer: insufficient_scope)';
const REFUSED = ['fail', LACKS, FIX_SCOPE];

describe('the doctor of a GitLab', () => {
  it('finds nothing amiss with a token of a maintainer, and sees the webhook', async () => {
    expect(await look(botOf({ level: 40 }).token)).toEqual([
      ONE_TOKEN,
      THE_BOT,
      ['ok', `${PROJECT}: the bot has write access and can read permissions`, null],
      ['ok', `${PROJECT}: its webhook points here`, null],
    ]);
  });

  it('says that a token is not accepted, and nothing further', async () => {
    const fix = "create a token for the bot's account and set it in SIM_TOKEN";
    expect(await look('f'.repeat(40))).toEqual([['fail', 'the forge does not accept the token in SIM_TOKEN', fix]]);
  });

  it.each<[string, Wish, readonly unknown[]]>([
    ['a developer, whose rights suffice', { level: 30 }, [ONE_TOKEN, THE_BOT, MAY_WRITE]],
    ['a reporter, who may write nothing', { level: 20 }, [ONE_TOKEN, THE_BOT, NO_ACCESS]],
    ['a developer whose token only reads', { scopes: ['read_api'] }, [NO_API, ONE_TOKEN, THE_BOT, MAY_WRITE]],
    ['a developer whose token is for git alone', { scopes: ['write_repository'] }, [REFUSED]],
    [
      'a developer whose token knows the account alone',
      { scopes: ['read_user'] },
      [NO_API, ONE_TOKEN, THE_BOT, ['fail', `${PROJECT}: ${LACKS}`, FIX_SCOPE]],
    ],
  ])('says what there is to say of %s', async (_, wish, found) => {
    expect(await look(botOf(wish).token)).toEqual(found);
  });

  it('asks a token that only reads for nothing more', async () => {
    const reading = botOf({ scopes: ['read_api'] }).token;
    const apart = (toml: string): string => toml.replace('token_env =', 'read_token_env = "SIM_READER"\ntoken_env =');
    expect(await look(botOf({}).token, apart, { SIM_READER: reading })).toEqual([
      ['ok', 'one token, in SIM_TOKEN, serves posting, git; separate tokens limit the damage of a leak', null],
      THE_BOT,
      MAY_WRITE,
    ]);
  });

  it.each([400, 403, 404])('F-R2: tries what the token may where a GitLab does not tell it (%s)', async (status) => {
    const silence = gitlab.fault({ method: 'GET', path: /personal_access_tokens/ }, { kind: 'status', status });
    const text = `${PROJECT}: the post token cannot comment (answer: insufficient_scope)`;
    const fix = 'give the token in SIM_TOKEN the scope api (for git alone: read_repository)';
    expect(await look(botOf({ scopes: ['read_api'] }).token)).toEqual([
      ONE_TOKEN,
      THE_BOT,
      MAY_WRITE,
      ['fail', text, fix],
    ]);
    expect(await look(botOf({}).token)).toEqual([ONE_TOKEN, THE_BOT, MAY_WRITE]);
    silence.remove();
  });

  it('prints what it found before the forge failed, and does not blame its address', async () => {
    const failure = gitlab.fault({ method: 'GET', path: /hooks/ }, { kind: 'status', status: 500 });
    expect(await look(botOf({}).token)).toEqual([
      ONE_TOKEN,
      THE_BOT,
      MAY_WRITE,
      [
        'warn',
        expect.stringMatching(new RegExp(`^${PROJECT}: not checked completely: `)),
        expect.stringContaining('look at the logs of the forge'),
      ],
    ]);
    failure.remove();
  });

  it('warns of a token that is soon taken no more', async () => {
    const { token } = botOf({});
    const known = gitlab.world.tokens.get(token);
    if (known === undefined) throw new Error('there is no token');
    const inDays = (days: number): string => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
    known.expiresOn = inDays(60);
    expect(await look(token)).toEqual([ONE_TOKEN, THE_BOT, MAY_WRITE]);
    known.expiresOn = inDays(7);
    expect(await look(token)).toContainEqual([
      'warn',
      `the token in SIM_TOKEN expires on ${inDays(7)}`,
      expect.stringContaining('create a new token'),
    ]);
  });

  it.each<
    [
      what: string,
      wish: { token?: string; signingToken?: string; events?: readonly HookFlag[] },
      found: readonly unknown[],
    ]
  >([
    [
      'F-R4: pushes alone',
      { token: 'x'.repeat(24), events: ['push_events'] },
      [
        'fail',
        expect.stringMatching(
          /does not send the events merge_requests_events, note_events, emoji_events, pipeline_events,/,
        ),
      ],
    ],
    [
      'F-R4: no pipelines',
      { token: 'x'.repeat(24), events: ['merge_requests_events', 'note_events', 'emoji_events'] },
      ['warn', expect.stringMatching(/does not send the events pipeline_events,/)],
    ],
    ['no secret', {}, ['fail', expect.stringMatching(/neither a signing token nor a secret token/)]],
  ])('does not call a webhook well that sends %s', async (_, wish, [level, text]) => {
    const other = `other-${PROJECT.length}-${hooks}`;
    hooks += 1;
    gitlab.addProjectHook({ project: PROJECT, url: `https://ci.example/webhooks/${other}`, ...wish });
    const found = await look(botOf({ level: 40 }).token, (toml) => toml.replace('id = "sim"', `id = "${other}"`));
    expect(found).toContainEqual([level, text, expect.stringContaining('Settings, Webhooks')]);
  });

  it('F-R3: looks at what a pattern finds, and says when it finds nothing', async () => {
    const scope = (pattern: string) => (toml: string) => toml.replace(`"${PROJECT}"`, `"${pattern}"`);
    const { token } = botOf({});
    expect(await look(token, scope('shop-team/*'))).toContainEqual(MAY_WRITE);
    expect(await look(token, scope('*'))).toContainEqual(MAY_WRITE);
    expect(await look(token, scope('nobody-such/*'))).toContainEqual([
      'fail',
      expect.stringMatching(/^projects: nobody-such\/\* matches nothing/),
      expect.stringMatching(/add the bot/),
    ]);
  });

  it.each<[what: string, change: 'archived' | 'mergeRequestsEnabled', text: RegExp]>([
    ['is archived', 'archived', /is archived, so nothing can be posted/],
    ['has no merge requests', 'mergeRequestsEnabled', /has merge requests disabled/],
  ])('fails for a project that %s', async (_, change, text) => {
    const project = gitlab.world.projects.find(({ path }) => path === 'shop');
    if (project === undefined) throw new Error('there is no project');
    project[change] = !project[change];
    expect(await look(botOf({}).token)).toContainEqual(['fail', expect.stringMatching(text), expect.any(String)]);
    project[change] = !project[change];
  });

  const shop = () => {
    const project = gitlab.world.projects.find(({ path }) => path === 'shop');
    if (project === undefined) throw new Error('there is no project');
    return project;
  };
  const GUIDE = expect.stringContaining('see deploy/guide/gitlab.md');

  it('says that a status holds nothing back where merges do not wait for pipelines', async () => {
    shop().pipelinesMustSucceed = false;
    const text = `${PROJECT}: merging does not wait for pipelines, so Fixpoint's status does not block it`;
    expect(await look(botOf({}).token)).toContainEqual(['warn', text, GUIDE]);
    shop().pipelinesMustSucceed = true;
  });

  it('says that skipped pipelines open the gate', async () => {
    shop().skippedPipelinesPass = true;
    expect(await look(botOf({}).token)).toContainEqual([
      'warn',
      expect.stringMatching(/a skipped pipeline counts as passed/),
      GUIDE,
    ]);
    shop().skippedPipelinesPass = false;
  });

  it.each([
    ['project_1_bot_0a1b', true],
    ['group_12_bot_ff', true],
    ['project_1_bot', true],
    ['project_1_bot2', true],
    ['fixpoint', false],
    ['my_project_1_bot_x', false],
  ])('knows whether %s is the account of one access token', (login, is) => {
    expect(DIALECTS.gitlab.accountNote(login).includes('rotate the token')).toBe(is);
  });

  it('asks nothing that GitLab does not know', () => {
    expect(gitlab.violations).toEqual([]);
  });
});

describe('the doctor of the gate', () => {
  const REPO = 'shop-team/gate';
  const BRANCH = 'release/1';
  let head = '';
  beforeAll(async () => {
    gitlab.createUser({ login: 'owner' });
    await gitlab.createProject(REPO);
    gitlab.addMember(REPO, 'owner', 50);
    gitlab.addProjectHook({ project: REPO, url: 'https://ci.example/webhooks/sim', token: 'x'.repeat(24) });
    const wish = { project: REPO, message: 'x', author: 'owner' };
    await gitlab.commitFiles({ ...wish, branch: 'main', files: { 'a.txt': 'a' } });
    head = await gitlab.commitFiles({ ...wish, branch: BRANCH, files: { 'b.txt': 'b' } });
    await gitlab.openMergeRequest({ project: REPO, sourceBranch: BRANCH, title: 'Release', author: 'owner' });
    gitlab.protectBranch({ project: REPO, pattern: 'release/*', push: 0, merge: 40 });
  });
  const fails = async (level: 30 | 40): Promise<readonly unknown[]> => {
    const { token } = gitlab.createProjectAccessToken(REPO, { level });
    const seen = await look(token, (toml) => toml.replace(`"${PROJECT}"`, `"${REPO}"`));
    return seen.filter(([found]) => found === 'fail');
  };

  it('GL1: names a protected source branch, and the rights that are needed', async () => {
    expect(await fails(30)).toEqual([
      [
        'fail',
        `${REPO}: the source branch ${BRANCH} is protected, and the bot may neither push nor merge to it, so it cannot set a status there`,
        'allow the bot to push or merge to the protected branch, or make it a Maintainer',
      ],
    ]);
    expect(await fails(40)).toEqual([]);
  });

  it('GL1: names a job of the project that is called like the status', async () => {
    const jobs = [{ name: 'fixpoint', state: 'success' }];
    await gitlab.addPipelineNow({ project: REPO, sha: head, ref: BRANCH, as: 'owner', jobs });
    expect(await fails(40)).toEqual([
      [
        'fail',
        `${REPO}: a CI job of !1 has the same name "fixpoint" as the bot's status, which therefore cannot be set`,
        'rename the job in .gitlab-ci.yml',
      ],
    ]);
  });
});
