/** `fixpoint review --plan`, and the refusal of a review that does not fit its budget. */
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { review } from '../../../../services/cli/api.ts';
import { createRepository, type Repository, temporaryFolder } from '../../../shared/workspace/repository.ts';
import { runCli } from '../run-cli.ts';

const RUN_MS = 120_000;

const folder = temporaryFolder();
let repository: Repository;

const lines = (name: string): string =>
  Array.from({ length: 2_500 }, (_, at) => `export const ${name}${at} = (value) => value * ${at} + ${at * 31};\n`).join(
    '',
  );

beforeAll(() => {
  repository = createRepository(join(folder.path, 'repository'));
  repository.write({ 'README.md': '# Shop\n' });
  repository.commit('base');
  repository.git('branch', 'base');
  repository.write({
    'src/auth/login.js': lines('login'),
    'src/auth/session.js': 'export const one = 1;\n',
    'src/shop/cart.js': lines('cart'),
    'docs/a.md': '# A\n',
  });
  repository.commit('change');
});
afterAll(() => folder.dispose());

const plan = async (...args: readonly string[]) =>
  runCli(['review', '--plan', '--repo', repository.workTree, '--base', 'base', ...args]);

describe('--plan', () => {
  test(
    'prints the parts with their price, without a key and without a call',
    async () => {
      const { code, stdout } = await plan();
      expect(code).toBe(0);
      expect(stdout).toMatch(/^4 files with 5,002 changed lines in 2 parts, estimated for claude-sonnet-5-5:$/m);
      expect(stdout).toMatch(/^ +1 +\d +2,50\d +1\d\d,\d{3} +\$0\.\d\d +.*src\/auth\//m);
      expect(stdout).toContain('It fits the budget of 3,000,000 tokens and $5.00.');
    },
    RUN_MS,
  );

  test(
    'says by how much the budget is too small, and what to set',
    async () => {
      const { code, stdout } = await plan('--budget-tokens', '300000');
      expect(code).toBe(2);
      expect(stdout).toMatch(
        /the budget is 300,000 tokens and \$5\.00, so 1 part would be left out: set --budget-tokens \d+0000, or review some files with --path/,
      );
      expect(stdout).toContain('(does not fit)');
    },
    RUN_MS,
  );

  test(
    'plans only the files that match --path, and prints JSON',
    async () => {
      const { code, stdout } = await plan('--path', 'docs/**', '--format', 'json');
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toEqual({
        parts: [
          {
            part: 1,
            files: ['docs/a.md'],
            changedLines: 1,
            tokens: expect.any(Number),
            costUsd: expect.any(Number),
            fits: true,
          },
        ],
      });
    },
    RUN_MS,
  );
});

describe('--plan without a plan', () => {
  test.each([
    [['--format', 'sarif'], '--plan: not allowed with --format sarif; expected text or json'],
    [['--runner', 'rules'], '--plan: not allowed with --runner rules, whose reviews have no parts'],
    [['--runner', 'claude-code'], '--plan: not allowed with --runner claude-code, whose reviews have no parts'],
  ])(
    'refuses %j',
    async (args, words) => {
      const { code, stdout, stderr } = await plan(...args);
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toContain(words);
    },
    RUN_MS,
  );

  test.each([
    ['text', 'Nothing to review: HEAD and HEAD are the same commit.\n'],
    ['json', '{\n  "parts": [],\n  "nothing": "Nothing to review: HEAD and HEAD are the same commit."\n}\n'],
  ])(
    'says as %s that there is nothing to review, like a review',
    async (format, expected) => {
      const { code, stdout } = await plan('--base', 'HEAD', '--format', format);
      expect({ code, stdout }).toEqual({ code: 3, stdout: expected });
    },
    RUN_MS,
  );
});

test(
  'a plan for a model of a named server shows the name that was typed',
  async () => {
    const server = ['--provider', 'openai', '--base-url', 'http://127.0.0.1:1/v1'];
    const { stdout } = await plan(...server, '--model', 'qwen3', '--price', 'qwen3=0/0');
    expect(stdout).toMatch(/, estimated for qwen3:$/m);
  },
  RUN_MS,
);

test('a review that does not fit the budget is refused before a model is called', async () => {
  const refused = review({
    workspacePath: repository.workTree,
    base: 'base',
    apiKey: 'sk-of-a-call-that-is-not-made',
    baseUrl: 'http://127.0.0.1:1',
    budgetTokens: 300_000,
    runner: 'agent',
  });
  await expect(refused).rejects.toMatchObject({
    code: 'USAGE',
    message: expect.stringMatching(
      /^The review needs .*--budget-tokens \d+.*`fixpoint review --plan` shows the parts$/,
    ),
  });
});
