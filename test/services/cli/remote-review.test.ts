/** `fixpoint review ADDRESS` on each kind of forge, without Redis and without a configuration file. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { FORGE_KINDS } from '../../support/fleet-forge.ts';
import { startWaysStage, type WaysStage } from '../../support/ways-stage.ts';
import { runCli } from './run-cli.ts';

const RUN_MS = 180_000;
const EVAL = 'export const run = (words) => eval(words);\n';
const CLEAN = 'export const one = 1;\n';
const TOKEN_ENV = { gitlab: 'GITLAB_TOKEN', forgejo: 'FORGEJO_TOKEN', gitea: 'GITEA_TOKEN' } as const;

/** What was written to the forge since: git reads its objects with a POST. */
const writesSince = ({ sim }: WaysStage, since: number): readonly string[] =>
  sim.requests
    .slice(since)
    .filter(({ method, path: asked }) => method !== 'GET' && !asked.includes('/git-upload-pack'))
    .map(({ method, path: asked }) => `${method} ${asked}`);

describe.each(FORGE_KINDS)('a change request on %s', (kind) => {
  let stage: WaysStage;

  beforeAll(async () => {
    stage = await startWaysStage({ kind });
  }, RUN_MS);
  afterAll(async () => stage?.close(), RUN_MS);

  test(
    'is reviewed and printed, and the forge gets nothing but questions',
    async () => {
      const number = await stage.open('printed', { 'src/run.js': EVAL });
      const since = stage.sim.requests.length;
      const output = await stage.review(stage.urlOf(number), { env: { FIXPOINT_MARKER_SECRET: undefined } });
      expect(output).toMatchObject({
        verdict: 'feedback',
        runner: 'rules',
        changeRequest: {
          projectId: stage.projectId,
          number,
          title: 'Change printed',
          review: 1,
          isNew: true,
          isPosted: false,
        },
        findings: [{ id: 'F-001', severity: 'P1', blocking: true, path: 'src/run.js', line: 1, evidence: EVAL.trim() }],
        coverage: { files: 1, reviewed: 1, complete: true },
      });
      expect(writesSince(stage, since)).toEqual([]);
      expect(stage.markers(number)).toEqual([]);
      expect(stage.look(number).headStatuses).toEqual({});
    },
    RUN_MS,
  );

  test(
    'is reviewed and posted once, and a second time nothing is written and no model is asked',
    async () => {
      const number = await stage.open('posted', { 'src/run.js': EVAL });
      const first = await stage.review(stage.urlOf(number), { post: true });
      expect(first).toMatchObject({ verdict: 'feedback', changeRequest: { review: 1, isNew: true, isPosted: true } });
      expect(stage.look(number).headStatuses).toEqual({ fixpoint: kind === 'gitlab' ? 'failed' : 'failure' });
      expect(
        stage
          .markers(number)
          .map(({ kind: said }) => said)
          .toSorted(),
      ).toEqual(['finding', 'summary']);
      const since = stage.sim.requests.length;
      const again = await stage.review(stage.urlOf(number), { post: true });
      expect(again).toMatchObject({ verdict: 'feedback', changeRequest: { review: 1, isNew: false, isPosted: true } });
      expect(again.findings.map(({ id, title, body }) => ({ id, title, body }))).toEqual(
        first.findings.map(({ id, title, body }) => ({ id, title, body })),
      );
      const printed = await stage.review(stage.urlOf(number));
      expect(printed.changeRequest).toEqual(again.changeRequest);
      expect(writesSince(stage, since).filter((line) => !line.startsWith('DELETE'))).toEqual([]);
    },
    RUN_MS,
  );

  test(
    'passes when nothing is found, and what was printed before does not count',
    async () => {
      const number = await stage.open('clean', { 'src/one.js': CLEAN });
      expect((await stage.review(stage.urlOf(number))).verdict).toBe('lgtm');
      expect(await stage.review(stage.urlOf(number), { post: true })).toMatchObject({
        verdict: 'lgtm',
        findings: [],
        changeRequest: { review: 1, isNew: true, isPosted: true },
      });
      expect(stage.look(number).headStatuses).toEqual({ fixpoint: 'success' });
    },
    RUN_MS,
  );

  test(
    'that cannot be reviewed gives one sentence, and nothing is written',
    async () => {
      const number = await stage.open('refused', { 'src/run.js': EVAL });
      const url = stage.urlOf(number);
      const name = TOKEN_ENV[kind];
      const wrong = randomBytes(20).toString('hex');
      const other =
        kind === 'gitlab'
          ? `${stage.sim.url}/${stage.repo}/pulls/1`
          : `${stage.sim.url}/${stage.repo}/-/merge_requests/1`;
      const since = stage.sim.requests.length;
      const cases: readonly [string, Parameters<WaysStage['review']>[1], RegExp][] = [
        [stage.urlOf(999), {}, /^there is no change request shop-team\/shop.999, or the token cannot read it$/],
        [url.replace('/shop/', '/other/'), {}, /^there is no project shop-team\/other, or the token cannot read it$/],
        [other, {}, /does not respond like/],
        [url, { env: { [name]: undefined } }, new RegExp(`set its token in ${name}, or name another variable`)],
        [url, { env: { [name]: wrong } }, new RegExp(`^${stage.sim.url} does not accept the token in ${name}$`)],
        [
          url,
          { post: true, env: { FIXPOINT_MARKER_SECRET: undefined } },
          /^posting needs FIXPOINT_MARKER_SECRET.*openssl rand -hex 32/,
        ],
        [url, { post: true, env: { FIXPOINT_MARKER_SECRET: 'short' } }, /FIXPOINT_MARKER_SECRET is too short/],
        [
          url,
          { post: true, env: { [name]: stage.tokens.read } },
          /^@fixpoint-reader has no write access to shop-team\/shop: /,
        ],
        [url, { base: 'main' }, /^--base: not allowed with a change request$/],
        [`main/${stage.projectId}/${number}`, {}, /pass --config FILE, or a URL$/],
        ['shop-team/shop#1', { repo: stage.folder }, /run this in a clone of the project, or give one of/],
      ];
      for (const [address, wish, words] of cases) {
        const refusal = stage.review(address, wish);
        await expect(refusal).rejects.toMatchObject({
          code: 'USAGE',
          message: expect.stringMatching(words),
        });
      }
      expect(writesSince(stage, since).filter((line) => !line.startsWith('DELETE'))).toEqual([]);
      expect(stage.markers(number)).toEqual([]);
    },
    RUN_MS,
  );

  test(
    'is not posted to by a second account: both are named',
    async () => {
      const number = await stage.open('accounts', { 'src/run.js': EVAL });
      await stage.review(stage.urlOf(number), { post: true });
      const said = stage.markers(number);
      const env = { [TOKEN_ENV[kind]]: await secondToken(stage) };
      await expect(stage.review(stage.urlOf(number), { post: true, env })).rejects.toMatchObject({
        code: 'USAGE',
        message: expect.stringMatching(
          /belongs to @second, but Fixpoint has written here as @fixpoint: post with a token of @fixpoint$/,
        ),
      });
      expect(stage.markers(number)).toEqual(said);
      // Reading is another matter: what was said is recognised.
      expect((await stage.review(stage.urlOf(number), { env })).changeRequest).toMatchObject({
        review: 1,
        isNew: false,
      });
    },
    RUN_MS,
  );

  test(
    'is found by every name of it',
    async () => {
      const number = await stage.open('named', { 'src/one.js': CLEAN });
      const file = path.join(stage.folder, 'server.toml');
      await writeFile(file, configOf(stage, kind));
      const env = { FIXPOINT_CONFIG: file, READ_TOKEN: stage.tokens.read, POST_TOKEN: stage.tokens.post };
      for (const name of [`main/${stage.projectId}/${number}`, `${stage.repo}#${number}`, stage.urlOf(number)])
        expect((await stage.review(name, { env })).changeRequest).toMatchObject({ forge: 'main', number, review: 1 });
    },
    RUN_MS,
  );
});

const secondToken = async ({ sim, repo }: WaysStage): Promise<string> => {
  const { token } = sim.createUser({ login: 'second' });
  if ('addCollaborator' in sim) sim.addCollaborator(repo, 'second', 'write');
  else sim.addMember(repo, 'second', 30);
  return token;
};

const configOf = ({ sim, repo }: WaysStage, kind: string): string => `
[[forge]]
id = "main"
kind = "${kind}"
base_url = "${sim.url}"
read_token_env = "READ_TOKEN"
post_token_env = "POST_TOKEN"
git_token_env = "READ_TOKEN"
webhook_secret_envs = ["HOOK_SECRET"]
projects = ["${repo}"]

[review]
runner = "rules"
`;

test(
  'the command prints to stdout, tells its steps on stderr, and exits by the verdict',
  async () => {
    const stage = await startWaysStage({ kind: 'forgejo' });
    try {
      const number = await stage.open('process', { 'src/run.js': EVAL });
      const env = {
        PATH: process.env['PATH'],
        FORGEJO_TOKEN: stage.tokens.post,
        FIXPOINT_MARKER_SECRET: stage.markerSecret,
      };
      const posted = await runCli(['review', stage.urlOf(number), '--post', '--format', 'json'], { env });
      expect({ code: posted.code, findings: JSON.parse(posted.stdout).findings.length }).toEqual({
        code: 1,
        findings: 1,
      });
      expect(posted.stderr).toMatch(/^(?:fixpoint: [^\n]+\n)+$/);
      expect(posted.stderr).toContain('reviewing (review 1, attempt 1)');
      const printed = await runCli(['review', stage.urlOf(number), '--quiet'], { env });
      expect(printed).toMatchObject({ code: 1, stderr: '' });
      expect(printed.stdout).toContain('F-001 High src/run.js:1');
      expect(printed.stdout).toContain(`Change process: review 1, posted before, see ${stage.urlOf(number)}`);
      const wrong = await runCli(['review', `${stage.urlOf(number)}9`], { env });
      expect(wrong).toMatchObject({ code: 2, stdout: '' });
      expect(wrong.stderr).toMatch(/^fixpoint: there is no change request [^\n]+\n$/);
      for (const { stdout, stderr } of [posted, printed, wrong]) stage.heard(stdout + stderr);
    } finally {
      await stage.close();
    }
  },
  RUN_MS,
);
