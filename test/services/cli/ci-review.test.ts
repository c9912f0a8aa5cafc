/** `fixpoint ci` in the environment of each forge's runner, on a simulated forge. */
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { reviewJob } from '../../../services/cli/ci-review.ts';
import type { ReviewOutput } from '../../../services/cli/review/review-output.ts';
import { cloneFor, jobEnvOf, type JobEnv, openFromFork } from '../../support/ci-stage.ts';
import { FORGE_KINDS } from '../../support/fleet-forge.ts';
import { startWaysStage, type WaysStage } from '../../support/ways-stage.ts';
import { type MessagesSim, startMessagesSim } from '../../sim/messages/start.ts';
import { runCli } from './run-cli.ts';

const RUN_MS = 180_000;
const EVAL = 'export const run = (words) => eval(words);\n';
const DEBUGGER = 'export const stop = () => { debugger; };\n';
const CLEAN = 'export const one = 1;\n';

/** What was written to the forge since: git reads its objects with a POST. */
const writesSince = ({ sim }: WaysStage, since: number): readonly string[] =>
  sim.requests
    .slice(since)
    .filter(({ method, path: asked }) => method !== 'GET' && !asked.includes('/git-upload-pack'))
    .map(({ method, path: asked }) => `${method} ${asked}`);

describe.each(FORGE_KINDS)('a job on %s', (kind) => {
  let model: MessagesSim;
  let stage: WaysStage;

  beforeAll(async () => {
    model = await startMessagesSim();
    stage = await startWaysStage({ kind, model });
  }, RUN_MS);
  afterAll(async () => {
    await stage?.close();
    await model?.close();
  }, RUN_MS);

  const secrets = (): JobEnv => ({
    FIXPOINT_TOKEN: stage.tokens.post,
    FIXPOINT_MARKER_SECRET: stage.markerSecret,
    ANTHROPIC_API_KEY: model.apiKey,
    ANTHROPIC_BASE_URL: model.url,
  });

  type Wish = Partial<Parameters<typeof reviewJob>[0]>;

  const review = async (env: JobEnv, wish: Wish = {}): Promise<{ output: ReviewOutput; said: readonly string[] }> => {
    const said: string[] = [];
    const say = (line: string): void => {
      said.push(line);
      stage.heard(line);
    };
    const options = { runner: 'auto', tokenEnv: 'FIXPOINT_TOKEN', ...wish } as const;
    const around = { env, signal: AbortSignal.timeout(120_000), say, log: { write: stage.heard } };
    return { output: await reviewJob(options, around), said };
  };

  test(
    'posts once for each head, goes on with the rounds of the job before, and does not wait for its own pipeline',
    async () => {
      const number = await stage.open('own', { 'src/run.js': EVAL });
      const runs = async (): ReturnType<typeof review> =>
        review({ ...(await jobEnvOf(stage, { kind, number })), ...secrets() }, { runner: 'rules' });
      await occupy(stage, number);
      const first = await runs();
      expect(first.output).toMatchObject({
        verdict: 'feedback',
        changeRequest: { number, review: 1, isNew: true, isPosted: true },
      });
      const since = stage.sim.requests.length;
      expect((await runs()).output.changeRequest).toMatchObject({ review: 1, isNew: false });
      expect(writesSince(stage, since).filter((line) => !line.startsWith('DELETE'))).toEqual([]);

      await stage.push('own', { 'src/run.js': CLEAN });
      await occupy(stage, number);
      const second = await runs();
      expect(second.output).toMatchObject({
        verdict: 'lgtm',
        changeRequest: { review: 2, isNew: true, isPosted: true },
      });
      expect(stage.look(number).headStatuses['fixpoint']).toBe('success');
      expect(second.said).not.toContainEqual(expect.stringContaining('waiting for CI'));
    },
    RUN_MS,
  );

  test(
    'L1: of a fork with secrets calls no model and posts nothing unless that is allowed',
    async () => {
      const number = await openFromFork(stage, 'strange', { 'src/run.js': EVAL });
      const env = { ...(await jobEnvOf(stage, { kind, number })), ...secrets() };
      const [since, calls] = [stage.sim.requests.length, model.requests.length];
      const byUrl = { url: stage.urlOf(number) };
      for (const [what, wish] of [
        [env, {}],
        [env, { runner: 'agent' }],
        // Only the forge tells.
        [{ ...env, CI_MERGE_REQUEST_SOURCE_PROJECT_ID: `${stage.projectId}` }, byUrl],
        [{ PATH: process.env['PATH'], ...secrets() }, byUrl],
      ] as const satisfies readonly (readonly [JobEnv, Wish])[]) {
        const { output, said } = await review(what, wish);
        expect(output).toMatchObject({ runner: 'rules', verdict: 'feedback', changeRequest: { isPosted: false } });
        expect(said).toContainEqual(
          expect.stringMatching(/^the change request comes from a fork: .* nothing is posted/),
        );
      }
      expect(writesSince(stage, since)).toEqual([]);
      expect(model.requests).toHaveLength(calls);
      expect(stage.markers(number)).toEqual([]);

      const { output } = await review(env, { allowForks: true, runner: 'rules' });
      expect(output.changeRequest).toMatchObject({ review: 1, isPosted: true });
      expect(stage.markers(number)).not.toEqual([]);
    },
    RUN_MS,
  );

  test(
    'L1: of a fork without secrets reviews the clone, says why, and asks nobody',
    async () => {
      const number = await openFromFork(stage, 'poor', { 'src/stop.js': DEBUGGER, 'src/run.js': EVAL });
      const workspace = await cloneFor(stage, { kind, number });
      const env = {
        ...(await jobEnvOf(stage, { kind, number, workspace })),
        FIXPOINT_TOKEN: '',
        ANTHROPIC_API_KEY: '',
      };
      const since = stage.sim.requests.length;
      const { output, said } = await review(env, { allowForks: true });
      expect(output).toMatchObject({ runner: 'rules', verdict: 'feedback', coverage: { files: 2, reviewed: 2 } });
      expect(said[0]).toMatch(
        /^the change request comes from a fork and FIXPOINT_TOKEN is not set: .* nothing is posted$/,
      );
      expect(stage.sim.requests).toHaveLength(since);
    },
    RUN_MS,
  );

  test(
    'L1: of a fork without secrets and without the history names the line to add',
    async () => {
      const number = await openFromFork(stage, 'shallow', { 'src/run.js': EVAL });
      await stage.push('main', { 'README.md': `# Shop, ${kind}\n` });
      const workspace = await cloneFor(stage, { kind, number }, 1);
      const env = { ...(await jobEnvOf(stage, { kind, number, workspace })), FIXPOINT_TOKEN: undefined };
      await expect(review(env)).rejects.toMatchObject({
        code: 'USAGE',
        message: expect.stringMatching(/shallow.*; reviewing the checkout .* GIT_DEPTH: "0" .* fetch-depth: 0 /),
      });
    },
    RUN_MS,
  );

  test(
    'that lacks a token, a marker secret or the right account says so in one sentence',
    async () => {
      const number = await stage.open('refused', { 'src/run.js': EVAL });
      const env = { ...(await jobEnvOf(stage, { kind, number })), ...secrets() };
      const cases: readonly [JobEnv, RegExp][] = [
        [{ ...env, FIXPOINT_TOKEN: undefined }, /set its token in FIXPOINT_TOKEN$/],
        [{ ...env, FIXPOINT_MARKER_SECRET: '' }, /^posting needs FIXPOINT_MARKER_SECRET/],
        [{ ...env, FIXPOINT_TOKEN: stage.tokens.read }, /^@fixpoint-reader has no write access to shop-team\/shop: /],
      ];
      for (const [wrong, words] of cases)
        await expect(review(wrong, { runner: 'rules' })).rejects.toMatchObject({
          code: 'USAGE',
          message: expect.stringMatching(words),
        });
      expect(stage.markers(number)).toEqual([]);
      await review(env, { runner: 'rules' });
      const second = { ...env, FIXPOINT_TOKEN: secondToken(stage) };
      await stage.push('refused', { 'src/more.js': DEBUGGER });
      await expect(review(second, { runner: 'rules' })).rejects.toThrow(
        /belongs to @second, but Fixpoint has written here as @fixpoint: post with a token of @fixpoint$/,
      );
    },
    RUN_MS,
  );
});

/** The pipeline of the job itself has not ended. */
const occupy = async ({ sim, repo, look }: WaysStage, number: number): Promise<void> => {
  const sha = look(number).heads.at(-1) ?? '';
  if ('traits' in sim) await sim.setStatus({ repo, sha, context: 'fixpoint / review', state: 'pending', as: 'author' });
  else
    await sim.runPipeline({
      project: repo,
      sha,
      ref: `refs/merge-requests/${number}/head`,
      as: 'author',
      source: 'merge_request_event',
      status: 'running',
    });
};

const secondToken = ({ sim, repo }: WaysStage): string => {
  const { token } = sim.createUser({ login: 'second' });
  if ('addCollaborator' in sim) sim.addCollaborator(repo, 'second', 'write');
  else sim.addMember(repo, 'second', 30);
  return token;
};

describe('the command', () => {
  let stage: WaysStage;

  beforeAll(async () => {
    stage = await startWaysStage({ kind: 'gitlab' });
  }, RUN_MS);
  afterAll(async () => stage?.close(), RUN_MS);

  test(
    'L2: ends with a code of its own for a pass, findings, no verdict and a mistake, which --fail-on does not hide',
    async () => {
      const codes: Record<string, number | null> = {};
      const run = async (
        name: string,
        files: Readonly<Record<string, string>>,
        args: readonly string[],
        more: JobEnv = {},
      ) => {
        const number = await stage.open(name, files);
        const env = { ...(await jobEnvOf(stage, { kind: 'gitlab', number })), FIXPOINT_TOKEN: stage.tokens.post };
        const secret = { FIXPOINT_MARKER_SECRET: stage.markerSecret };
        const { code, stdout, stderr } = await runCli(['ci', ...args], { env: { ...env, ...secret, ...more } });
        stage.heard(stdout + stderr);
        codes[[name, ...args].join(' ')] = code;
      };
      await run('pass', { 'a.js': CLEAN }, []);
      await run('findings', { 'b.js': EVAL }, []);
      await run('allowed', { 'c.js': EVAL }, ['--fail-on', 'never']);
      await run('unknown', { 'd.swift': 'main()\n' }, []);
      await run('push', {}, ['--fail-on', 'never'], { CI_MERGE_REQUEST_IID: '' });
      await run('denied', {}, ['--fail-on', 'never'], { FIXPOINT_TOKEN: stage.tokens.read });
      await run('budget', {}, ['--budget-usd', 'much']);
      expect(codes).toEqual({
        pass: 0,
        findings: 1,
        'allowed --fail-on never': 0,
        unknown: 3,
        'push --fail-on never': 2,
        'denied --fail-on never': 2,
        'budget --budget-usd much': 2,
      });
    },
    2 * RUN_MS,
  );

  test(
    'a report that cannot be written takes neither the result nor the other reports away',
    async () => {
      const number = await stage.open('full', { 'f.js': EVAL });
      const env = {
        ...(await jobEnvOf(stage, { kind: 'gitlab', number })),
        FIXPOINT_TOKEN: stage.tokens.post,
        FIXPOINT_MARKER_SECRET: stage.markerSecret,
      };
      const summary = path.join(stage.folder, 'kept.md');
      const ended = await runCli(['ci', '--sarif', stage.folder, '--summary', summary], { env });
      stage.heard(ended.stdout + ended.stderr);
      expect(ended).toMatchObject({
        code: 2,
        stdout: expect.stringContaining('F-001 High f.js:1'),
        stderr: expect.stringContaining('the report cannot be written'),
      });
      expect(await readFile(summary, 'utf8')).toContain('## Fixpoint: Changes are needed');
    },
    RUN_MS,
  );

  test(
    'L3: prints no secret and writes none to a report, however much it tells',
    async () => {
      const number = await stage.open('telling', { 'e.js': EVAL });
      const at = (name: string): string => path.join(stage.folder, 'reports', name);
      const files = { '--code-quality': at('q.json'), '--sarif': at('s.sarif'), '--summary': at('m.md') };
      const env = {
        ...(await jobEnvOf(stage, { kind: 'gitlab', number })),
        FIXPOINT_TOKEN: stage.tokens.post,
        FIXPOINT_MARKER_SECRET: stage.markerSecret,
        DEBUG: '*',
      };
      const told = await runCli(['ci', '--verbose', ...Object.entries(files).flat()], { env });
      expect(told).toMatchObject({ code: 1, stdout: expect.stringContaining('F-001 High e.js:1') });
      // A crash: the forge does not answer.
      const broken = await runCli(['ci', '--verbose'], { env: { ...env, CI_SERVER_URL: 'http://127.0.0.1:9' } });
      expect(broken).toMatchObject({ code: 2, stderr: expect.stringContaining('http://127.0.0.1:9') });
      const reports = await Promise.all(Object.values(files).map(async (file) => readFile(file, 'utf8')));
      const all = [told.stdout, told.stderr, broken.stdout, broken.stderr, ...reports].join('\n');
      for (const secret of [stage.tokens.post, stage.tokens.read, stage.markerSecret])
        expect(all).not.toContain(secret);
      expect(JSON.parse(reports[0] ?? '')).toHaveLength(1);
    },
    RUN_MS,
  );
});
