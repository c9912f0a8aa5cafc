/** The rules on our own set: floors, and the numbers that the guide states. Models that forget or claim everything beside them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { chooseReviewer } from '../../../../services/cli/review/choose-runner.ts';
import type { LocalReviewer } from '../../../../services/cli/review/local-runners.ts';
import type { EvalChangeCase } from '../../../../shared/eval/case.ts';
import { parseCases } from '../../../../shared/eval/parse-cases.ts';
import { type EvalReport, evalReportOf } from '../../../../shared/eval/report.ts';
import { readProjectFile } from '../../../conventions/source.ts';
import { temporaryFolder } from '../../../shared/workspace/repository.ts';
import { type DiffLine, readDiff } from '../../../sim/messages/read-diff.ts';
import { reply, text, toolUse } from '../../../sim/messages/reply.ts';
import { SUBMIT, writeSubmission } from '../../../sim/messages/submission.ts';
import type { Script } from '../../../sim/messages/script.ts';
import { type ModelWorld, startModelWorld } from '../model-world.ts';
import { EVAL_FIXTURES, evaluateCases, ownCases } from './own-set.ts';

const RUN_MS = 300_000;

let folder: ReturnType<typeof temporaryFolder>;
let world: ModelWorld;
let cases: readonly EvalChangeCase[];
beforeAll(async () => {
  folder = temporaryFolder();
  world = await startModelWorld();
  cases = await ownCases();
});
afterAll(async () => {
  folder?.dispose();
  await world?.sim.close();
});

const report = async (of: readonly EvalChangeCase[], reviewerOf: () => LocalReviewer): Promise<EvalReport> =>
  evalReportOf(await evaluateCases(of, { folder: folder.path, reviewerOf }));

const linesOf = ({ change }: EvalChangeCase): ReadonlyMap<string, readonly string[]> =>
  new Map(change.kind === 'files' ? change.files.map(({ path, after }) => [path, (after ?? '').split('\n')]) : []);

describe('the committed sets', () => {
  test('our own has a defect or none in every case, and every label names a line with code', () => {
    expect(cases.length).toBeGreaterThanOrEqual(40);
    expect(cases.filter(({ kind }) => kind === 'clean').length).toBeGreaterThanOrEqual(10);
    expect(new Set(cases.map(({ language }) => language)).size).toBeGreaterThanOrEqual(8);
    const lost = cases.flatMap((each) =>
      each.golden.filter(({ path = '', from = 0 }) => (linesOf(each).get(path)?.[from - 1] ?? '').trim() === ''),
    );
    expect(lost).toEqual([]);
  });

  test.each([
    ['martian', 50, 137],
    ['aacr', 196, 1_505],
  ])('%s has its ids and labels, and no code', (set, count, labels) => {
    const read = parseCases(readFileSync(join(EVAL_FIXTURES, set, 'cases.jsonl'), 'utf8'));
    expect(read.problems).toEqual([]);
    const changes = read.cases.filter((each) => each.kind !== 'rounds');
    expect([changes.length, changes.flatMap(({ golden }) => golden).length]).toEqual([count, labels]);
    expect(new Set(changes.map(({ change }) => change.kind))).toEqual(new Set(['commits']));
    expect(Math.max(...changes.flatMap(({ golden }) => golden.map((label) => label.text.length)))).toBeLessThanOrEqual(
      200,
    );
  });
});

describe('the rules on our own set', () => {
  test(
    'stay above their floors, and are at least as good as the guide says',
    async () => {
      const { total } = await report(cases, () => ({ kind: 'rules' }));
      expect(total.failed).toBe(0);
      expect(total.precision.value).toBeGreaterThanOrEqual(0.9);
      expect(total.recall.value).toBeGreaterThanOrEqual(0.4);
      expect(total.falseClean.value).toBeLessThanOrEqual(0.6);
      expect(total.cleanPass.value).toBe(1);
      const told = /\| our own set \| rules \|.*\| (\d+) of \d+ \| (\d+) of \d+ \| (\d+) of \d+ \|/.exec(
        readProjectFile('deploy/guide/quality.md'),
      );
      const [, right, found, falseClean] = (told ?? []).map(Number);
      expect(total.precision.part).toBeGreaterThanOrEqual(right ?? Number.NaN);
      expect(total.recall.part).toBeGreaterThanOrEqual(found ?? Number.NaN);
      expect(total.falseClean.part).toBeLessThanOrEqual(falseClean ?? Number.NaN);
    },
    RUN_MS,
  );
});

/** Says something about each chosen line. Whoever verifies it gets no answer that refutes it. */
const claiming =
  (choose: (lines: readonly DiffLine[]) => readonly DiffLine[]): Script =>
  (exchange) => {
    if (!exchange.tools.some(({ name }) => name === SUBMIT)) return reply([text('Nothing more.')]);
    const lines = readDiff(exchange.firstUserText).filter(({ kind }) => kind === 'added');
    const defects = choose(lines).map((line) => ({
      path: line.path,
      line: line.line,
      severity: 'P2' as const,
      title: `Something is wrong at line ${line.line}`,
      body: 'It does not do what it says.',
      evidence: line.text,
    }));
    return reply([toolUse(SUBMIT, writeSubmission(exchange, { summary: 'Reviewed.', defects, choose: () => null }))]);
  };

describe('models that are told apart by the report', () => {
  const HARD = [
    'js-page-size',
    'ts-permission',
    'go-average',
    'py-lock',
    'php-login',
    'js-rename',
    'py-pathlib',
    'go-wrap',
  ];
  const hard = () => cases.filter(({ id }) => HARD.includes(id));
  const withModel = (): LocalReviewer =>
    chooseReviewer(
      { runner: 'agent', apiKey: world.sim.apiKey, baseUrl: world.sim.url },
      { env: {}, onProgress: () => {} },
    ).reviewer;

  const isLabelled = ({ path, line }: DiffLine): boolean =>
    hard().some(({ golden }) => golden.some((label) => label.path === path && label.from === line));

  test.each<readonly [string, (lines: readonly DiffLine[]) => readonly DiffLine[], Readonly<Record<string, number>>]>([
    [
      'knows the defects',
      (lines) => lines.filter(isLabelled),
      { recall: 1, precision: 1, falseClean: 0, cleanPass: 1 },
    ],
    ['forgets everything', () => [], { recall: 0, falseClean: 1, cleanPass: 1 }],
    ['claims everything', (lines) => lines.slice(0, 9), { cleanPass: 0, falseClean: 0 }],
  ])(
    'one that %s',
    async (_what, choose, expected) => {
      world.says(claiming(choose));
      const { total } = await report(hard(), withModel);
      expect(total.failed).toBe(0);
      expect(total.spent.modelCalls).toBeGreaterThan(0);
      const values = Object.fromEntries(
        (['recall', 'precision', 'falseClean', 'cleanPass'] as const).map((name) => [name, total[name].value]),
      );
      expect(values).toMatchObject(expected);
      if (expected['cleanPass'] === 0) {
        expect(total.precision.value).toBeLessThan(0.3);
        expect(total.noise.value).toBeGreaterThan(100);
      } else expect(total.noise.value).toBe(0);
    },
    RUN_MS,
  );
});
