import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { EQUIVALENT } from './equivalent.ts';
import { chunk, drawSample, enumerateMutants } from './sample.ts';
import { printScore, Report, scoreOf, shareOf } from './score.ts';

const SOURCE = 'const a = 1;\n  const b = a > 2;\n';

const mutant = (status: string, line = 2) => ({
  mutatorName: 'EqualityOperator',
  replacement: 'a >= 2',
  status,
  location: { start: { line, column: 13 }, end: { line, column: 18 } },
});

const reportOf = (...mutants: readonly object[]): Report =>
  Report.parse({
    files: { 'shared/x.ts': { source: SOURCE, mutants } },
    testFiles: { 'a.test.ts': { tests: [{}, {}] }, 'b.test.ts': { tests: [{}] } },
  });

const report = (...statuses: readonly string[]): Report => reportOf(...statuses.map((status) => mutant(status)));

describe('a mutation score', () => {
  it('counts what was killed or timed out, and leaves out what was not drawn', () => {
    const score = scoreOf([
      report('Killed', 'Timeout', 'Survived', 'CompileError'),
      report('Killed', 'Ignored', 'NoCoverage'),
    ]);
    expect([score.killed, score.timedOut, score.survivors.length, shareOf(score)]).toEqual([2, 1, 2, 0.6]);
  });

  it.each([
    [{ static: true, coveredBy: ['1'], testsCompleted: 1 }, 'noticed'],
    [{ static: true, coveredBy: [], testsCompleted: 0 }, 'noticed'],
    [{ static: true, coveredBy: ['1'], testsCompleted: 3 }, 'survived'],
    [{ coveredBy: ['1', '2'], testsCompleted: 1 }, 'noticed'],
    [{ coveredBy: ['1', '2'], testsCompleted: 2 }, 'survived'],
    [{ coveredBy: ['1', '2'] }, 'survived'],
  ])('counts a mutant with which test files do not load as killed: %j is %s', (facts, ends) => {
    const { killed, survivors } = scoreOf([reportOf({ ...mutant('Survived'), ...facts })]);
    expect([killed, survivors.length]).toEqual(ends === 'noticed' ? [1, 0] : [0, 1]);
  });

  it('prints each survivor with its line, and whether a test reached it', () => {
    expect(printScore('x', scoreOf([report('Survived', 'NoCoverage')]))).toBe(
      [
        '  shared/x.ts:2 EqualityOperator\n    const b = a > 2;\n    - a > 2\n    + a >= 2',
        '  shared/x.ts:2 EqualityOperator (no test reaches it)\n    const b = a > 2;\n    - a > 2\n    + a >= 2',
        'x: 0.0 % of 2 mutants noticed (0 killed, 0 timed out, 2 survived, 0 equivalent)',
      ].join('\n'),
    );
  });

  it('takes a mutant for equivalent only with a reason', () => {
    expect(EQUIVALENT.filter(({ reason }) => reason.length < 20)).toEqual([]);
  });
});

describe('a sample of mutants', () => {
  const file = path.join(mkdtempSync(path.join(tmpdir(), 'fixpoint-mutate-')), 'x.ts');
  writeFileSync(file, 'export const f = (a: number) => (a > 2 ? "yes" : "no") + (a < 1 ? "x" : "y");\n');
  const drawn = async (seed: number, size: number) => {
    const sampled = drawSample(await enumerateMutants([file]), seed, size);
    return sampled.flatMap(({ keys }) => keys);
  };

  it('is the same for the same seed, and another one for another', async () => {
    const all = await drawn(1, 1_000);
    expect(new Set(all).size).toBe(all.length);
    expect(await drawn(1, 5)).toEqual(all.slice(0, 5));
    expect(await drawn(2, 5)).not.toEqual(await drawn(1, 5));
  });

  it('is cut into chunks of whole files', () => {
    const files = [3, 4, 2, 9, 1].map((count, index) => ({
      file: `${index}.ts`,
      keys: Array.from({ length: count }, (_, at) => `${index} ${at}`),
    }));
    expect(chunk(files, 7).map((part) => part.map(({ file: name }) => name))).toEqual([
      ['0.ts', '1.ts'],
      ['2.ts'],
      ['3.ts'],
      ['4.ts'],
    ]);
  });
});
