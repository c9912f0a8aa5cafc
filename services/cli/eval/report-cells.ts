/** Numbers and rows of the report for people. */
import type { Interval } from '../../../shared/eval/bootstrap.ts';
import type { Share } from '../../../shared/eval/share.ts';
import type { Spent } from '../../../shared/vocabulary/spent.ts';

export const percent = (value: number | null): string => (value === null ? '-' : `${(value * 100).toFixed(1)} %`);

export const within = (interval: Interval | null, print: (value: number) => string): string =>
  interval === null ? '' : ` (${print(interval.low)} to ${print(interval.high)})`;

export const shareText = ({ part, of, value, interval }: Share): string =>
  value === null ? '-' : `${percent(value)}${within(interval, percent)}, ${part} of ${of}`;

/** A quotient that is no share, because its parts may be more than the whole. */
export const rateText = ({ part, of, value, interval }: Share, what: string): string =>
  value === null ? '-' : `${value.toFixed(2)}${within(interval, (each) => each.toFixed(2))}, ${part} in ${of} ${what}`;

export const row = (name: string, text: string): string => `  ${name.padEnd(34)}${text}`;

type Cost = { readonly spent: Spent; readonly reviews: number; readonly cachedShare: number | null };

export const costRows = ({ spent, reviews, cachedShare }: Cost): readonly string[] => [
  row('tokens', `${spent.inputTokens} in, ${spent.outputTokens} out, from the cache ${percent(cachedShare)}`),
  row(
    'money',
    `$${spent.costUsd.toFixed(2)}${reviews === 0 ? '' : `, $${(spent.costUsd / reviews).toFixed(4)} per review`}`,
  ),
];

const FIRST_CELL = 16;

/** `widths`: of all cells but the first. */
export const lineOf =
  (widths: readonly number[]) =>
  (cells: readonly string[]): string =>
    `  ${cells.map((cell, index) => cell.padEnd(index === 0 ? FIRST_CELL : (widths[index - 1] ?? 0))).join('')}`.trimEnd();

export const brief = ({ part, of, value }: Share): string => (value === null ? '-' : `${percent(value)} ${part}/${of}`);
