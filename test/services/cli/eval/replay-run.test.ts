/** `fixpoint eval run --replay`: the committed conversations of a scripted model answer, without key and network. */
import { cpSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { EvalResult } from '../../../../shared/eval/result.ts';
import { temporaryFolder } from '../../../shared/workspace/repository.ts';
import { WITHOUT_CAGE } from '../model-world.ts';
import { runCli } from '../run-cli.ts';
import { EVAL_FIXTURES } from './own-set.ts';

const RUN_MS = 180_000;

const RECORDED = join(EVAL_FIXTURES, 'replayed');

let folder: ReturnType<typeof temporaryFolder>;
beforeEach(() => void (folder = temporaryFolder()));
afterEach(() => folder.dispose());

const at = (...names: readonly string[]): string => join(folder.path, ...names);

const replay = async (from: string, ...args: readonly string[]) =>
  runCli([
    'eval',
    'run',
    join(from, 'cases.jsonl'),
    '--replay',
    from,
    '--out',
    at('out'),
    '--config',
    WITHOUT_CAGE,
    ...args,
  ]);

const resultOf = (caseId: string): EvalResult =>
  EvalResult.parse(JSON.parse(readFileSync(at('out', 'results', `${caseId}.1.json`), 'utf8')));

test(
  'gives the results and the numbers of the recorded run, over one review and over several',
  async () => {
    const { code, stdout, stderr } = await replay(RECORDED);
    // If a prompt changed: npx tsx test/services/cli/eval/record-replayed.ts
    expect(stderr).not.toContain('failed');
    expect({ code, stdout }).toEqual({ code: 0, stdout: `5 reviews done, $0.05 in total; results in ${at('out')}\n` });
    expect(stderr).toContain('go-back: feedback, then lgtm, then feedback, then lgtm');
    await runCli(['eval', 'judge', at('out'), '--by', 'place']);
    const report = await runCli(['eval', 'report', at('out'), '--format', 'json']);
    const { run, total, rounds } = JSON.parse(report.stdout);
    expect(run).toMatchObject({ runner: 'agent', model: 'claude-sonnet-5-5' });
    expect(total).toMatchObject({
      cases: 4,
      reviews: 4,
      failed: 0,
      precision: { part: 2, of: 3 },
      recall: { part: 2, of: 3 },
      falseClean: { part: 1, of: 3 },
      cleanPass: { part: 1, of: 1 },
      spent: { modelCalls: 15 },
    });
    expect(rounds).toMatchObject({
      cases: 1,
      reviews: 4,
      found: { part: 2, of: 2 },
      repeats: { part: 0, of: 4 },
      leftOpen: { part: 0, of: 2 },
      falsePass: { part: 0, of: 2 },
      spent: { modelCalls: expect.any(Number) },
    });
  },
  RUN_MS,
);

const change = (name: string, edit: (text: string) => string): void => {
  const file = at('recorded', name);
  writeFileSync(file, edit(readFileSync(file, 'utf8')));
};

test(
  'says for each case in what a request differs from the recorded one',
  async () => {
    cpSync(RECORDED, at('recorded'), { recursive: true });
    const [tools, opening, turn, gone] = ['js-page-size', 'py-lock', 'js-rename', 'go-average'];
    change(`transcripts/${tools}.1.json`, (text) => text.replace('"name": "Glob"', '"name": "Globe"'));
    change(`transcripts/${opening}.1.json`, (text) => text.replace('=== ', '=== x'));
    change(`transcripts/${turn}.1.json`, (text) => text.replaceAll('[end of file', '[end of the file'));
    change(`transcripts/${gone}.1.json`, () => '[]');
    const { code, stdout } = await replay(at('recorded'));
    expect(code).toBe(1);
    expect(stdout).toContain('5 reviews done, 4 failed');
    const failures = [tools, opening, turn, gone].map((id) => {
      const result = resultOf(id ?? '');
      return result.kind === 'failed' ? `${result.code}: ${result.message}` : result.kind;
    });
    expect(failures).toEqual([
      'EVAL_REPLAY_DIFFERS: the request differs from the recorded one in the tools',
      'EVAL_REPLAY_DIFFERS: the request differs from the recorded one in message 1',
      'EVAL_REPLAY_DIFFERS: the request differs from the recorded one in message 3',
      'EVAL_REPLAY_DIFFERS: no recorded request has 1 messages, as this one has',
    ]);
  },
  RUN_MS,
);

test(
  'another model, another runner and a folder without conversations are refused or reported',
  async () => {
    await replay(RECORDED, '--model', 'claude-opus-5-5');
    expect(resultOf('go-average')).toMatchObject({
      message: 'the request differs from the recorded one in the name of the model',
    });
    expect(await replay(RECORDED, '--runner', 'rules')).toMatchObject({
      code: 2,
      stderr: 'fixpoint: --replay: not allowed with --runner rules\n',
    });
    cpSync(RECORDED, at('recorded'), { recursive: true });
    change('run.json', (text) => text.replace('"agent"', '"rules"'));
    expect((await replay(at('recorded'))).stderr).toBe(
      `fixpoint: ${at('recorded')} cannot be replayed: the runner rules stores no conversations\n`,
    );
    const none = await runCli(['eval', 'run', join(RECORDED, 'cases.jsonl'), '--replay', at(), '--out', at('none')]);
    expect(none.stderr).toBe(`fixpoint: ${at()} has no run.json: it is not a folder of fixpoint eval run\n`);
  },
  RUN_MS,
);
