/** The report of `fixpoint eval report` for people. */
import type { EvalReport } from '../../../shared/eval/report.ts';
import type { Interval } from '../../../shared/eval/bootstrap.ts';
import type { RunComparison } from '../../../shared/eval/compare-runs.ts';
import type { EvalScores, HitScores, Share } from '../../../shared/eval/score.ts';
import { severityWord } from '../../../shared/vocabulary/severity-words.ts';
import { Severity } from '../../../shared/vocabulary/finding.ts';
import { escapeForTerminalLine } from '../../../shared/text/visible.ts';

const percent = (value: number | null): string => (value === null ? '-' : `${(value * 100).toFixed(1)} %`);

const within = (interval: Interval | null, print: (value: number) => string): string =>
  interval === null ? '' : ` (${print(interval.low)} to ${print(interval.high)})`;

const shareText = ({ part, of, value, interval }: Share): string =>
  value === null ? '-' : `${percent(value)}${within(interval, percent)}, ${part} of ${of}`;

const noiseText = ({ part, of, value, interval }: Share): string =>
  value === null ? '-' : `${value.toFixed(2)}${within(interval, (each) => each.toFixed(2))}, ${part} in ${of} lines`;

const row = (name: string, text: string): string => `  ${name.padEnd(34)}${text}`;

const hitRows = ({ precision, recall, f1 }: HitScores): readonly string[] => [
  row('precision', shareText(precision)),
  row('recall', shareText(recall)),
  row('F1', f1.value === null ? '-' : `${percent(f1.value)}${within(f1.interval, percent)}`),
];

const scoreRows = (scores: EvalScores): readonly string[] => [
  ...hitRows(scores),
  row('findings without a label', `per 1,000 changed lines: ${noiseText(scores.noise)}`),
  row('false-clean rate', shareText(scores.falseClean)),
  row('clean changes that pass', shareText(scores.cleanPass)),
];

const costRows = ({ spent, reviews, cachedShare }: EvalScores): readonly string[] => [
  row('tokens', `${spent.inputTokens} in, ${spent.outputTokens} out, from the cache ${percent(cachedShare)}`),
  row(
    'money',
    `$${spent.costUsd.toFixed(2)}${reviews === 0 ? '' : `, $${(spent.costUsd / reviews).toFixed(4)} per review`}`,
  ),
];

const CELLS = [10, 18, 18, 10, 14, 18, 18] as const;

const line = (cells: readonly string[]): string =>
  `  ${cells.map((cell, index) => cell.padEnd(index === 0 ? 16 : (CELLS[index - 1] ?? 0))).join('')}`.trimEnd();

const brief = ({ part, of, value }: Share): string => (value === null ? '-' : `${percent(value)} ${part}/${of}`);

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

const headline = ({ run, judge, total, missing }: EvalReport): readonly string[] => [
  `Fixpoint ${run.version}, runner ${run.runner}${run.model === null ? '' : `, model ${run.model}`}; judged by ${judge.model ?? judge.by}`,
  `${total.cases} cases, ${total.reviews} reviews, ${total.failed} failed, ${total.inconclusive} inconclusive` +
    (missing === 0 ? '' : `; ${missing} cases have no result yet`) +
    (total.unjudged === 0 ? '' : `; ${total.unjudged} labels without a place were not judged`),
];

export const evalReportText = (report: EvalReport): string =>
  [
    ...headline(report),
    '',
    ...scoreRows(report.total),
    ...costRows(report.total),
    ...severityTable(report.bySeverity),
    ...table('language', report.byLanguage),
    ...table('set', report.bySet),
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
