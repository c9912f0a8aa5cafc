/** `fixpoint eval judge` and `fixpoint eval report`: on a stored run, with a simulated model as the judge. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest';
import { beginRun, hashOfCases, saveEvalResult } from '../../../../services/cli/eval/run-folder.ts';
import type { EvalResult } from '../../../../shared/eval/result.ts';
import { cleanCase, evalCase, finding, LABEL, reviewed, RUN } from '../../../shared/eval/cases.ts';
import { temporaryFolder } from '../../../shared/workspace/repository.ts';
import { reply, text, toolUse } from '../../../sim/messages/reply.ts';
import { type ModelWorld, startModelWorld } from '../model-world.ts';
import { runCli } from '../run-cli.ts';

const RUN_MS = 120_000;
const CASES = [evalCase({ golden: [LABEL, { text: 'The log has the password', severity: 'P0' }] }), cleanCase()];

let world: ModelWorld;
let folder: ReturnType<typeof temporaryFolder>;
beforeAll(async () => void (world = await startModelWorld()));
afterAll(async () => world?.sim.close());
beforeEach(() => void (folder = temporaryFolder()));
afterEach(() => folder.dispose());

const store = async (name: string, results: readonly EvalResult[]): Promise<string> => {
  const at = join(folder.path, name);
  await beginRun(at, { ...RUN, cases: hashOfCases(CASES) }, CASES);
  for (const result of results) await saveEvalResult(at, result);
  return at;
};

const GOOD = [reviewed({ findings: [finding()] }), reviewed({ caseId: 'clean', verdict: 'lgtm' })] as const;
const BAD = [
  reviewed({ verdict: 'lgtm' }),
  reviewed({ caseId: 'clean', findings: [finding()], verdict: 'feedback' }),
] as const;

const evaluate = async (...args: readonly string[]) => runCli(['eval', ...args]);

test(
  'a run is judged by place and reported, as text and as JSON',
  async () => {
    const run = await store('good', GOOD);
    const early = await evaluate('report', run);
    expect(early).toMatchObject({
      code: 2,
      stderr: `fixpoint: ${run} is not judged yet: first run fixpoint eval judge ${run} --by place\n`,
    });
    const judged = await evaluate('judge', run, '--by', 'place');
    expect(judged).toEqual({
      code: 0,
      stderr: '',
      stdout: '2 reviews judged by place: 1 pairs of a label and a finding\n',
    });
    const { code, stdout } = await evaluate('report', run);
    expect(code).toBe(0);
    expect(stdout.split('\n').slice(0, 2)).toEqual([
      'Fixpoint 0.1.0, runner rules; judged by place',
      '2 cases, 2 reviews, 0 failed, 0 inconclusive; 1 labels without a place were not judged',
    ]);
    expect(stdout).toMatch(/precision {2,}100\.0 % \(.*\), 1 of 1/);
    expect(stdout).toMatch(/clean changes that pass {2,}100\.0 %.*, 1 of 1/);
    const json = JSON.parse((await evaluate('report', run, '--format', 'json')).stdout);
    expect(json).toMatchObject({ judge: { by: 'place', model: null }, total: { recall: { part: 1, of: 1 } } });
  },
  RUN_MS,
);

test(
  'a run that became worse exits with 1 and says what fell; results that came later must be judged first',
  async () => {
    const [good, bad] = [await store('good', GOOD), await store('bad', BAD)];
    for (const run of [good, bad]) await evaluate('judge', run, '--by', 'words');
    const { code, stdout } = await evaluate('report', bad, '--compare', good);
    expect(code).toBe(1);
    expect(stdout).toContain('Compared over 2 cases.\nWorse: precision, from 1.000 to 0.000\n');
    const back = await evaluate('report', good, '--compare', bad);
    expect(back.code).toBe(0);
    expect(back.stdout).toContain('Nothing became worse beyond the threshold.');
    await saveEvalResult(good, reviewed({ repeat: 2 }));
    const late = await evaluate('report', good);
    expect(late).toMatchObject({
      code: 2,
      stderr: `fixpoint: ${good} has results that are not judged: run fixpoint eval judge again\n`,
    });
  },
  RUN_MS,
);

test(
  'a model judges each question once: the second time it is free and needs no key',
  async () => {
    const run = await store('good', GOOD);
    let calls = 0;
    world.says(() => {
      calls += 1;
      // The first answer is not one, so the question is asked again.
      if (calls === 1) return reply([text('I think so.')]);
      return reply([toolUse('Answer', { same: calls === 2, reason: 'x' })]);
    });
    const judge = ['eval', 'judge', run, '--by', 'model', '--model', 'claude-sonnet-5-5'];
    const first = await runCli(judge, { env: world.env });
    expect(first.stderr).toBe('');
    expect(first.stdout).toBe(
      '2 questions asked, 0 answers known\n2 reviews judged by claude-sonnet-5-5: 1 pairs of a label and a finding\n',
    );
    expect(calls).toBe(3);
    writeFileSync(
      join(run, 'judgements/answers.jsonl'),
      `${readFileSync(join(run, 'judgements/answers.jsonl'), 'utf8')}{"key":"half`,
    );
    const again = await runCli(judge);
    expect(again).toMatchObject({ code: 0, stderr: '' });
    expect(again.stdout).toContain('0 questions asked, 2 answers known\n');
    const other = await runCli([...judge.slice(0, -1), 'claude-opus-5-5']);
    expect(other).toMatchObject({
      code: 2,
      stderr: 'fixpoint: the environment variable ANTHROPIC_API_KEY is not set; a judge needs this key\n',
    });
    const { stdout } = await evaluate('report', run);
    expect(stdout).toContain('judged by claude-sonnet-5-5');
  },
  RUN_MS,
);

test(
  'a model that never answers ends the judgement with a sentence',
  async () => {
    const run = await store('good', GOOD);
    world.says(() => reply([text('Hm.')]));
    const { code, stderr } = await runCli(['eval', 'judge', run, '--by', 'model', '--model', 'claude-sonnet-5-5'], {
      env: world.env,
    });
    expect({ code, stderr }).toEqual({
      code: 2,
      stderr: 'fixpoint: the model claude-sonnet-5-5 answered 2 times without calling the tool Answer\n',
    });
  },
  RUN_MS,
);
