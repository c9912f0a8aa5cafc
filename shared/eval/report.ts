/**
 * The report about one run: scores of single reviews in total, by severity of label and finding, by language and by set,
 * and scores of change requests with several reviews.
 */
import type { Severity } from '../vocabulary/finding.ts';
import type { EvalCase } from './case.ts';
import type { RunTallies } from './compare-runs.ts';
import type { EvalJudgement, JudgedResult } from './judge.ts';
import type { EvalResult, EvalRun } from './result.ts';
import { type EvalScores, type HitScores, scoresOf, severityScores } from './score.ts';
import { type RoundsScores, roundsScoresOf, type RoundsTally, tallyRounds } from './score-rounds.ts';
import { type CaseTally, perSeverity, tallyCase } from './tally.ts';

export type EvalReport = {
  readonly run: Pick<EvalRun, 'version' | 'runner' | 'model' | 'repeat'>;
  readonly judge: Pick<EvalJudgement, 'by' | 'model'>;
  /** Null if the run has no case of kind `rounds`. Its threads are always compared with the defects by their place. */
  readonly rounds: (RoundsScores & { readonly byLanguage: Readonly<Record<string, RoundsScores>> }) | null;
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
const singleTalliesOf = ({ cases, results, judgement }: Evaluated): readonly CaseTally[] => {
  const byCase = grouped(results, ({ caseId }) => caseId);
  const judged = grouped<JudgedResult>(judgement.results, ({ caseId }) => caseId);
  return cases.flatMap((each) => {
    const own = byCase.get(each.id);
    if (own === undefined || each.kind === 'rounds') return [];
    const pairs = new Map((judged.get(each.id) ?? []).map((result) => [result.repeat, result.pairs]));
    return [tallyCase({ case: each, by: judgement.by, results: own, pairs })];
  });
};

const roundsTalliesOf = ({ cases, results }: Pick<Evaluated, 'cases' | 'results'>): readonly RoundsTally[] => {
  const byCase = grouped(results, ({ caseId }) => caseId);
  return cases.flatMap((each) => {
    const own = byCase.get(each.id);
    return own === undefined || each.kind !== 'rounds' ? [] : [tallyRounds(each, own)];
  });
};

export const talliesOf = (evaluated: Evaluated): RunTallies => ({
  single: singleTalliesOf(evaluated),
  rounds: roundsTalliesOf(evaluated),
});

const scoresBy = <Tally, Scores>(
  tallies: readonly Tally[],
  keyOf: (tally: Tally) => string,
  scores: (tallies: readonly Tally[]) => Scores,
): Readonly<Record<string, Scores>> =>
  Object.fromEntries(
    [...grouped(tallies, keyOf)]
      .toSorted(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, group]) => [key, scores(group)]),
  );

const roundsOf = (tallies: readonly RoundsTally[]): EvalReport['rounds'] =>
  tallies.length === 0
    ? null
    : { ...roundsScoresOf(tallies), byLanguage: scoresBy(tallies, ({ language }) => language, roundsScoresOf) };

export const evalReportOf = (evaluated: Evaluated): EvalReport => {
  const { run, cases, results, judgement } = evaluated;
  const { single, rounds } = talliesOf(evaluated);
  return {
    run: { version: run.version, runner: run.runner, model: run.model, repeat: run.repeat },
    judge: { by: judgement.by, model: judgement.model },
    rounds: roundsOf(rounds),
    total: scoresOf(single),
    bySeverity: perSeverity((severity) => severityScores(single, severity)),
    byLanguage: scoresBy(single, ({ language }) => language, scoresOf),
    bySet: scoresBy(single, ({ set }) => set, scoresOf),
    missing: cases.length - single.length - rounds.length,
    failures: results.flatMap((result) =>
      result.kind === 'failed' ? [{ caseId: result.caseId, code: result.code, message: result.message }] : [],
    ),
  };
};
