/** The report of `fixpoint eval report` for people. */
import type { EvalReport } from '../../../shared/eval/report.ts';
import type { RunComparison } from '../../../shared/eval/compare-runs.ts';
import type { EvalScores, HitScores } from '../../../shared/eval/score.ts';
import { severityWord } from '../../../shared/vocabulary/severity-words.ts';
import { Severity } from '../../../shared/vocabulary/finding.ts';
import { escapeForTerminalLine } from '../../../shared/text/visible.ts';
import { brief, costRows, lineOf, percent, rateText, row, shareText, within } from './report-cells.ts';
import { roundsText } from './report-rounds-text.ts';

const line = lineOf([10, 18, 18, 10, 14, 18, 18]);

const hitRows = ({ precision, recall, f1 }: HitScores): readonly string[] => [
  row('precision', shareText(precision)),
  row('recall', shareText(recall)),
  row('F1', f1.value === null ? '-' : `${percent(f1.value)}${within(f1.interval, percent)}`),
];

const scoreRows = (scores: EvalScores): readonly string[] => [
  ...hitRows(scores),
  row('findings without a label', `per 1,000 changed lines: ${rateText(scores.noise, 'lines')}`),
  row('false-clean rate', shareText(scores.falseClean)),
  row('clean changes that pass', shareText(scores.cleanPass)),
];

const table = (title: string, scores: Readonly<Record<string, EvalScores>>): readonly string[] => [
  '',
  line([title, 'reviews', 'precision', 'recall', 'F1', 'per 1,000', 'false clean', 'clean passed']),
  ...Object.entries(scores).map(([name, each]) =>
    line([
      escapeForTerminalLine(name),
      String(each.reviews),
      brief(each.precision),
      brief(each.recall),
      percent(each.f1.value),
      each.noise.value === null ? '-' : each.noise.value.toFixed(2),
      brief(each.falseClean),
      brief(each.cleanPass),
    ]),
  ),
];

const severityTable = (bySeverity: EvalReport['bySeverity']): readonly string[] => [
  '',
  line(['severity', '', 'precision', 'recall', 'F1']),
  ...Severity.options.map((severity) => {
    const { precision, recall, f1 } = bySeverity[severity];
    return line([`${severity} ${severityWord(severity)}`, '', brief(precision), brief(recall), percent(f1.value)]);
  }),
];

const runText = ({ run }: EvalReport): string =>
  `Fixpoint ${run.version}, runner ${run.runner}${run.model === null ? '' : `, model ${run.model}`}`;

const headline = (report: EvalReport): readonly string[] => {
  const { judge, rounds, missing, total } = report;
  if (rounds === null || total.cases > 0) return [`${runText(report)}; judged by ${judge.model ?? judge.by}`];
  return [`${runText(report)}${missing === 0 ? '' : `; ${missing} cases have no result yet`}`];
};

const singleText = ({ total, missing, bySeverity, byLanguage, bySet }: EvalReport): readonly string[] => [
  `${total.cases} cases, ${total.reviews} reviews, ${total.failed} failed, ${total.inconclusive} inconclusive` +
    (missing === 0 ? '' : `; ${missing} cases have no result yet`) +
    (total.unjudged === 0 ? '' : `; ${total.unjudged} labels without a place were not judged`),
  '',
  ...scoreRows(total),
  ...costRows(total),
  ...severityTable(bySeverity),
  ...table('language', byLanguage),
  ...table('set', bySet),
];

/** A run of nothing but change requests with several reviews has no scores of single reviews. */
const partsOf = (report: EvalReport): readonly string[] => {
  const { rounds, total } = report;
  if (rounds === null) return singleText(report);
  return total.cases === 0 ? roundsText(rounds) : [...singleText(report), '', ...roundsText(rounds)];
};

export const evalReportText = (report: EvalReport): string =>
  [
    ...headline(report),
    ...partsOf(report),
    ...(report.failures.length === 0 ? [] : ['', 'Failed:']),
    ...report.failures.map(({ caseId, message, code }) => `  ${caseId}: ${escapeForTerminalLine(message)} (${code})`),
    '',
    'Intervals: 95 %, by resampling the cases.',
    '',
  ].join('\n');

const number = (value: number): string => value.toFixed(3);

export const comparisonText = ({ shared, left, fell }: RunComparison): string =>
  [
    `Compared over ${shared} cases${left === 0 ? '' : `; ${left} cases of only one run were left out`}.`,
    ...(fell.length === 0
      ? ['Nothing became worse beyond the threshold.']
      : fell.map(({ what, before, after }) => `Worse: ${what}, from ${number(before)} to ${number(after)}`)),
    '',
  ].join('\n');
