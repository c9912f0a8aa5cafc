import { compareRuns } from '../../../shared/eval/compare-runs.ts';
import { type EvalJudgement, JudgeKind } from '../../../shared/eval/judge.ts';
import { type Evaluated, evalReportOf, talliesOf } from '../../../shared/eval/report.ts';
import { printJson } from '../terminal/print-json.ts';
import { UsageError } from '../terminal/usage-error.ts';
import { comparisonText, evalReportText } from './report-eval-text.ts';
import { loadJudgement, loadRun } from './run-folder.ts';

export type EvalReportOptions = {
  readonly by?: JudgeKind;
  readonly compare?: string;
  readonly maxDrop: number;
  readonly format: 'text' | 'json';
};

/** `fixpoint eval report`: 0, or 1 if the compared run was better beyond the threshold. */
export const evalReport = async (folder: string, options: EvalReportOptions): Promise<number> => {
  const evaluated = await loadEvaluated(folder, options.by);
  const report = evalReportOf(evaluated);
  const comparison =
    options.compare === undefined
      ? null
      : compareRuns(await earlierTallies(options.compare, evaluated), talliesOf(evaluated), options.maxDrop);
  process.stdout.write(
    options.format === 'json'
      ? printJson({ ...report, comparison })
      : `${evalReportText(report)}${comparison === null ? '' : comparisonText(comparison)}`,
  );
  return comparison !== null && (comparison.fell.length > 0 || comparison.shared === 0) ? 1 : 0;
};

/** Change requests with several reviews need no judgement. */
const NOT_JUDGED: EvalJudgement = { v: 1, by: 'place', model: null, results: [] };

const loadEvaluated = async (folder: string, by: JudgeKind | undefined): Promise<Evaluated> => {
  const stored = await loadRun(folder);
  if (stored.cases.every(({ kind }) => kind === 'rounds')) return { ...stored, judgement: NOT_JUDGED };
  const found = await Promise.all(
    JudgeKind.options
      .filter((each) => by === undefined || each === by)
      .map(async (each) => loadJudgement(folder, each)),
  );
  const judgements = found.filter((each) => each !== null);
  const [judgement] = judgements;
  if (judgement === undefined)
    throw new UsageError(`${folder} is not judged yet: first run fixpoint eval judge ${folder} --by ${by ?? 'place'}`);
  if (judgements.length > 1)
    throw new UsageError(
      `${folder} is judged by ${judgements.map((each) => each.by).join(' and ')}: name one with --by`,
    );
  const judged = new Set(judgement.results.map(({ caseId, repeat }) => `${caseId} ${repeat}`));
  const isNew = stored.results.some(
    ({ kind, caseId, repeat }) => kind === 'reviewed' && !judged.has(`${caseId} ${repeat}`),
  );
  if (isNew) throw new UsageError(`${folder} has results that are not judged: run fixpoint eval judge again`);
  return { ...stored, judgement };
};

/** @throws UsageError if another judge judged it, because the numbers would differ for that reason alone */
const earlierTallies = async (folder: string, { judgement: { by, model } }: Evaluated) => {
  const earlier = await loadEvaluated(folder, by);
  if (earlier.judgement.model !== model)
    throw new UsageError(`${folder} was judged by ${earlier.judgement.model}, and not by ${model}`);
  return talliesOf(earlier);
};
