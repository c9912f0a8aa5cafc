/** The templates in deploy/ci are what the forges read, and their lines do what they say. */
import { execFile, execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { z } from 'zod';
import { jobEnvOf, type JobEnv } from '../support/ci-stage.ts';
import { FORGE_KINDS } from '../support/fleet-forge.ts';
import { packedTarball } from '../support/packed.ts';
import { PROJECT_ROOT } from '../support/tracked-files.ts';
import { startWaysStage, type WaysStage } from '../support/ways-stage.ts';

const RUN_MS = 180_000;
const EVAL = 'export const run = (words) => eval(words);\n';

const template = async (name: string): Promise<string> => readFile(path.join(PROJECT_ROOT, 'deploy/ci', name), 'utf8');

const Header = z.object({ spec: z.object({ inputs: z.record(z.string(), z.object({ default: z.string() })) }) });
const Variables = z.record(z.string(), z.string());
const Pipeline = z.strictObject({
  fixpoint: z.strictObject({
    stage: z.string(),
    image: z.string(),
    rules: z.array(z.strictObject({ if: z.string(), variables: Variables.optional() })),
    variables: Variables,
    script: z.array(z.string()),
    artifacts: z.object({ reports: z.object({ codequality: z.string() }) }),
  }),
});

/** With the inputs filled in, as GitLab does before it reads the pipeline. */
const readGitlab = async (inputs: Readonly<Record<string, string>>) => {
  const text = await template('gitlab.yml');
  const header = Header.parse(parseAllDocuments(text)[0]?.toJS());
  const known = header.spec.inputs;
  const filled = text.replaceAll(/\$\[\[ inputs\.(\w+) \]\]/g, (_all, name: string) => {
    const value = inputs[name] ?? known[name]?.default;
    if (value === undefined) throw new Error(`no input ${name}`);
    return JSON.stringify(value);
  });
  const [, body] = parseAllDocuments(filled);
  return { inputs: known, job: Pipeline.parse(body?.toJS()).fixpoint };
};

const Step = z.strictObject({
  name: z.string(),
  if: z.string().optional(),
  uses: z.string().optional(),
  with: z.record(z.string(), z.unknown()).optional(),
  env: Variables.optional(),
  shell: z.literal('sh').optional(),
  run: z.string().optional(),
});
const Workflow = z.object({
  on: z.object({ pull_request: z.object({ types: z.array(z.string()) }) }),
  jobs: z.object({ review: z.object({ container: z.object({ image: z.string() }), steps: z.array(Step) }) }),
});

const Action = z.strictObject({
  name: z.string(),
  description: z.string(),
  inputs: z.record(z.string(), z.strictObject({ description: z.string(), default: z.string() })),
  runs: z.strictObject({ using: z.literal('composite'), steps: z.array(Step) }),
});

type Line = { readonly script: string; readonly env: JobEnv };

/** As the runner does: each expression is replaced by its value, empty when there is none. */
const readActions = async (values: Readonly<Record<string, string>>): Promise<readonly Line[]> => {
  const { steps } = Workflow.parse(parse(await template('forgejo.yml'))).jobs.review;
  return linesOf(steps, values);
};

/** As a job does that uses the action with these inputs; the others have their defaults. */
const readAction = async (inputs: Readonly<Record<string, string>>): Promise<readonly Line[]> => {
  const { inputs: known, runs } = Action.parse(parse(await template('action.yml')));
  const all = Object.entries(known).map(([name, { default: standard }]) => [
    `inputs.${name}`,
    inputs[name] ?? standard,
  ]);
  return linesOf(runs.steps, Object.fromEntries(all));
};

const linesOf = (
  steps: readonly z.output<typeof Step>[],
  values: Readonly<Record<string, string>>,
): readonly Line[] => {
  const fill = (text: string): string =>
    text.replaceAll(/\$\{\{ ([\w.]+) \}\}/g, (_all, name: string) => values[name] ?? '');
  return steps.flatMap(({ run, env = {} }) =>
    run === undefined
      ? []
      : [{ script: run, env: Object.fromEntries(Object.entries(env).map(([name, text]) => [name, fill(text)])) }],
  );
};

describe('the template', () => {
  it('of GitLab takes package and image as inputs, runs for merge requests alone, and clones for forks alone', async () => {
    const { inputs, job } = await readGitlab({ package: 'https://example.com/a b.tgz', image: 'own:1' });
    expect(Object.keys(inputs)).toEqual(['package', 'image', 'stage', 'fail_on']);
    expect(job).toMatchObject({ image: 'own:1', stage: 'test', variables: { GIT_STRATEGY: 'none' } });
    expect(job.variables['FIXPOINT_PACKAGE']).toBe('https://example.com/a b.tgz');
    expect(job.rules).toEqual([
      {
        if: '$CI_PIPELINE_SOURCE == "merge_request_event" && $CI_MERGE_REQUEST_SOURCE_PROJECT_ID != $CI_MERGE_REQUEST_PROJECT_ID',
        variables: { GIT_STRATEGY: 'clone', GIT_DEPTH: '0' },
      },
      { if: '$CI_PIPELINE_SOURCE == "merge_request_event"' },
    ]);
    expect(job.artifacts.reports.codequality).toBe('gl-code-quality-report.json');
  });

  it('of Actions runs for pull requests alone, clones for forks alone, and gives secrets to one step', async () => {
    const { on, jobs } = Workflow.parse(parse(await template('forgejo.yml')));
    expect(on.pull_request.types).toEqual(['opened', 'reopened', 'synchronize']);
    const [clone, install, review] = jobs.review.steps;
    expect(clone).toMatchObject({
      if: '${{ github.event.pull_request.head.repo.full_name != github.repository }}',
      with: { 'fetch-depth': 0, 'persist-credentials': false },
    });
    expect(JSON.stringify([clone, install])).not.toContain('secrets.');
    expect(Object.keys(review?.env ?? {})).toEqual(['FIXPOINT_TOKEN', 'FIXPOINT_MARKER_SECRET', 'ANTHROPIC_API_KEY']);
  });
});

const NPM_CACHE = execFileSync('npm', ['config', 'get', 'cache'], { encoding: 'utf8' }).trim();

it('the action takes everything as inputs, names a shell for each line, and reviews as the workflow does', async () => {
  const { inputs, runs } = Action.parse(parse(await template('action.yml')));
  expect(Object.keys(inputs)).toEqual(['package', 'token', 'marker_secret', 'anthropic_api_key', 'fail_on']);
  expect(inputs['fail_on']?.default).toBe('blocking');
  expect(runs.steps.map(({ shell }) => shell)).toEqual(['sh', 'sh']);
  const workflow = await readActions({});
  const action = await readAction({});
  expect(action[0]).toEqual(workflow[0]);
  expect(action[1]?.script).toBe('fixpoint ci --fail-on "$FIXPOINT_FAIL_ON"');
  expect(Object.keys(action[1]?.env ?? {})).toEqual([...Object.keys(workflow[1]?.env ?? {}), 'FIXPOINT_FAIL_ON']);
});

type Ended = { readonly code: number; readonly stdout: string; readonly stderr: string };

describe.each(FORGE_KINDS)('the lines of the template on %s', (kind) => {
  let stage: WaysStage;
  let folder = '';
  let packageFile = '';

  beforeAll(async () => {
    stage = await startWaysStage({ kind });
    folder = await mkdtemp(path.join(tmpdir(), 'fixpoint-ci-'));
    packageFile = await packedTarball();
  }, RUN_MS);
  afterAll(async () => {
    await stage?.close();
    await rm(folder, { recursive: true, force: true });
  }, RUN_MS);

  /** As in the image of a job: npm's own global folder, in which nothing is installed yet. */
  const machine = (): Readonly<Record<string, string>> => ({
    PATH: `${folder}/global/bin:${process.env['PATH'] ?? ''}`,
    npm_config_prefix: path.join(folder, 'global'),
    npm_config_cache: NPM_CACHE,
    npm_config_prefer_offline: 'true',
    npm_config_engine_strict: 'true',
  });

  const shell = async ({ script, env }: Line): Promise<Ended> =>
    new Promise((resolve) => {
      const own = { ...env, ...machine() };
      execFile('/bin/sh', ['-e', '-c', script], { cwd: folder, env: own, timeout: RUN_MS }, (error, stdout, stderr) => {
        stage.heard(stdout + stderr);
        resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr });
      });
    });

  const secrets = (): Readonly<Record<string, string>> => ({
    FIXPOINT_TOKEN: stage.tokens.post,
    FIXPOINT_MARKER_SECRET: stage.markerSecret,
  });

  const linesFor = async (env: JobEnv): Promise<readonly Line[]> => {
    if (kind === 'gitlab') {
      const { job } = await readGitlab({ package: packageFile });
      return job.script.map((script) => ({ script, env: { ...env, ...job.variables, ...secrets() } }));
    }
    if (kind === 'gitea') {
      const { FIXPOINT_TOKEN: token = '', FIXPOINT_MARKER_SECRET: markerSecret = '' } = secrets();
      const given = await readAction({ package: packageFile, token, marker_secret: markerSecret });
      return given.map((line) => ({ script: line.script, env: { ...env, ...line.env } }));
    }
    const own = Object.entries(secrets()).map(([name, value]) => [`secrets.${name}`, value] as const);
    const lines = await readActions({ 'vars.FIXPOINT_PACKAGE': packageFile, ...Object.fromEntries(own) });
    return lines.map((line) => ({ script: line.script, env: { ...env, ...line.env } }));
  };

  it(
    'install the package, post the review, and leave the reports',
    async () => {
      const number = await stage.open('template', { 'src/run.js': EVAL });
      const summary = path.join(folder, 'step-summary.md');
      const runner = kind === 'gitlab' ? {} : { GITHUB_STEP_SUMMARY: summary };
      const env = { ...(await jobEnvOf(stage, { kind, number, workspace: folder })), ...runner };
      const ended: Ended[] = [];
      for (const line of await linesFor(env)) ended.push(await shell(line));
      expect(ended).toMatchObject([
        { code: 0 },
        { code: 1, stdout: expect.stringContaining('F-001 High src/run.js:1') },
      ]);
      expect(existsSync(path.join(folder, 'global/lib/node_modules/fixpoint/package.json'))).toBe(true);
      expect(
        stage
          .markers(number)
          .map((marker) => marker.kind)
          .toSorted(),
      ).toEqual(['finding', 'summary']);
      const file = kind === 'gitlab' ? path.join(folder, 'fixpoint.md') : summary;
      expect(await readFile(file, 'utf8')).toMatch(/^## Fixpoint: Changes are needed/);
      if (kind === 'gitlab') {
        const quality = await readFile(path.join(folder, 'gl-code-quality-report.json'), 'utf8');
        expect(JSON.parse(quality)).toMatchObject([{ location: { path: 'src/run.js' } }]);
      }
    },
    RUN_MS,
  );

  it('install nothing where the image has the command', async () => {
    const env = { FIXPOINT_PACKAGE: '', PATH: '/nowhere' };
    const [install] = await linesFor({});
    const { code } = await new Promise<Pick<Ended, 'code'>>((resolve) => {
      execFile('/bin/sh', ['-e', '-c', install?.script ?? 'false'], { env }, (error) =>
        resolve({ code: error === null ? 0 : Number(error.code ?? -1) }),
      );
    });
    expect(code).toBe(0);
  });

  it(
    'outside of a change request fail with the line that is missing',
    async () => {
      const number = await stage.open('no-request', { 'src/two.js': EVAL });
      const env = await jobEnvOf(stage, { kind, number, workspace: folder });
      const file = path.join(folder, 'push.json');
      await writeFile(file, '{"ref":"refs/heads/main"}');
      const none = {
        CI_MERGE_REQUEST_IID: '',
        GITHUB_EVENT_PATH: file,
        FORGEJO_EVENT_PATH: kind === 'forgejo' ? file : '',
      };
      const review = (await linesFor({ ...env, ...none })).at(-1);
      if (review === undefined) throw new Error('the template has no line');
      expect(await shell(review)).toMatchObject({
        code: 2,
        stderr: expect.stringMatching(kind === 'gitlab' ? /merge_request_event"/ : /on: pull_request\n$/),
      });
      expect(stage.markers(number)).toEqual([]);
    },
    RUN_MS,
  );
});
