/** The part of the report about change requests with several reviews. */
import type { EvalReport } from '../../../shared/eval/report.ts';
import type { RoundShares, RoundsScores } from '../../../shared/eval/score-rounds.ts';
import { escapeForTerminalLine } from '../../../shared/text/visible.ts';
import { brief, costRows, lineOf, rateText, row, shareText } from './report-cells.ts';

const line = lineOf([9, 15, 8, 9, 7, 18, 20, 16, 16]);

const HEADS = [
  'reviews',
  'found at once',
  'later',
  'repeats',
  'wrong',
  'wrongly resolved',
  'missed resolutions',
  'false pass',
  'false block',
] as const;

const cellsOf = (shares: RoundShares): readonly string[] => [
  String(shares.reviews),
  `${shares.found.part}/${shares.found.of}`,
  String(shares.late.part),
  String(shares.repeats.part),
  String(shares.wrong.part),
  brief(shares.closedEarly),
  brief(shares.leftOpen),
  brief(shares.falsePass),
  brief(shares.falseBlock),
];

const scoreRows = (scores: RoundsScores): readonly string[] => [
  row('defects found at once', shareText(scores.found)),
  row('repeats over reviews', rateText(scores.repeats, 'reviews')),
  row('threads about no defect', rateText(scores.wrong, 'reviews')),
  row('wrongly resolved', shareText(scores.closedEarly)),
  row('missed resolutions', shareText(scores.leftOpen)),
  row('passed with a defect', shareText(scores.falsePass)),
  row('blocked without a defect', shareText(scores.falseBlock)),
];

export const roundsText = (rounds: NonNullable<EvalReport['rounds']>): readonly string[] => {
  const { cases, reviews, failed, inconclusive, byReview, byLanguage } = rounds;
  return [
    `Over several reviews: ${cases} change requests, ${reviews} reviews, ${failed} failed, ${inconclusive} inconclusive; threads and defects compared by place`,
    '',
    ...scoreRows(rounds),
    ...costRows(rounds),
    '',
    line(['review', ...HEADS]),
    ...byReview.map((shares, index) => line([String(index + 1), ...cellsOf(shares)])),
    line(['all', ...cellsOf(rounds)]),
    '',
    line(['language', ...HEADS]),
    ...Object.entries(byLanguage).map(([name, scores]) => line([escapeForTerminalLine(name), ...cellsOf(scores)])),
  ];
};
