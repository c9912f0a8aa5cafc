/** What a model asks for in a review on the command line happens in a cage where there is one, and else somebody is told. */
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { sandboxOf } from '../../../../services/cli/review/review-cage.ts';
import { reviewCodebase } from '../../../../services/cli/review/review-codebase.ts';
import { reviewLocal } from '../../../../services/cli/review/review-local.ts';
import { ReviewOutput } from '../../../../services/cli/review/review-output.ts';
import { UsageError } from '../../../../services/cli/terminal/usage-error.ts';
import { Sandbox } from '../../../../shared/config/sandbox-settings.ts';
import { findTestCage } from '../../../support/cage.ts';
import {
  createRepository,
  GIT,
  never,
  type Repository,
  temporaryFolder,
} from '../../../shared/workspace/repository.ts';
import { type ReplyBlock, reply, toolUse } from '../../../sim/messages/reply.ts';
import { modelOf, openCages, openCageStage, searchIn } from '../cage-stage.ts';
import { type ModelWorld, startModelWorld } from '../model-world.ts';
import { runCli } from '../run-cli.ts';
import { MANY_FILES } from '../../../support/many-files.ts';

const RUN_MS = 60_000;
const DEEP = process.env['FIXPOINT_DEEP'] === '1';
const { cage, why, dispose } = await findTestCage();
const stage = openCageStage();
const temporaryBefore = process.env['TMPDIR'];
const temporary = join(stage.folder, 'temporary');

let world: ModelWorld;
let folder: ReturnType<typeof temporaryFolder>;
let repository: Repository;

beforeAll(async () => {
  world = await startModelWorld();
  // Closed to every other account: its history is borrowed all the same.
  folder = temporaryFolder();
  repository = createRepository(join(folder.path, 'shop'));
  repository.write({ 'src/price.js': 'export const price = 3;\n' });
  repository.commit('the base');
  repository.git('branch', 'base');
  repository.write({ 'src/price.js': 'export const price = 4;\n', ...MANY_FILES });
  repository.commit('the change');
  mkdirSync(temporary);
  process.env['TMPDIR'] = temporary;
});
beforeEach(() => void stage.caged());
afterEach(() => {
  const left = { cages: openCages(), files: filesLeft() };
  if (left.cages > 0 || left.files.length > 0) throw new Error(`left behind: ${JSON.stringify(left)}`);
});
afterAll(async () => {
  delete process.env['TMPDIR'];
  if (temporaryBefore !== undefined) process.env['TMPDIR'] = temporaryBefore;
  await world?.sim.close();
  folder?.dispose();
  stage.dispose();
  dispose();
});

/** Beside what the loader of the command line keeps. */
const filesLeft = () => readdirSync(temporary).filter((name) => !name.startsWith('tsx-'));

type Role = 'reviewer' | 'explorer';
type Heard = { readonly tools: readonly string[]; readonly said: string };

/** Each makes its calls in its first turn and then ends. What it was offered and told at last is kept. */
const script = (calls: Partial<Record<Role, readonly ReplyBlock[]>>): Readonly<Record<Role, Heard>> => {
  const heard: Record<Role, Heard> = { reviewer: { tools: [], said: '' }, explorer: { tools: [], said: '' } };
  world.says((exchange) => {
    const tools = exchange.tools.map(({ name }) => name);
    const role = tools.includes('submit_review') ? 'reviewer' : 'explorer';
    heard[role] = { tools, said: exchange.heard.join('\n') };
    if (exchange.turn === 0) return reply([...(calls[role] ?? [])]);
    return role === 'reviewer' ? reply([SUBMIT]) : reply('Done.');
  });
  return heard;
};

const SUBMIT = toolUse('submit_review', { summary: 'Looked at it.', findings: [], not_reviewed: [] });
const READ = toolUse('Read', { path: 'src/price.js' });
const READ_MANY = Object.keys(MANY_FILES).map((path) => toolUse('Read', { path }));
const GREP = toolUse('Grep', { pattern: 'const price' });
const LOG = toolUse('Bash', { command: 'git log --oneline base..HEAD' });

const watching = { onProgress: () => {}, signal: never() };

const reviewIn = async (path: string, configPath?: string, reviewer = modelOf(world)) => {
  const { search, notices } = searchIn(path, configPath);
  const range = { directory: repository.workTree, base: 'base', head: 'HEAD', searchPath: dirname(GIT) };
  const output = await reviewLocal({ ...range, reviewer, cage: search, ...watching });
  return { verdict: output.verdict, notices };
};

const auditIn = async (path: string) => {
  const { search, notices } = searchIn(path);
  const reviewer = modelOf(world);
  if (reviewer.kind === 'claude-code') throw new Error('another reviewer');
  const output = await reviewCodebase({ directory: repository.workTree, reviewer, cage: search, ...watching });
  return { verdict: output.verdict, notices };
};

describe.skipIf(cage === null)(`a review where there is a cage${why}`, () => {
  test(
    'opens files and runs Bash inside of it, for the reviewer and for its explorers',
    async () => {
      const ask = toolUse('Agent', { question: 'What does src/price.js export?' });
      const heard = script({ reviewer: [READ, LOG, ask], explorer: [GREP, LOG] });
      expect(await reviewIn(stage.watchedPath)).toEqual({ verdict: 'lgtm', notices: [] });
      const { reviewer, explorer } = heard;
      // Calls of one turn run at the same time.
      expect(stage.caged().toSorted()).toEqual(['git', 'rg', 'the check', 'the file server']);
      expect([reviewer.tools.includes('Bash'), explorer.tools.includes('Bash')]).toEqual([true, true]);
      expect(reviewer.said).toContain('export const price = 4;');
      expect(explorer.said).toContain('src/price.js:1: export const price = 4;');
      for (const { said } of [reviewer, explorer]) {
        expect(said).toMatch(/ the change$/m);
        expect(said).not.toMatch(/ the base$/m);
      }
    },
    RUN_MS,
  );

  test(
    'opens the files of an audit inside of it, of a folder that is closed to others and whatever the umask',
    async () => {
      const heard = script({ reviewer: [READ, ...READ_MANY, GREP] });
      const before = process.umask(0o077);
      try {
        expect(await auditIn(stage.watchedPath)).toEqual({ verdict: 'lgtm', notices: [] });
      } finally {
        process.umask(before);
      }
      expect(stage.caged()).toEqual(['the check', 'the file server', 'rg']);
      expect(heard.reviewer.said).toContain('export const price = 4;');
      expect(heard.reviewer.tools).not.toContain('Bash');
    },
    RUN_MS,
  );

  test(
    'leaves nothing behind when it is interrupted in the middle of a call',
    async () => {
      const leaving = new AbortController();
      world.says(({ turn }) => {
        if (turn > 0) leaving.abort(new Error('interrupted'));
        return reply([READ, LOG]);
      });
      const { search } = searchIn(stage.watchedPath);
      const range = { directory: repository.workTree, base: 'base', head: 'HEAD', searchPath: dirname(GIT) };
      const review = { ...range, reviewer: modelOf(world), cage: search, ...watching, signal: leaving.signal };
      await expect(reviewLocal(review)).rejects.toThrow('interrupted');
      expect(stage.caged()).toEqual(['the check', 'the file server', 'git']);
    },
    RUN_MS,
  );
});

describe('a review that needs no cage', () => {
  test('looks for none, even where one is required', async () => {
    const required = stage.configure('required = true');
    const rules = { kind: 'rules' } as const;
    expect(await reviewIn(stage.watchedPath, required, rules)).toEqual({ verdict: 'lgtm', notices: [] });
    expect(await reviewIn(stage.emptyPath, required, rules)).toEqual({ verdict: 'lgtm', notices: [] });
    expect(stage.caged()).toEqual([]);
  });
});

const WITHOUT = 'Bash is disabled, and this process itself opens files for the model';
const NO_BWRAP = `no cage is available (bubblewrap (bwrap) is not installed): ${WITHOUT}`;

describe('a review without a cage', () => {
  test.each<[string, () => readonly [path: string, configPath?: string], string]>([
    ['where there is none', () => [stage.emptyPath], NO_BWRAP],
    [
      'where the operator wants none',
      () => [stage.watchedPath, stage.configure('backend = "none"')],
      `sandbox.backend is "none": ${WITHOUT}`,
    ],
  ])('goes on %s, without Bash, and says so', async (_name, where, notice) => {
    const ask = toolUse('Agent', { question: 'What does src/price.js export?' });
    const heard = script({ reviewer: [READ, LOG, ask], explorer: [GREP, LOG] });
    expect(await reviewIn(...where())).toEqual({ verdict: 'lgtm', notices: [notice] });
    expect(stage.caged()).toEqual([]);
    for (const { tools, said } of Object.values(heard)) {
      expect(tools).not.toContain('Bash');
      expect(said).toContain('there is no such tool');
    }
    expect(heard.reviewer.said).toContain('export const price = 4;');
  });

  test('audits a folder, and says what it goes without', async () => {
    script({ reviewer: [READ, ...READ_MANY] });
    expect(await auditIn(stage.emptyPath)).toEqual({ verdict: 'lgtm', notices: [NO_BWRAP] });
  });

  test.each([
    ['named by the caller', (file: string) => ({ args: ['--config', file], env: {} })],
    ['named by the environment', (file: string) => ({ args: [], env: { FIXPOINT_CONFIG: file } })],
  ])('does not begin where a configuration %s requires one', async (_name, name) => {
    const { args, env } = name(stage.configure('required = true'));
    const search = { configPath: args[1], env: { PATH: stage.emptyPath, ...env }, onNotice: () => {} };
    const before = world.sim.requests.length;
    const range = { directory: repository.workTree, base: 'base', head: 'HEAD', searchPath: dirname(GIT) };
    const review = reviewLocal({ ...range, reviewer: modelOf(world), cage: search, ...watching });
    await expect(review).rejects.toMatchObject({ code: 'CAGE_MISSING' });
    expect(world.sim.requests.length).toBe(before);
  });
});

describe('the command line', () => {
  const cli = async (...args: readonly string[]) =>
    runCli(['review', '--repo', repository.workTree, '--base', 'base', '--format', 'json', ...args], {
      env: { ...world.env, TMPDIR: temporary, PATH: stage.emptyPath },
    });

  test.runIf(DEEP)(
    'says in one line on standard error that there is no cage, and prints the review alone',
    async () => {
      script({ reviewer: [READ] });
      const { code, stdout, stderr } = await cli();
      expect(code).toBe(0);
      expect(stderr.startsWith(`fixpoint: ${NO_BWRAP}\n`)).toBe(true);
      expect(stderr.split(NO_BWRAP)).toHaveLength(2);
      expect(ReviewOutput.parse(JSON.parse(stdout)).notes).toEqual([]);
    },
    RUN_MS,
  );

  test(
    'ends with 2 where a cage is required and there is none',
    async () => {
      expect(await cli('--config', stage.configure('required = true'))).toEqual({
        code: 2,
        stdout: '',
        stderr: 'fixpoint: sandbox.required is set but no cage is available: bubblewrap (bwrap) is not installed\n',
      });
    },
    RUN_MS,
  );
});

describe('the sandbox of a review on the command line', () => {
  test('is not taken from a file that only lies in the working directory', () => {
    const before = process.cwd();
    const elsewhere = join(stage.folder, 'elsewhere');
    mkdirSync(elsewhere);
    writeFileSync(join(elsewhere, 'fixpoint.toml'), '[sandbox]\nbackend = "none"\n');
    process.chdir(elsewhere);
    try {
      expect(sandboxOf({ configPath: undefined, env: {} })).toEqual(Sandbox.parse({}));
      expect(() => sandboxOf({ configPath: 'fixpoint.toml', env: {} })).toThrow(UsageError);
    } finally {
      process.chdir(before);
    }
  });

  test('is that of the file that the caller names, before that of the environment', () => {
    const [named, other] = [stage.configure('max_processes = 40'), stage.configure('max_processes = 50')];
    expect(sandboxOf({ configPath: named, env: { FIXPOINT_CONFIG: other } }).maxProcesses).toBe(40);
    expect(sandboxOf({ configPath: undefined, env: { FIXPOINT_CONFIG: other } }).maxProcesses).toBe(50);
  });
});

test('nothing was asked of the model that no script foresaw', () => {
  expect(world.sim.violations).toEqual([]);
});
