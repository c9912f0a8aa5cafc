import { describe, expect, test } from 'vitest';
import { bootstrap, seededNumbers } from '../../../shared/eval/bootstrap.ts';
import { compareRuns } from '../../../shared/eval/compare-runs.ts';
import type { EvalCase } from '../../../shared/eval/case.ts';
import { isAtPlace, pairsOf } from '../../../shared/eval/judge.ts';
import { type EvalReport, evalReportOf, talliesOf } from '../../../shared/eval/report.ts';
import type { EvalResult, SeenReview } from '../../../shared/eval/result.ts';
import { NOTHING_SPENT } from '../../../shared/vocabulary/spent.ts';
import {
  cleanCase,
  evalCase,
  finding,
  judgement,
  LABEL,
  played,
  reviewed,
  roundsCase,
  RUN,
  seenThread,
} from './cases.ts';

const evaluated = (cases: readonly EvalCase[], results: readonly EvalResult[]) => {
  const goldenOf = (id: string) => {
    const found = cases.find((each) => each.id === id);
    return found === undefined || found.kind === 'rounds' ? [] : found.golden;
  };
  const judged = results.flatMap((result) =>
    result.kind !== 'reviewed'
      ? []
      : [
          {
            caseId: result.caseId,
            repeat: result.repeat,
            pairs: pairsOf(goldenOf(result.caseId), result.findings, isAtPlace),
          },
        ],
  );
  return { run: RUN, cases, results, judgement: judgement(judged) };
};

const report = (cases: readonly EvalCase[], results: readonly EvalResult[]): EvalReport =>
  evalReportOf(evaluated(cases, results));

describe('the counts behind a report', () => {
  test('of every kind of review', () => {
    const two = evalCase({ id: 'two', language: 'Go', golden: [LABEL, { ...LABEL, from: 90, severity: 'P3' }] });
    const cases = [evalCase(), two, cleanCase(), cleanCase('loud'), evalCase({ id: 'later' })];
    const failed = {
      kind: 'failed',
      caseId: 'two',
      repeat: 2,
      code: 'X',
      message: 'broken',
      spent: NOTHING_SPENT,
    } as const;
    const { total, bySeverity, byLanguage, missing, failures } = report(cases, [
      reviewed({ findings: [finding(), finding({ line: 12, startLine: 12 })] }),
      reviewed({ caseId: 'two', verdict: 'lgtm', findings: [finding({ severity: 'P2' })] }),
      failed,
      reviewed({ caseId: 'clean', verdict: 'lgtm' }),
      reviewed({ caseId: 'loud', verdict: 'feedback', findings: [finding()], changedLines: 700 }),
    ]);
    expect(total).toMatchObject({
      cases: 4,
      reviews: 4,
      failed: 1,
      inconclusive: 0,
      precision: { part: 2, of: 4, value: 0.5 },
      recall: { part: 2, of: 3 },
      f1: { value: 4 / 7 },
      noise: { part: 2, of: 1_000, value: 2 },
      falseClean: { part: 1, of: 2 },
      cleanPass: { part: 1, of: 2 },
    });
    expect(bySeverity).toMatchObject({
      P1: { recall: { part: 2, of: 2 }, precision: { part: 1, of: 3 } },
      P2: { recall: { of: 0, value: null }, precision: { part: 1, of: 1 } },
      P3: { recall: { part: 0, of: 1 } },
    });
    expect(Object.keys(byLanguage)).toEqual(['Go', 'TypeScript']);
    expect(byLanguage['Go']).toMatchObject({ recall: { part: 1, of: 2 }, failed: 1 });
    expect(missing).toBe(1);
    expect(failures).toEqual([{ caseId: 'two', code: 'X', message: 'broken' }]);
  });

  test.each([
    ['lgtm that found nothing', 'lgtm', [], 1],
    ['lgtm that named every label', 'lgtm', [finding({ severity: 'P3' })], 0],
    ['feedback that found nothing', 'feedback', [], 0],
    ['inconclusive', 'inconclusive', [], 0],
  ] as const)('a false clean is not %s: %s', (_what, verdict, findings, expected) => {
    expect(report([evalCase()], [reviewed({ verdict, findings: [...findings] })]).total.falseClean.part).toBe(expected);
  });

  test('labels without a place are told apart from missed ones when places are compared', () => {
    const unplaced = evalCase({ golden: [LABEL, { text: 'x', severity: 'P1' }] });
    const { total } = report([unplaced], [reviewed({ verdict: 'lgtm', findings: [finding()] })]);
    expect(total).toMatchObject({ unjudged: 1, recall: { part: 1, of: 1 }, falseClean: { part: 1 } });
  });

  test('tokens, the share from the cache and money are sums over all reviews, also failed ones', () => {
    const spent = { ...NOTHING_SPENT, inputTokens: 100, cachedTokens: 60, costUsd: 0.25 };
    const { total } = report(
      [evalCase()],
      [
        reviewed({ spent }),
        { kind: 'failed', caseId: 'one', repeat: 2, code: 'X', message: 'x', spent: { ...spent, cachedTokens: 0 } },
      ],
    );
    expect(total).toMatchObject({ cachedShare: 0.3, spent: { inputTokens: 200, costUsd: 0.5 } });
  });
});

describe('intervals', () => {
  test('are the same for the same results, and contain the value', () => {
    const cases = Array.from({ length: 20 }, (_, index) => evalCase({ id: `c${index}` }));
    const results = cases.map(({ id }, index) =>
      reviewed({ caseId: id, findings: index % 4 === 0 ? [finding()] : [] }),
    );
    const { recall } = report(cases, results).total;
    expect(recall).toEqual(report(cases, results).total.recall);
    expect(recall.value).toBe(0.25);
    expect(recall.interval?.low).toBeGreaterThan(0);
    expect(recall.interval?.low).toBeLessThan(0.25);
    expect(recall.interval?.high).toBeGreaterThan(0.25);
    expect(recall.interval?.high).toBeLessThan(0.6);
  });

  test('resample cases, not reviews: repeats of one case do not make them narrower', () => {
    expect(report([evalCase()], [reviewed(), reviewed({ repeat: 2 })]).total.recall.interval).toBeNull();
  });

  test('come from numbers that are spread evenly', () => {
    const next = seededNumbers(7);
    const numbers = Array.from({ length: 10_000 }, next);
    expect(Math.min(...numbers)).toBeGreaterThanOrEqual(0);
    expect(Math.max(...numbers)).toBeLessThan(1);
    expect(numbers.reduce((sum, each) => sum + each, 0) / numbers.length).toBeCloseTo(0.5, 1);
    expect(bootstrap([1, 2], () => null)).toBeNull();
  });
});

describe('comparing two runs', () => {
  const cases = [evalCase(), evalCase({ id: 'two' }), cleanCase()];
  const tallies = (results: readonly EvalResult[]) => talliesOf(evaluated(cases, results));
  const found = (caseId: string) => reviewed({ caseId, findings: [finding()] });
  const GOOD = tallies([found('one'), found('two'), reviewed({ caseId: 'clean', verdict: 'lgtm' })]);

  test('a run beside itself has lost nothing', () => {
    expect(compareRuns(GOOD, GOOD, 0)).toMatchObject({ shared: 3, left: 0, fell: [] });
  });

  test('names what fell, from what to what', () => {
    const worse = tallies([
      found('one'),
      reviewed({ caseId: 'two', verdict: 'lgtm' }),
      reviewed({ caseId: 'clean', findings: [finding()] }),
    ]);
    expect(
      compareRuns(GOOD, worse, 0.05).fell.map(({ what, before, after }) => [what, before, Number(after.toFixed(2))]),
    ).toEqual([
      ['precision', 1, 0.5],
      ['recall', 1, 0.5],
      ['F1', 1, 0.5],
      ['pass rate of clean changes', 1, 0],
      ['false-clean rate', 0, 0.5],
      ['findings without a label per 1,000 lines', 0, 3.33],
    ]);
    expect(compareRuns(worse, GOOD, 0.05).fell).toEqual([]);
    expect(compareRuns(GOOD, worse, 0.5).fell.map(({ what }) => what)).toEqual([
      'pass rate of clean changes',
      'findings without a label per 1,000 lines',
    ]);
  });

  test('only over the cases that both have', () => {
    const part = tallies([found('one')]);
    expect(compareRuns(GOOD, part, 0)).toMatchObject({
      shared: 1,
      left: 2,
      fell: [],
      before: { single: { cases: 1 } },
      after: { single: { cases: 1 } },
    });
  });

  test('failed reviews count as worse', () => {
    const failed = { kind: 'failed', caseId: 'two', repeat: 1, code: 'X', message: 'x', spent: NOTHING_SPENT } as const;
    const worse = tallies([found('one'), failed, reviewed({ caseId: 'clean', verdict: 'lgtm' })]);
    expect(compareRuns(GOOD, worse, 0.05).fell).toEqual([{ what: 'share of failed reviews', before: 0, after: 1 / 3 }]);
  });
});

describe('change requests with several reviews', () => {
  const blocked = (): SeenReview => ({ verdict: 'feedback', notes: [], threads: [seenThread()] });
  const passed = (): SeenReview => ({ verdict: 'lgtm', notes: [], threads: [seenThread({ isOpen: false })] });
  const good = played([blocked(), passed()]);
  const insisting = played([blocked(), blocked()]);

  test('are counted for themselves, in total and for each review', () => {
    const { rounds, total, missing } = report([roundsCase(), cleanCase(), roundsCase({ id: 'later' })], [insisting]);
    expect([total.cases, missing]).toEqual([0, 2]);
    expect(rounds).toMatchObject({
      cases: 1,
      played: 1,
      reviews: 2,
      failed: 0,
      found: { part: 1, of: 1 },
      repeats: { part: 0, of: 2, value: 0 },
      closedEarly: { value: null },
      leftOpen: { part: 1, of: 1 },
      falsePass: { part: 0, of: 1 },
      falseBlock: { part: 1, of: 1 },
      byReview: [
        { reviews: 1, found: { part: 1, of: 1 }, leftOpen: { of: 0 } },
        { reviews: 1, found: { of: 0 }, leftOpen: { part: 1, of: 1 } },
      ],
      byLanguage: { TypeScript: { cases: 1 } },
    });
    expect(report([evalCase()], []).rounds).toBeNull();
  });

  test('are compared with those of an earlier run', () => {
    const tallies = (result: EvalResult) => talliesOf(evaluated([roundsCase()], [result]));
    const failed = {
      kind: 'failed',
      caseId: 'pushes',
      repeat: 1,
      code: 'X',
      message: 'x',
      spent: NOTHING_SPENT,
    } as const;
    expect(compareRuns(tallies(good), tallies(insisting), 0.05).fell).toEqual([
      { what: 'over several reviews: missed resolutions', before: 0, after: 1 },
      { what: 'over several reviews: blocked without a defect', before: 0, after: 1 },
    ]);
    expect(compareRuns(tallies(insisting), tallies(good), 0)).toMatchObject({ shared: 1, fell: [] });
    expect(compareRuns(tallies(good), tallies(failed), 0.05).fell).toEqual([
      { what: 'share of failed reviews', before: 0, after: 1 },
    ]);
  });
});
