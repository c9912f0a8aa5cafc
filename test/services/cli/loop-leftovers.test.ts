/** What the last lines of `fixpoint loop` say is left, by the real command line, and whose variables its children get. */
import { execFileSync, execSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { builtScript } from '../../support/built.ts';

/** Each starts programs, on a machine that may have other work. */
vi.setConfig({ testTimeout: 90_000, hookTimeout: 180_000 });

let script = '';
beforeAll(async () => {
  script = await builtScript('services/cli/main.js');
});

let folder = '';
let root = '';
const git = (...args: readonly string[]): string => execFileSync('git', args, { cwd: root, encoding: 'utf8' }).trim();
const create = (path: string): void => {
  mkdirSync(path);
  const run = (...args: readonly string[]) => execFileSync('git', args, { cwd: path });
  run('init', '--quiet', '--initial-branch=main');
  run('config', 'user.name', 'Loop');
  run('config', 'user.email', 'loop@example.com');
  writeFileSync(join(path, 'a.txt'), 'one\n');
  run('add', '.');
  run('commit', '--quiet', '-m', 'begin');
};
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'fixpoint-loop-left-'));
  root = join(folder, "a repository's");
  create(root);
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

const program = (name: string, text: string): string => {
  writeFileSync(join(folder, name), `#!/bin/sh\n${text}\n`, { mode: 0o755 });
  return join(folder, name);
};

const run = async (text: string, args: readonly string[] = [], env: Record<string, string> = {}): Promise<Ended> => {
  const command = program('agent.sh', `cat > /dev/null\n${text}`);
  const child = spawn(process.execPath, [script, 'loop', '--repo', root, '--task', '#12 fix', '-c', command, ...args], {
    env: { ...process.env, XDG_CONFIG_HOME: join(folder, 'no-config'), ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const said = { stdout: '', stderr: '' };
  child.stdout.on('data', (chunk: Buffer) => (said.stdout += chunk.toString('utf8')));
  child.stderr.on('data', (chunk: Buffer) => (said.stderr += chunk.toString('utf8')));
  return new Promise((resolve) => child.once('close', (code) => resolve({ code, ...said })));
};

/** Runs what the last line says, and looks whether anything is left. */
const removeAsSaid = (stdout: string): void => {
  const [, command = ''] =
    /^left over: .*; remove it with: (.*)$/.exec(stdout.trimEnd().split('\n').at(-1) ?? '') ?? [];
  expect(command).not.toBe('');
  execSync(command, { stdio: 'ignore' });
  expect([git('worktree', 'list').split('\n').length, git('branch', '--format=%(refname:short)')]).toEqual([1, 'main']);
};

it.each([
  ['a task that failed', 'echo more > b.txt; exit 7', 1],
  ['a task that left ignored files', 'echo x > x.log; echo more > b.txt', 0],
  ['a tree that its agent locked', 'echo more > b.txt; git worktree lock .', 0],
  ['a tree that its agent deleted', 'echo b > b.txt; git add .; git commit -qm b; rm -rf "$PWD"', 1],
  ['a tree that its agent made a repository', 'rm .git; git init -q; echo more > b.txt', 1],
])('F-B10: the last line removes what is left of %s', async (_, agent, code) => {
  writeFileSync(join(root, '.git', 'info', 'exclude'), '*.log\n');
  const ended = await run(agent);
  expect(ended.code).toBe(code);
  removeAsSaid(ended.stdout);
});

it('F-B10: the last line removes what a hook left that failed', async () => {
  writeFileSync(join(root, '.git', 'hooks', 'post-checkout'), '#!/bin/sh\nexit 1\n', { mode: 0o755 });
  const ended = await run('true');
  expect(ended.code).toBe(1);
  removeAsSaid(ended.stdout);
});

it('F-B10: nothing is said to be left where nothing is', async () => {
  expect((await run('echo more > b.txt')).stdout).not.toContain('left over');
});

it('F-B9: the subject of a task is kept, whatever marks a comment', async () => {
  git('config', 'commit.cleanup', 'strip');
  await run('echo more > b.txt');
  expect(git('log', '-1', '--format=%s')).toBe('#12 fix');
});

it('F-A12: nothing was changed is an outcome of its own, also where the reviewer passes', async () => {
  const ended = await run(`echo '{"verdict": "pass", "followUpPrompt": "fine"}'`, ['--review']);
  expect([ended.code, ended.stdout.includes('passed')]).toEqual([3, false]);
  expect(ended.stdout).toMatch(/\ntask: no changes\nno task is left\n$/);
});

it('F-B4: works on its own repository where git has set its variables for another one', async () => {
  const other = join(folder, 'other');
  create(other);
  const head = execFileSync('git', ['rev-parse', 'HEAD'], { cwd: other, encoding: 'utf8' });
  const env = {
    GIT_DIR: join(other, '.git'),
    GIT_WORK_TREE: other,
    GIT_INDEX_FILE: join(other, '.git', 'index'),
    GIT_COMMON_DIR: join(other, '.git'),
    GIT_OBJECT_DIRECTORY: join(other, '.git', 'objects'),
    GIT_PREFIX: 'x/',
    GIT_CONFIG_COUNT: '1',
    GIT_CONFIG_KEY_0: 'core.bare',
    GIT_CONFIG_VALUE_0: 'true',
    GIT_LITERAL_PATHSPECS: '1',
  };
  const agent = `env | grep ^GIT_ > '${folder}/variables'; git rm -q a.txt; echo b > b.txt; git add b.txt; git commit -qm b`;
  const ended = await run(agent, [], env);
  expect([ended.code, ended.stderr]).toEqual([0, '']);
  expect(git('ls-tree', '--name-only', 'main')).toBe('b.txt');
  expect(execFileSync('git', ['rev-parse', 'HEAD'], { cwd: other, encoding: 'utf8' })).toBe(head);
  expect(existsSync(join(other, 'a.txt'))).toBe(true);
  const names = readFileSync(join(folder, 'variables'), 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split('=')[0]);
  expect(names.filter((name) => name !== undefined && name in env)).toEqual([]);
});

it('F-B4: bd gets no variables of git either', async () => {
  program('bd', `env | grep ^GIT_DIR= > '${folder}/bd-variables'; echo '[]'`);
  const child = spawn(process.execPath, [script, 'loop', '--repo', root, '-c', 'true'], {
    env: {
      ...process.env,
      XDG_CONFIG_HOME: join(folder, 'no-config'),
      PATH: `${folder}:${process.env['PATH'] ?? ''}`,
      GIT_DIR: '/nowhere',
    },
    stdio: 'ignore',
  });
  await new Promise((resolve) => child.once('close', resolve));
  expect(readFileSync(join(folder, 'bd-variables'), 'utf8')).toBe('');
});
