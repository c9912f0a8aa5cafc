import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { boundInputOf } from '../../../services/cli/bound.ts';
import { loadConfig } from '../../../shared/config/load.ts';
import { boundOf } from '../../../shared/rounds/bound/bound.ts';
import { temporaryFolder } from '../../shared/workspace/repository.ts';
import { ROOT, runCli } from './run-cli.ts';

const FORGE = `
[[forge]]
id = "main"
kind = "gitea"
base_url = "https://gitea.example.com"
token_env = "TOKEN"
webhook_secret_envs = ["HOOK"]
projects = ["a/b"]`;

/** Under load a process takes seconds to start. */
const RUN_MS = 90_000;

let folder: ReturnType<typeof temporaryFolder>;
let file = '';

beforeAll(async () => {
  folder = temporaryFolder();
  file = join(folder.path, 'fixpoint.toml');
  await writeFile(file, `[rounds]\nmax = 2\nmax_runs = 5\n${FORGE}`);
});

afterAll(() => folder?.dispose());

const boundFor = (settings: string) => {
  const loaded = loadConfig({ text: `${settings}\n${FORGE}`, env: {}, needs: [] });
  if (!loaded.ok) throw new Error(loaded.problems.join('\n'));
  return boundOf(boundInputOf(loaded.config)).changeRequest;
};

describe('fixpoint bound', () => {
  it(
    'prints the numbers without any secret',
    async () => {
      const { code, stdout, stderr } = await runCli(['bound', '--config', file]);
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      expect(stdout).toMatch(/^reviews +54 +rounds\.max_runs/m);
      expect(stdout).toContain('without a model key no model is called');
    },
    RUN_MS,
  );

  it(
    'prints them for a program',
    async () => {
      const { code, stdout } = await runCli(['bound', '--config', file, '--format', 'json']);
      expect(code).toBe(0);
      expect(JSON.parse(stdout)).toMatchObject({
        thread: { cycles: 3 },
        changeRequest: { rounds: 2, reviews: 54, runs: 104, fixes: 0 },
      });
    },
    RUN_MS,
  );

  it(
    'counts the sections of a project that is named, and says that it does not when none is',
    async () => {
      const path = join(folder.path, 'sections.toml');
      const section = '[[project]]\nmatch = ["a/b"]\nrounds = { max = 4 }\n';
      await writeFile(path, `[rounds]\nmax = 2\nmax_runs = 5\n${FORGE}\n${section}`);
      const rounds = async (...args: readonly string[]) => {
        const { stdout } = await runCli(['bound', ...args, '--config', path, '--format', 'json']);
        return JSON.parse(stdout).changeRequest.rounds;
      };
      expect([await rounds(), await rounds('a/b')]).toEqual([2, 4]);
      const [all, one] = [await runCli(['bound', '--config', path]), await runCli(['bound', 'a/b', '--config', path])];
      expect(all.stdout).toContain('The [[project]] sections do not count here');
      expect(one.stdout).not.toContain('[[project]]');
      expect(await runCli(['bound', 'x/y', '--config', path])).toMatchObject({ code: 2 });
    },
    RUN_MS,
  );

  it.each([
    ['a format that it does not know', ['--format', 'xml'], '--format: expected text or json'],
    ['a configuration that is not there', ['--config', join(ROOT, 'nowhere.toml')], 'cannot be read'],
  ])(
    'refuses %s',
    async (_name, args, message) => {
      const { code, stderr } = await runCli(['bound', '--config', file, ...args]);
      expect(code).toBe(2);
      expect(stderr).toContain(message);
    },
    RUN_MS,
  );

  it('counts the time of the validation commands, for a run once and for a fix twice', () => {
    const times =
      '[agent.reviewer]\nmax_runtime_s = 100\n[author]\nenabled = true\ncommand = ["/opt/fix"]\nmax_runtime_s = 50';
    const commands = '{ name = "a", command = ["/a"], timeout_s = 7 }, { name = "b", command = ["/b"], timeout_s = 3 }';
    expect(boundFor(times).wallSeconds).toBe(111 * 100 + 2 * 50);
    expect(boundFor(`${times}\n[validation]\ncommand = [${commands}]`).wallSeconds).toBe(111 * 110 + 2 * 70);
  });

  it('counts tries and executions as they are set in the code', () => {
    // 12 + 50 - 1 reviews; 12 parts with 8 + 2 + 1 calls in 3 executions, 4 explorers with 32 + 2 + 1 in 2, 4 finders with
    // 8 + 2 + 1, 12 verifiers with 6 + 2 + 1; each call tried 4 times
    expect(boundFor('').modelCalls).toBe(61 * 4 * (12 * (11 + 2) + 4 * (35 + 1) + 4 * (11 + 1) + 12 * (9 + 1)));
  });

  it.each([
    ['only rules review', '[review]\nrunner = "rules"', 0],
    [
      'rules review and a model fixes',
      '[review]\nrunner = "rules"\n[author]\nenabled = true\nagent = "agent"',
      2 * 4 * 35 * 2,
    ],
    [
      'the CLI reviews: no explorers, three tries, and from the beginning in every execution',
      '[review]\nrunner = "claude-code"\n[agent.claude_code]\ncommand = "/opt/claude"',
      61 * 3 * (8 + 2 * 3 + 3 * 2) * 3,
    ],
    [
      'rules review and the CLI fixes: three tries, no last call',
      '[review]\nrunner = "rules"\n[author]\nenabled = true\nagent = "claude-code"\n[agent.claude_code]\ncommand = "/opt/claude"',
      2 * 3 * (32 + 2 * 3) * 2,
    ],
    ['explorers are off', '[agent]\nmax_explorers = 0', 61 * 4 * (12 * 13 + 4 * 12 + 12 * 10)],
    ['finders and verifiers are off', '[review]\nfinders = false\nverify = false', 61 * 4 * (12 * 13 + 4 * 36)],
    ['one claim is verified', '[review]\nfinders = false\n[agent]\nverify_max = 1', 61 * 4 * (12 * 13 + 4 * 36 + 10)],
    [
      'no change is divided',
      '[review]\nfinders = false\nverify = false\n[agent]\nmax_parts = 1',
      61 * 4 * (13 + 4 * 36),
    ],
  ])('counts calls where %s', (_name, settings, expected) => {
    expect(boundFor(settings).modelCalls).toBe(expected);
  });
});
