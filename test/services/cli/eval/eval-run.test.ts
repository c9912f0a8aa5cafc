/** `fixpoint eval run` as a process: by the rules, by a simulated model, interrupted, too dear, and with cases that fail. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { z } from 'zod';
import { Transcript } from '../../../../shared/agent/transcript.ts';
import { replayTranscript } from '../../../../shared/agent/replay.ts';
import { printCases } from '../../../../shared/eval/parse-cases.ts';
import { EvalResult } from '../../../../shared/eval/result.ts';
import { cleanCase, evalCase } from '../../../shared/eval/cases.ts';
import { temporaryFolder } from '../../../shared/workspace/repository.ts';
import { fail } from '../../../sim/messages/reply.ts';
import { type ModelWorld, startModelWorld, WITHOUT_CAGE } from '../model-world.ts';
import { type CliOptions, runCli } from '../run-cli.ts';

const RUN_MS = 120_000;

const EVAL = evalCase({
  id: 'eval',
  title: 'Run the words of the caller',
  description: 'They come from the network.',
  change: {
    kind: 'files',
    files: [{ path: 'a.js', before: null, after: 'export const run = (text) => eval(text);\n' }],
  },
  golden: [{ path: 'a.js', from: 1, text: 'Runs text as code', severity: 'P1' }],
});
const CLEAN = cleanCase();
const BROKEN = cleanCase('broken');
const CASES = [
  EVAL,
  {
    ...BROKEN,
    change: {
      kind: 'commits' as const,
      repository: { kind: 'path' as const, path: 'none' },
      base: 'a',
      head: 'b',
      compare: 'merge_base' as const,
    },
  },
  CLEAN,
];

let world: ModelWorld;
let folder: ReturnType<typeof temporaryFolder>;
beforeAll(async () => void (world = await startModelWorld()));
afterAll(async () => world?.sim.close());
beforeEach(() => {
  folder = temporaryFolder();
  writeFileSync(join(folder.path, 'cases.jsonl'), printCases(CASES));
});
afterEach(() => folder.dispose());

const out = (...names: readonly string[]): string => join(folder.path, 'out', ...names);

const evalRun = async (args: readonly string[], options: CliOptions = {}) =>
  runCli(['eval', 'run', join(folder.path, 'cases.jsonl'), '--out', out(), ...args], options);

const resultOf = (name: string): EvalResult =>
  EvalResult.parse(JSON.parse(readFileSync(out('results', `${name}.json`), 'utf8')));

test(
  'the rules review every case; a case that fails is a result, and nothing is done twice',
  async () => {
    const first = await evalRun(['--runner', 'rules', '--repeat', '2']);
    expect(first.code).toBe(1);
    expect(first.stdout).toBe(`6 reviews done, 2 failed, $0.00 in total; results in ${out()}\n`);
    expect(readdirSync(out('results')).toSorted()).toEqual(
      ['broken', 'clean', 'eval'].flatMap((id) => [`${id}.1.json`, `${id}.2.json`]),
    );
    expect(resultOf('eval.2')).toMatchObject({
      kind: 'reviewed',
      verdict: 'feedback',
      changedLines: 1,
      findings: [{ path: 'a.js', line: 1, rule: 'js-eval', severity: 'P1' }],
    });
    expect(resultOf('clean.1')).toMatchObject({ kind: 'reviewed', verdict: 'lgtm', findings: [] });
    expect(resultOf('broken.1')).toMatchObject({
      kind: 'failed',
      code: 'EVAL_CASE_NOT_BUILT',
      message: `${join(folder.path, 'none')} is not a git repository`,
    });
    rmSync(out('results', 'clean.1.json'));
    const again = await evalRun(['--runner', 'rules', '--repeat', '2']);
    expect(again.stdout).toBe(`1 review done, 5 known from before, 2 failed, $0.00 in total; results in ${out()}\n`);
    const retried = await evalRun(['--runner', 'rules', '--repeat', '2', '--retry-failed']);
    expect(retried.stdout).toContain('2 reviews done, 4 known from before, 2 failed');
  },
  RUN_MS,
);

test(
  'a label that names only the end of a path is judged at the file that the change has',
  async () => {
    const [{ path: _path, ...label } = { path: undefined }] = EVAL.golden;
    const file = { before: null, after: 'export const run = (text) => eval(text);\n' };
    const change = {
      kind: 'files' as const,
      files: [
        { path: 'lib/run.js', ...file },
        { path: 'lib/other.js', ...file },
      ],
    };
    const partial = evalCase({ ...EVAL, change, golden: [{ ...label, path: 'run.js', pathEnd: true }] });
    const lost = evalCase({ ...partial, id: 'lost', golden: [{ ...label, path: 'lost.js', pathEnd: true }] });
    writeFileSync(join(folder.path, 'cases.jsonl'), printCases([partial, lost]));
    await evalRun(['--runner', 'rules']);
    expect(resultOf('eval.1')).toMatchObject({ labelPaths: { 'run.js': 'lib/run.js' } });
    expect(resultOf('lost.1')).toMatchObject({
      kind: 'failed',
      message: 'a label names lost.js:1, which the change does not have',
    });
    const judged = await runCli(['eval', 'judge', out(), '--by', 'place']);
    expect(judged.stdout).toBe('1 reviews judged by place: 1 pairs of a label and a finding\n');
  },
  RUN_MS,
);

test(
  'another run in the same folder is refused',
  async () => {
    await evalRun(['--runner', 'rules']);
    writeFileSync(join(folder.path, 'cases.jsonl'), printCases([CLEAN]));
    const { code, stderr } = await evalRun(['--runner', 'rules']);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `fixpoint: ${out()} has the results of another run (cases differs): name another folder\n`,
    });
  },
  RUN_MS,
);

test(
  'mistakes in the cases are reported with file and line before anything is reviewed',
  async () => {
    writeFileSync(join(folder.path, 'cases.jsonl'), `${printCases([CLEAN])}{"id":\n`);
    const { code, stderr } = await evalRun(['--runner', 'rules']);
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: `fixpoint: ${join(folder.path, 'cases.jsonl')}:2: this line is not JSON\n`,
    });
    expect(existsSync(out())).toBe(false);
  },
  RUN_MS,
);

const AGENT = ['--runner', 'agent', '--config', WITHOUT_CAGE];

test(
  'a model reads title and description, and its conversations are stored and can be replayed',
  async () => {
    world.reviews();
    const { env } = world;
    const { code, stdout } = await evalRun(AGENT, { env });
    expect(code).toBe(1);
    expect(stdout).toMatch(/^3 reviews done, 1 failed, \$0\.\d\d in total/);
    const asked = world.sim.requests.map(({ body }) => body).join('\n');
    expect(asked).toContain('Run the words of the caller');
    expect(asked).toContain('They come from the network.');
    const stored = z.array(Transcript).parse(JSON.parse(readFileSync(out('transcripts', 'eval.1.json'), 'utf8')));
    const { spent } = resultOf('eval.1');
    expect(spent.costUsd).toBeGreaterThan(0);
    expect(stored.map((transcript) => replayTranscript(transcript).kind)).toContain('ended');
    expect(existsSync(out('transcripts', 'broken.1.json'))).toBe(false);
  },
  RUN_MS,
);

test(
  'the budget is that of the whole run, and what it did not pay for is done later',
  async () => {
    world.reviews();
    const { env } = world;
    const costs = async (budget: string) => evalRun([...AGENT, '--repeat', '3', '--budget-usd', budget], { env });
    const poor = await costs('0.01');
    expect(poor.code).toBe(1);
    expect(poor.stdout).toContain('9 not done, because the budget is used up');
    expect(resultOf('eval.1')).toMatchObject({
      kind: 'failed',
      code: 'BUDGET_EXCEEDED',
      message: 'the budget of the run ended during this review',
    });
    const rest = await costs('9');
    expect(rest.stdout).not.toContain('not done');
    expect(readdirSync(out('results'))).toHaveLength(9);
    const total = readdirSync(out('results')).reduce((sum, name) => sum + resultOf(name.slice(0, -5)).spent.costUsd, 0);
    expect(rest.stdout).toContain(`$${total.toFixed(2)} in total`);
  },
  RUN_MS,
);

test(
  'a rejected key ends the run, because every other case would fail too',
  async () => {
    world.says(() => fail(401));
    const { code, stderr } = await evalRun(AGENT, { env: { ...world.env, ANTHROPIC_API_KEY: 'not-the-key-of-it' } });
    expect(code).toBe(2);
    expect(stderr).toContain('the provider does not accept the key');
    expect(existsSync(out('results', 'clean.1.json'))).toBe(false);
  },
  RUN_MS,
);
