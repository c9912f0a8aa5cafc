/** The exit codes of `fixpoint loop`, by the real command line. What a slot does is tested in test/services/slots. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { builtScript } from '../../support/built.ts';
import { loop, type LoopOptions } from '../../../services/cli/loop.ts';

let script = '';
beforeAll(async () => {
  script = await builtScript('services/cli/main.js');
});

let root = '';
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'fixpoint-loop-cli-'));
  const git = (...args: readonly string[]) => execFileSync('git', args, { cwd: root });
  git('init', '--quiet', '--initial-branch=main');
  git('config', 'user.name', 'Loop');
  git('config', 'user.email', 'loop@example.com');
  writeFileSync(join(root, 'a.txt'), 'one\n');
  git('add', '.');
  git('commit', '--quiet', '-m', 'begin');
});
afterEach(() => rmSync(root, { recursive: true, force: true }));

type Ended = { readonly code: number | null; readonly stdout: string; readonly stderr: string };

const start = (args: readonly string[]) => {
  const child = spawn(process.execPath, [script, 'loop', '--repo', root, ...args], {
    env: { ...process.env, XDG_CONFIG_HOME: join(root, 'no-config') },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk: Buffer) => {
    stdout += chunk.toString('utf8');
  });
  child.stderr.on('data', (chunk: Buffer) => {
    stderr += chunk.toString('utf8');
  });
  const ended = new Promise<Ended>((resolve) => child.once('close', (code) => resolve({ code, stdout, stderr })));
  return { child, ended };
};

const agent = (script: string): string => {
  writeFileSync(join(root, 'agent.sh'), `#!/bin/sh\ncat > /dev/null\n${script}\n`, { mode: 0o755 });
  return join(root, 'agent.sh');
};
const PASS = `echo '{"verdict": "pass", "followUpPrompt": "fine"}'`;

it('ends with 0 when the task passes, and tells so', async () => {
  const command = agent(PASS);
  const { code, stdout } = await start(['--task', 'Do it', '--review', '-c', command]).ended;
  expect(stdout).toContain('slot 1: task: REVIEW task\n');
  expect(stdout).toMatch(/task: passed\nthere is nothing left to do\n$/);
  expect(code).toBe(0);
});

it('ends with 1 when an iteration fails', async () => {
  const command = agent('echo "looks good"');
  const { code, stdout } = await start(['--task', 'Do it', '--review', '-c', command]).ended;
  expect(stdout).toContain('task: failed: no verdict: there is no JSON object with a verdict');
  expect(code).toBe(1);
});

it('takes settings of the project, and a flag against them', async () => {
  const command = agent('echo "looks good"');
  execFileSync('mkdir', ['-p', join(root, '.fixpoint')]);
  writeFileSync(join(root, '.fixpoint', 'loop.toml'), `reviewEnabled = true\ncommand = ["${command}"]\n`);
  expect((await start(['--task', 'Do it']).ended).code).toBe(1);
  const { code, stdout } = await start(['--task', 'Do it', '--no-review']).ended;
  expect([code, stdout.includes('REVIEW')]).toEqual([0, false]);
});

it.each<[string, Partial<LoopOptions>, string]>([
  ['a number that is none', { task: 'x', reviewMaxFixAttempts: 'many' }, 'reviewMaxFixAttempts'],
  ['a prompt that is not there', { task: 'x', reviewerPromptPath: 'none.md' }, 'no such reviewer prompt'],
  ['two sources of tasks', { task: 'x', tasks: 'y' }, '--task and --tasks'],
  ['a task without words', { task: ' ' }, '--task: is empty'],
  ['a file of tasks that is not there', { tasks: 'none.md' }, 'none.md'],
])('refuses %s before any agent begins', async (_, options, message) => {
  const command = agent('touch began');
  await expect(loop({ repo: root, command, ...options })).rejects.toThrow(message);
  expect(existsSync(join(root, '.fixpoint'))).toBe(false);
});

it('ends with 2 when a setting is refused', async () => {
  const { code, stderr } = await start(['--task', 'x', '-P', 'two']).ended;
  expect([code, stderr.includes('command line: parallel')]).toEqual([2, true]);
});

const SIGNALS = [
  ['SIGINT', 130],
  ['SIGTERM', 143],
  ['SIGHUP', 129],
] as const;

it.each(process.env['FIXPOINT_DEEP'] === '1' ? SIGNALS : SIGNALS.slice(0, 1))(
  'ends its agents and itself at %s, with %d, and keeps the work tree',
  async (signal, expected) => {
    const command = agent('echo $$ > pid; sleep 60 & wait');
    const { child, ended } = start(['--task', 'Do it', '-c', command]);
    const trees = join(root, '.fixpoint', 'loop', 'trees');
    const pid = (): string => {
      const [tree] = existsSync(trees) ? readdirSync(trees) : [];
      const file = join(trees, tree ?? '', 'pid');
      return tree !== undefined && existsSync(file) ? readFileSync(file, 'utf8').trim() : '';
    };
    await expect.poll(pid, { timeout: 20_000 }).not.toBe('');
    child.kill(signal);
    expect((await ended).code).toBe(expected);
    await expect.poll(() => existsSync(`/proc/${pid()}/cwd`), { timeout: 5_000 }).toBe(false);
    expect(readdirSync(trees)).toHaveLength(1);
  },
);
