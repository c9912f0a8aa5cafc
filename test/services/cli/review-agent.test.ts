/** A local range reviewed by a model behind the simulated Messages API: verdicts, budgets, failures, exit codes. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { review } from '../../../services/cli/api.ts';
import { ReviewOutput } from '../../../services/cli/review/review-output.ts';
import { createRepository, type Repository, temporaryFolder } from '../../shared/workspace/repository.ts';
import { fail, reply, text, toolUse } from '../../sim/messages/reply.ts';
import { type ModelWorld, startModelWorld, WITHOUT_CAGE } from './model-world.ts';
import { runCli } from './run-cli.ts';
import { MANY_FILES } from '../../support/many-files.ts';

const RUN_MS = 60_000;

let folder: ReturnType<typeof temporaryFolder>;
let repository: Repository;
let world: ModelWorld;

beforeAll(async () => {
  world = await startModelWorld();
  folder = temporaryFolder();
  repository = createRepository(join(folder.path, 'repository'));
  repository.write({ 'README.md': '# Shop\n', 'src/price.js': 'export const price = 3;\n' });
  repository.commit('base');
  repository.git('branch', 'base');
});
afterAll(async () => {
  folder?.dispose();
  await world?.sim.close();
});

const branch = (name: string, files: Readonly<Record<string, string>>): string => {
  repository.git('checkout', '--quiet', '-B', name, 'base');
  repository.write(files);
  return repository.commit(name);
};

const CLEAN = { 'src/one.js': 'export const one = 1;\n' };
const BAD = { 'src/close.js': 'export const close = () => 1; // DEFECT(P1: forgets to close the file)\n' };
const EVAL = { 'src/run.js': 'export const run = (words) => eval(words);\n' };

type Wish = Partial<Parameters<typeof review>[0]>;

const reviewed = async (head: string, wish: Wish = {}): Promise<ReviewOutput> =>
  review({
    workspacePath: repository.workTree,
    base: 'base',
    head,
    apiKey: world.sim.apiKey,
    baseUrl: world.sim.url,
    configPath: WITHOUT_CAGE,
    ...wish,
  });

/** Explorers may not hand in. */
const explorations = () =>
  new Set(
    world.sim.requests
      .filter(({ request }) => !(request?.tools ?? []).some(({ name }) => name.startsWith('submit_')))
      .map(({ conversation }) => conversation),
  ).size;

describe('fixpoint review --runner agent', () => {
  test(
    'passes a change in which the model finds nothing, and says what it cost',
    async () => {
      world.reviews();
      const output = await reviewed(branch('clean', CLEAN));
      expect(output).toMatchObject({
        mode: 'change',
        verdict: 'lgtm',
        findings: [],
        unverified: [],
        coverage: { files: 1, reviewed: 1, complete: true },
        spent: { turns: 2, modelCalls: 2 },
      });
      expect(output.spent.costUsd).toBeGreaterThan(0);
    },
    RUN_MS,
  );

  test(
    'says what the model found and what only the rules found, each once',
    async () => {
      world.reviews();
      const output = await reviewed(branch('both', { ...BAD, ...EVAL }));
      expect(output.verdict).toBe('feedback');
      expect(output.findings.map(({ path, severity, line }) => `${path}:${line} ${severity}`).toSorted()).toEqual([
        'src/close.js:1 P1',
        'src/run.js:1 P1',
      ]);
    },
    RUN_MS,
  );

  test(
    'sends explorers through the same head and counts what they cost',
    async () => {
      world.reviews({ explore: ['Who calls close() of src/close.js, and how?', 'Which tests cover src/close.js?'] });
      const before = explorations();
      const output = await reviewed(branch('explored', { ...BAD, ...CLEAN, ...MANY_FILES }));
      expect(output.verdict).toBe('feedback');
      expect(explorations() - before).toBe(2);
      expect(output.spent.modelCalls).toBeGreaterThanOrEqual(2 + 2 * 3);
    },
    RUN_MS,
  );

  test(
    'is inconclusive when the money runs out, and keeps what the rules found',
    async () => {
      world.reviews();
      const output = await reviewed(branch('poor', EVAL), { budgetUsd: 0.01 });
      expect(output).toMatchObject({ verdict: 'inconclusive', findings: [{ path: 'src/run.js' }] });
      expect(output.summary).toContain('the budget of one run ($0.01) is used up');
      expect(output.coverage.complete).toBe(false);
    },
    RUN_MS,
  );

  test(
    'is inconclusive when the turns run out',
    async () => {
      world.says(() => reply([toolUse('Glob', { pattern: '*.js' })]));
      const output = await reviewed(branch('endless', CLEAN), { maxTurns: 2 });
      expect(output.verdict).toBe('inconclusive');
      expect(output.summary).toContain('reviewer_budget_exceeded');
    },
    RUN_MS,
  );

  test.each([
    ['prose', () => reply([text('Looks good to me!')]), 'could not be read as a review'],
    ['a refusal', () => ({ ...reply([]), stopReason: 'refusal' as const }), 'refused to review this code'],
  ])(
    'is inconclusive about %s, whatever it says, and keeps what the rules found',
    async (_name, script, words) => {
      world.says(script);
      const output = await reviewed(branch('prose', EVAL));
      expect(output).toMatchObject({ verdict: 'inconclusive', findings: [{ path: 'src/run.js' }] });
      expect(output.summary).toContain(words);
      expect(output.spent.modelCalls).toBeGreaterThan(0);
    },
    RUN_MS,
  );

  test(
    'lists a grave claim without evidence as unverified, and does not pass',
    async () => {
      const finding = {
        path: 'src/one.js',
        line: 1,
        severity: 'P0',
        title: 'A hole',
        body: 'It leaks.',
        evidence: 'no',
      };
      world.says(() => reply([toolUse('submit_review', { summary: 'Bad.', findings: [finding], not_reviewed: [] })]));
      const output = await reviewed(branch('unverified', CLEAN));
      expect(output).toMatchObject({
        verdict: 'inconclusive',
        findings: [],
        unverified: [{ path: 'src/one.js', severity: 'P0', title: 'A hole' }],
      });
    },
    RUN_MS,
  );

  test(
    'shows the provider no secret of the change, and never the key in the result',
    async () => {
      const secret = ['gh', 'p_', 'A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8'].join('');
      world.reviews();
      const output = await reviewed(branch('secret', { 'src/token.js': `export const token = '${secret}';\n` }));
      expect(output.verdict).toBe('feedback');
      expect(JSON.stringify(world.sim.requests)).not.toContain(secret);
      expect(JSON.stringify(output)).not.toContain(secret);
    },
    RUN_MS,
  );
});

const cli = async (head: string, more: readonly string[], env: Readonly<Record<string, string>> = world.env) =>
  runCli(['review', '--repo', repository.workTree, '--base', 'base', '--head', head, '--format', 'json', ...more], {
    env,
  });

describe('the command line', () => {
  test(
    'takes the model by itself where there is a key',
    async () => {
      world.reviews();
      const { code, stdout, stderr } = await cli(branch('auto', BAD), ['--config', WITHOUT_CAGE]);
      const output = ReviewOutput.parse(JSON.parse(stdout));
      expect({ code, calls: output.spent.modelCalls > 0 }).toEqual({ code: 1, calls: true });
      expect(stderr).toMatch(
        /fixpoint: sandbox\.backend is "none": Bash is disabled, and this process itself opens files for the model\n[^]*fixpoint: reviewing \w{10} against \w{10} with agent\n/,
      );
    },
    RUN_MS,
  );

  test(
    'falls back to the rules without a key, and says so',
    async () => {
      const { code, stderr } = await cli(branch('nokey', CLEAN), [], {});
      expect({ code, stderr }).toEqual({
        code: 0,
        stderr: expect.stringMatching(
          /^fixpoint: ANTHROPIC_API_KEY is not set: reviewing with the built-in rules only\n[^]*fixpoint: reviewing /m,
        ),
      });
    },
    RUN_MS,
  );

  test(
    'ends with 3 when a budget runs out',
    async () => {
      world.reviews();
      expect((await cli(branch('cheap', CLEAN), ['--budget-usd', '0.01'])).code).toBe(3);
    },
    RUN_MS,
  );

  test(
    'ends with 2 for a model without a price and prints nothing on stdout',
    async () => {
      const { code, stdout, stderr } = await cli('base', ['--model', 'house-model']);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(/the model house-model has no price.*--price house-model=INPUT/);
    },
    RUN_MS,
  );

  test(
    'F-C11: ends with 2 when the provider does not accept the key, without quoting it, and prints what the rules found',
    async () => {
      const key = 'a-key-of-somebody-else';
      const { code, stdout, stderr } = await cli(branch('key', EVAL), [], { ...world.env, ANTHROPIC_API_KEY: key });
      expect(code).toBe(2);
      const output = ReviewOutput.parse(JSON.parse(stdout));
      expect(output).toMatchObject({ verdict: 'inconclusive', findings: [{ path: 'src/run.js' }] });
      expect(output.summary).toContain('does not accept the key');
      expect(stdout).not.toContain(key);
      expect(stderr).toContain('does not accept the key');
      expect(stderr).not.toContain(key);
    },
    RUN_MS,
  );
});

test(
  'F-C11: prints what the rules found as text, too, when the provider refuses the request',
  async () => {
    world.says(() => fail(404));
    const { code, stdout, stderr } = await cli(branch('nomodel', EVAL), ['--format', 'text']);
    expect(code).toBe(2);
    expect(stdout).toMatch(/src\/run\.js:1[^]*inconclusive: /);
    expect(stderr).toContain('check that it knows the model');
  },
  RUN_MS,
);

test.each([
  [400, 'prompt is too long: 208310 tokens > 200000 maximum'],
  [413, 'Request size exceeds the maximum'],
] as const)(
  'F-C11: a %i of a first request that is too long is no mistake in the setup: %s',
  async (status, message) => {
    world.says(() => fail(status, { message }));
    const output = await reviewed(branch('long', EVAL));
    expect(output).toMatchObject({ verdict: 'inconclusive', findings: [{ path: 'src/run.js' }] });
    expect(output.summary).toContain('the context of the model');
    const { code, stderr } = await cli('long', ['--config', WITHOUT_CAGE]);
    expect(code).toBe(3);
    expect(stderr).not.toContain('check that it knows the model');
  },
  RUN_MS,
);

test(
  'F-C11: a request that is too long in mid-run is answered once it is shorter',
  async () => {
    world.reviews();
    const glob = reply([toolUse('Glob', { pattern: '*.js' })]);
    world.sim.script([glob, glob, glob, fail(400, { message: 'prompt is too long' })]);
    const output = await reviewed(branch('longer', BAD));
    expect(output).toMatchObject({ verdict: 'feedback', findings: [{ path: 'src/close.js' }] });
    expect(output.coverage.complete).toBe(true);
  },
  RUN_MS,
);

test(
  'asks a model of its own price',
  async () => {
    world.reviews();
    const prices = [{ model: 'claude-opus-5-5', inputUsd: 0, outputUsd: 0 }];
    const { spent } = await reviewed(branch('own', CLEAN), { model: 'claude-opus-5-5', prices });
    expect({ free: spent.costUsd, called: spent.modelCalls > 0 }).toEqual({ free: 0, called: true });
    expect(world.sim.requests.at(-1)?.request?.model).toBe('claude-opus-5-5');
  },
  RUN_MS,
);

test('nothing was asked of the model that no script foresaw', () => {
  expect(world.sim.violations).toEqual([]);
});
