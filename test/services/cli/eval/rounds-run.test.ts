/** `fixpoint eval` on change requests with several pushes, as processes: loaded, reviewed by the rules, reported and compared. */
import { readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { parseCases, printCases } from '../../../../shared/eval/parse-cases.ts';
import { EvalResult, resultName } from '../../../../shared/eval/result.ts';
import { evalCase, roundsCase } from '../../../shared/eval/cases.ts';
import { temporaryFolder } from '../../../shared/workspace/repository.ts';
import { runCli } from '../run-cli.ts';

const RUN_MS = 120_000;

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => void (folder = temporaryFolder()));
afterEach(() => folder.dispose());

const at = (...names: readonly string[]): string => join(folder.path, ...names);

const evaluate = async (...args: readonly string[]) => runCli(['eval', ...args]);

const EVAL = 'export const run = (text) => eval(text);\n';
const SAFE = 'export const run = (text) => text.trim();\n';
const DEFECTS = { a: { severity: 'P1', text: 'The text is run as code.' } };

const push = (path: string, text: string | null, isOpen: boolean) => ({
  files: [{ path, text }],
  open: isOpen ? [{ id: 'a', path: 'a.js', line: 1 }] : [],
});

const FIXED = roundsCase({
  id: 'fixed',
  language: 'JavaScript',
  before: [{ path: 'README.md', text: '# Shop\n' }],
  defects: DEFECTS,
  pushes: [push('a.js', EVAL, true), push('b.js', SAFE, true), push('a.js', SAFE, false)],
});

const store = (cases: Parameters<typeof printCases>[0]): string => {
  writeFileSync(at('cases.jsonl'), printCases(cases));
  return at('cases.jsonl');
};

const resultOf = (run: string, caseId: string): EvalResult =>
  EvalResult.parse(JSON.parse(readFileSync(at(run, 'results', `${resultName({ caseId, repeat: 1 })}.json`), 'utf8')));

test(
  'our own set is loaded from its folder',
  async () => {
    const { code, stdout } = await evaluate('load', 'folder', 'test/fixtures/rounds', '--out', at('set.jsonl'));
    expect({ code, stdout }).toEqual({ code: 0, stdout: '30 cases with 36 labels\n' });
    const { cases, problems } = parseCases(readFileSync(at('set.jsonl'), 'utf8'));
    expect(problems).toEqual([]);
    expect(cases.map(({ kind, set, licence }) => `${kind} ${set} ${licence}`)).toEqual(
      Array.from({ length: 30 }, () => 'rounds rounds own'),
    );
  },
  RUN_MS,
);

test(
  'every push is reviewed with the threads of the pushes before it, and no judgement is needed for the report',
  async () => {
    const run = await evaluate('run', store([FIXED]), '--runner', 'rules', '--out', at('run'));
    expect(run).toMatchObject({ code: 0, stdout: `1 review done, $0.00 in total; results in ${at('run')}\n` });
    expect(run.stderr).toContain('[1/1] fixed: feedback, then feedback, then lgtm');
    const thread = { id: expect.stringMatching(/^F-001 /), path: 'a.js', line: 1, severity: 'P1' };
    expect(resultOf('run', 'fixed')).toMatchObject({
      kind: 'rounds',
      reviews: [
        { verdict: 'feedback', threads: [{ ...thread, isOpen: true }] },
        { verdict: 'feedback', threads: [{ ...thread, isOpen: true }] },
        { verdict: 'lgtm', threads: [{ ...thread, isOpen: false }] },
      ],
    });
    const again = await evaluate('run', at('cases.jsonl'), '--runner', 'rules', '--out', at('run'));
    expect(again.stdout).toMatch(/^0 reviews done, 1 known from before/);
    const { stdout } = await evaluate('report', at('run'));
    expect(stdout.split('\n').slice(0, 2)).toEqual([
      'Fixpoint 0.1.0, runner rules',
      'Over several reviews: 1 change requests, 3 reviews, 0 failed, 0 inconclusive; threads and defects compared by place',
    ]);
    expect(stdout).toMatch(/repeats over reviews {2,}0\.00, 0 in 3 reviews/);
    expect(stdout).toMatch(/wrongly resolved {2,}0\.0 %, 0 of 1/);
    expect(stdout).toMatch(/missed resolutions {2,}0\.0 %, 0 of 1/);
    expect(stdout).toMatch(/\n {2}3 {2,}1 {2,}0\/0 /);
    expect(stdout).not.toContain('precision');
  },
  RUN_MS,
);

test(
  'a set with both kinds is reported in two parts, and a comparison covers both',
  async () => {
    const single = evalCase({
      id: 'single',
      change: { kind: 'files', files: [{ path: 'a.js', before: null, after: EVAL }] },
      golden: [{ path: 'a.js', from: 1, text: 'Runs text as code', severity: 'P1' }],
    });
    const cases = store([single, FIXED]);
    for (const run of ['old', 'new']) {
      await evaluate('run', cases, '--runner', 'rules', '--out', at(run));
      await evaluate('judge', at(run), '--by', 'place');
    }
    const file = at('new', 'results', 'fixed.1.json');
    const changed = readFileSync(file, 'utf8').replace('"isOpen": false', '"isOpen": true');
    rmSync(file);
    writeFileSync(file, changed);
    const { code, stdout } = await evaluate('report', at('new'), '--compare', at('old'));
    expect(code).toBe(1);
    expect(stdout).toMatch(/^Fixpoint 0\.1\.0, runner rules; judged by place\n1 cases, 1 reviews, /);
    expect(stdout).toContain('Over several reviews: 1 change requests, 3 reviews');
    expect(stdout).toContain(
      'Compared over 2 cases.\nWorse: over several reviews: missed resolutions, from 0.000 to 1.000\n',
    );
    const { rounds, comparison } = JSON.parse(
      (await evaluate('report', at('new'), '--compare', at('old'), '--format', 'json')).stdout,
    );
    expect(rounds).toMatchObject({ leftOpen: { part: 1, of: 1 }, byReview: [{}, {}, { leftOpen: { part: 1 } }] });
    expect(comparison).toMatchObject({ before: { rounds: { leftOpen: { part: 0 } } } });
  },
  RUN_MS,
);

test(
  'mistakes are reported with their line before anything is reviewed',
  async () => {
    store([FIXED]);
    const wrong = { ...FIXED, id: 'wrong', pushes: [{ files: [], open: [{ id: 'a', path: 'a.js', line: 1 }] }] };
    writeFileSync(at('cases.jsonl'), `${readFileSync(at('cases.jsonl'), 'utf8')}${JSON.stringify(wrong)}\n`);
    const { code, stderr } = await evaluate('run', at('cases.jsonl'), '--runner', 'rules', '--out', at('run'));
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `fixpoint: ${at('cases.jsonl')}:2: pushes.0.open.0: names a.js, which does not exist after this push\n`,
    });
  },
  RUN_MS,
);
