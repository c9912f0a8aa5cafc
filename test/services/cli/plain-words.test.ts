/** F-F17: what a person may mistype is answered in words, with exit code 2 and no trace. */
import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { builtScript } from '../../support/built.ts';
import { ROOT, runCli } from './run-cli.ts';

const RUN_MS = 60_000;
const folder = mkdtempSync(path.join(tmpdir(), 'fixpoint-words-'));
let script: string;
beforeAll(async () => {
  script = await builtScript('services/cli/main.js');
}, 240_000);
afterAll(() => rmSync(folder, { recursive: true }));

const KEY = { ANTHROPIC_API_KEY: 'x'.repeat(20) };
const RAW = /^\s+at |ENOENT|EISDIR|Error:|\{\s*"|Too small|Invalid input/m;

describe('F-F17', () => {
  test.each([
    [['diff-inspect', 'no-such-file'], /no-such-file cannot be read: file not found/],
    [['diff-inspect', folder], /cannot be read: it is a folder/],
    [['diff-inspect'], /missing required argument/],
    [
      ['review', '--repo', ROOT, '--base', 'HEAD', '--runner', 'agent', '--budget-usd', '0.0001'],
      /the budget in dollars: expected at least 0\.01/,
    ],
    [
      ['review', '--repo', ROOT, '--base', 'HEAD', '--runner', 'agent', '--max-turns', '0'],
      /the number of turns: expected at least 1/,
    ],
    [['review', '--repo', ROOT, '--base', 'HEAD', '--budget-usd', 'much'], /expected a number/],
    [['review', '--repo', path.join(folder, 'none'), '--base', 'HEAD'], /none does not exist/],
    [['review', '--mode', 'codebase', '--path', path.join(folder, 'none')], /does not exist/],
    [['review', '--no-such-option'], /unknown option/],
    [['no-such-command'], /unknown command/],
    [['status', 'x'], /"x" names no change request; expected .*FORGE\/PROJECT_ID\/N$/m],
  ])(
    '%j is answered in words',
    async (args, words) => {
      const { code, stdout, stderr } = await runCli(args, { env: KEY });
      expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
      expect(stderr).toMatch(words);
      expect(stderr).not.toMatch(RAW);
    },
    RUN_MS,
  );

  test(
    'a reader who closes the output ends the command quietly',
    () => {
      const diff = path.join(folder, 'large.diff');
      const lines = Array.from({ length: 20_000 }, (_, index) => `+line ${index}`).join('\n');
      writeFileSync(diff, `--- a/x\n+++ b/x\n@@ -0,0 +1,20000 @@\n${lines}\n`);
      const piped = spawnSync('/bin/sh', [
        '-c',
        `"$0" "$1" diff-inspect "$2" | head -c 10`,
        process.execPath,
        script,
        diff,
      ]);
      expect({ out: piped.stdout.length, err: piped.stderr.toString('utf8') }).toEqual({ out: 10, err: '' });
    },
    RUN_MS,
  );

  test(
    'npm run demo -- --help, and an unknown option of it',
    () => {
      const run = (...args: readonly string[]) =>
        spawnSync(process.execPath, ['--import', 'tsx', 'test/sim/demo/main.ts', ...args], {
          cwd: ROOT,
          encoding: 'utf8',
        });
      const help = run('--help');
      expect({ code: help.status, err: help.stderr }).toEqual({ code: 0, err: '' });
      expect(help.stdout).toContain('--forge');
      const unknown = run('--frob');
      expect(unknown.status).toBe(2);
      expect(unknown.stderr).toMatch(/Unknown option '--frob'/);
      expect(unknown.stderr).not.toMatch(/^\s+at /m);
    },
    RUN_MS,
  );
});
