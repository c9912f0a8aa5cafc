/** The report about one run: scores in total, by severity of label and finding, by language and by set. */
import type { Severity } from '../vocabulary/finding.ts';
import type { EvalCase } from './case.ts';
import type { EvalJudgement, JudgedResult } from './judge.ts';
import type { EvalResult, EvalRun } from './result.ts';
import { type EvalScores, type HitScores, scoresOf, severityScores } from './score.ts';
import { type CaseTally, perSeverity, tallyCase } from './tally.ts';

export type EvalReport = {
  readonly run: Pick<EvalRun, 'version' | 'runner' | 'model' | 'repeat'>;
  readonly judge: Pick<EvalJudgement, 'by' | 'model'>;
  readonly total: EvalScores;
  readonly bySeverity: Readonly<Record<Severity, HitScores>>;
  readonly byLanguage: Readonly<Record<string, EvalScores>>;
  readonly bySet: Readonly<Record<string, EvalScores>>;
  /** Cases without any result. */
  readonly missing: number;
  readonly failures: readonly { readonly caseId: string; readonly code: string; readonly message: string }[];
};

export type Evaluated = {
  readonly run: EvalRun;
  readonly cases: readonly EvalCase[];
  readonly results: readonly EvalResult[];
  readonly judgement: EvalJudgement;
};

const grouped = <Item>(items: readonly Item[], keyOf: (item: Item) => string): ReadonlyMap<string, Item[]> => {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const key = keyOf(item);
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [item]);
    else group.push(item);
  }
  return groups;
};

/** Only cases with a result. */
export const talliesOf = ({ cases, results, judgement }: Evaluated): readonly CaseTally[] => {
  const byCase = grouped(results, ({ caseId }) => caseId);
  const judged = grouped<JudgedResult>(judgement.results, ({ caseId }) => caseId);
  return cases.flatMap((each) => {
    const own = byCase.get(each.id);
    if (own === undefined) return [];
    const pairs = new Map((judged.get(each.id) ?? []).map((result) => [result.repeat, result.pairs]));
    return [tallyCase({ case: each, by: judgement.by, results: own, pairs })];
  });
};

const scoresBy = (
  tallies: readonly CaseTally[],
  keyOf: (tally: CaseTally) => string,
): Readonly<Record<string, EvalScores>> =>
  Object.fromEntries(
    [...grouped(tallies, keyOf)]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, group]) => [key, scoresOf(group)]),
  );

export const evalReportOf = (evaluated: Evaluated): EvalReport => {
  const { run, cases, results, judgement } = evaluated;
  const tallies = talliesOf(evaluated);
  return {
    run: { version: run.version, runner: run.runner, model: run.model, repeat: run.repeat },
    judge: { by: judgement.by, model: judgement.model },
    total: scoresOf(tallies),
    bySeverity: perSeverity((severity) => severityScores(tallies, severity)),
    byLanguage: scoresBy(tallies, ({ language }) => language),
    bySet: scoresBy(tallies, ({ set }) => set),
    missing: cases.length - tallies.length,
    failures: results.flatMap((result) =>
      result.kind === 'failed' ? [{ caseId: result.caseId, code: result.code, message: result.message }] : [],
    ),
  };
};
