/** The exit codes of `fixpoint loop`, by the real command line. What a slot does is tested in test/services/slots. */
import { execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { builtScript } from '../../../support/built.ts';
import { loop, type LoopOptions, lookOf, reportLines } from '../../../../services/cli/loop/loop.ts';

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

const start = (args: readonly string[], env: Readonly<Record<string, string>> = {}) => {
  const child = spawn(process.execPath, [script, 'loop', '--repo', root, ...args], {
    env: { ...process.env, XDG_CONFIG_HOME: join(root, 'no-config'), ...env },
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
const WORK = `[ -f b.txt ] || echo more > b.txt`;

it('ends with 0 when the task passes, and tells so', async () => {
  const command = agent(`${WORK}\n${PASS}`);
  const { code, stdout } = await start(['--task', 'Do it', '--review', '-c', command]).ended;
  expect(stdout).toContain('slot 1: task: REVIEW task\n');
  expect(stdout).toMatch(/task: passed\nno task is left\n$/);
  expect(code).toBe(0);
});

it('ends with 1 when an iteration fails', async () => {
  const command = agent('echo "looks good"');
  const { code, stdout } = await start(['--task', 'Do it', '--review', '-c', command]).ended;
  expect(stdout).toContain('task: failed: no verdict: there is no JSON object with a verdict');
  expect(code).toBe(1);
});

it('takes settings of the project, and a flag against them', async () => {
  const command = agent(`${WORK}\necho "looks good"`);
  execFileSync('mkdir', ['-p', join(root, '.fixpoint')]);
  writeFileSync(join(root, '.fixpoint', 'loop.toml'), `reviewEnabled = true\ncommand = ["${command}"]\n`);
  expect((await start(['--task', 'Do it']).ended).code).toBe(1);
  const { code, stdout } = await start(['--task', 'Do it', '--no-review']).ended;
  expect([code, stdout.includes('REVIEW')]).toEqual([0, false]);
});

it.each<[string, Partial<LoopOptions>, string]>([
  ['a number that is none', { task: 'x', reviewMaxFixAttempts: 'many' }, 'reviewMaxFixAttempts'],
  ['a prompt that is not there', { task: 'x', reviewerPromptPath: 'none.md' }, 'reviewer prompt not found'],
  ['two sources of tasks', { task: 'x', tasks: 'y' }, '--task, --tasks'],
  ['a task without words', { task: ' ' }, '--task: is empty'],
  ['a file of tasks that is not there', { tasks: 'none.md' }, 'none.md'],
  [
    'a bound for a task that is none of bd',
    { task: 'x', topLevelTask: 'fx-1' },
    '--top-level-task applies only to bd tasks',
  ],
  ['a mode for tasks that are none of bd', { tasks: 'y', taskMode: 'auto' }, '--task-mode applies only to bd tasks'],
  ['a folder that is not there', { task: 'x', repo: '/nowhere' }, '/nowhere does not exist'],
  ['a mode without its bound', { taskMode: 'top-level' }, 'topLevelTask: required for the task mode "top-level"'],
])('refuses %s before any agent begins', async (_, options, message) => {
  const command = agent('touch began');
  await expect(loop({ repo: root, command, ...options })).rejects.toThrow(message);
  expect(existsSync(join(root, '.fixpoint'))).toBe(false);
});

it('ends with 2 where the tasks of bd were asked for and cannot be had, and otherwise says loudly that there are none', async () => {
  writeFileSync(join(root, 'bd'), '#!/bin/sh\necho "no database" >&2; exit 1\n', { mode: 0o755 });
  const env = { PATH: `${root}:${process.env['PATH'] ?? ''}` };
  const command = agent("echo 'no_beads_available'");
  const strict = await start(['--task-source', 'bd', '-c', command], env).ended;
  expect([strict.code, strict.stderr]).toEqual([
    2,
    'fixpoint: no tasks from bd: bd ready failed with exit code 1: no database\n',
  ]);
  const loose = await start(['--bead-mode', 'top-level', '--top-level-task', 'fx-1', '-c', command], env).ended;
  expect(loose.stdout).toMatch(/^there is no task list: bd ready failed with exit code 1: no database; agents choose/);
  expect(loose.code).toBe(0);
});

it('tells once what ended equally, with the number', () => {
  const idle = { slot: 1, task: null, status: 'unchanged', failure: null, reason: null, fixAttempts: 0 } as const;
  const done = { ...idle, task: 'fx-1', status: 'passed', fixAttempts: 2 } as const;
  const slots = [idle, done, idle, idle].map((each, at) => ({ ...each, iteration: at + 1 }));
  expect(reportLines(slots)).toEqual(['no task: no changes (3 times)', 'fx-1: passed, 2 fixes']);
});

it('writes the built-in prompts and ends with 0; those that are there only where it is forced', async () => {
  mkdirSync(join(root, '.ai_agents', 'prompts'), { recursive: true });
  writeFileSync(join(root, '.ai_agents', 'prompts', 'reviewer.md'), 'mine');
  const lines = (developer: string, reviewer: string): string =>
    `.ai_agents/prompts/developer.md: ${developer}\n.ai_agents/prompts/reviewer.md: ${reviewer}\n`;
  const first = await start(['--init-prompts']).ended;
  expect([first.code, first.stdout]).toEqual([0, lines('written', 'kept')]);
  const second = await start(['--force-init-prompts']).ended;
  expect([second.code, second.stdout]).toEqual([0, lines('overwritten', 'overwritten')]);
  expect(existsSync(join(root, '.fixpoint'))).toBe(false);
});

it('takes the older name of the developer prompt, and shows raw lines where it is asked to', async () => {
  writeFileSync(join(root, 'older.md'), 'OLDER PROMPT');
  const command = join(root, 'first-line.sh');
  writeFileSync(command, '#!/bin/sh\nhead -n 1\necho more > b.txt\n', { mode: 0o755 });
  const { code, stdout } = await start(['--task', 'x', '-p', 'older.md', '--show-raw', '-c', command]).ended;
  expect([code, stdout.includes('slot 1 | OLDER PROMPT\n')]).toEqual([0, true]);
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

const TERMINAL = { isTTY: true };

it.each([
  ['a terminal', { view: 'auto', theme: 'default' }, {}, { view: 'auto', theme: 'default' }],
  ['NO_COLOR', { view: 'auto', theme: 'default' }, { NO_COLOR: '1' }, { view: 'auto', theme: 'mono' }],
  ['a dumb terminal', { view: 'auto', theme: 'default' }, { TERM: 'dumb' }, { view: 'lines', theme: 'mono' }],
  [
    'a dumb terminal and a named view',
    { view: 'ansi', theme: 'mono' },
    { TERM: 'dumb' },
    { view: 'ansi', theme: 'mono' },
  ],
] as const)('the loop looks as the environment wants it: %s', (_what, settings, env, look) => {
  expect(lookOf(settings, TERMINAL, env)).toEqual(look);
});
