/** The plan of a large change, as `fixpoint review --plan` prints it, and why a review is refused that does not fit its budget. */
import type { Amount } from '../../../shared/agent/model/budget.ts';
import type { ModelPrice } from '../../../shared/agent/model/prices.ts';
import { foldersOf } from '../../reviewer/parts/folders-of.ts';
import { estimatePart, type Fit } from '../../reviewer/parts/price-parts.ts';
import type { ReviewPart } from '../../reviewer/parts/review-parts.ts';
import { escapeForTerminalLine } from '../../../shared/text/visible.ts';

export type LocalPlan = {
  readonly model: string;
  readonly price: ModelPrice;
  readonly budget: Amount;
  readonly parts: readonly ReviewPart[];
  readonly fit: Fit<ReviewPart>;
};

const MICRO = 1_000_000;

const number = (value: number): string => value.toLocaleString('en-US', { maximumFractionDigits: 0 });

const dollars = (microUsd: number): string => `$${(microUsd / MICRO).toFixed(2)}`;

const amount = ({ tokens, microUsd }: Amount): string => `${number(tokens)} tokens and ${dollars(microUsd)}`;

const counted = (count: number, what: string): string => `${number(count)} ${what}${count === 1 ? '' : 's'}`;

/** One object for each part, for `--format json`. */
export const plannedParts = ({ parts, price, fit }: LocalPlan) =>
  parts.map((part) => {
    const { tokens, microUsd } = estimatePart(part, price);
    return {
      part: part.number,
      files: [...new Set(part.files.map(({ newPath }) => newPath))],
      changedLines: part.changedLines,
      tokens,
      costUsd: microUsd / MICRO,
      fits: fit.chosen.includes(part),
    };
  });

const FOLDERS_SHOWN = 3;

const foldersText = (files: readonly string[]): string => {
  const folders = foldersOf(files).map(({ folder }) => folder);
  const more = folders.length > FOLDERS_SHOWN ? ` and ${folders.length - FOLDERS_SHOWN} more` : '';
  return escapeForTerminalLine(folders.slice(0, FOLDERS_SHOWN).join(', ')) + more;
};

export const planText = (plan: LocalPlan): string => {
  const { model, budget, parts, fit } = plan;
  const planned = plannedParts(plan);
  const files = new Set(planned.flatMap((each) => each.files)).size;
  const lines = parts.reduce((sum, { changedLines }) => sum + changedLines, 0);
  const rows = planned.map((each) => [
    String(each.part),
    number(each.files.length),
    number(each.changedLines),
    number(each.tokens),
    dollars(each.costUsd * MICRO),
    `${foldersText(each.files)}${each.fits ? '' : ' (does not fit)'}`,
  ]);
  const table = [['part', 'files', 'changed lines', 'tokens', 'price', 'folders'], ...rows];
  return [
    `${counted(files, 'file')} with ${counted(lines, 'changed line')} in ${counted(parts.length, 'part')}, estimated for ${model}:`,
    '',
    ...table.map((row) => row.map((cell, at) => (at === row.length - 1 ? cell : cell.padStart(13))).join('  ')),
    '',
    fit.left.length === 0 ? `It fits the budget of ${amount(budget)}.` : notFittingText(plan),
    '',
  ].join('\n');
};

/** Rounded up, so that the value can be used as it is shown. */
const atLeast = (value: number, step: number): number => Math.ceil(value / step) * step;

export const notFittingText = ({ budget, fit, parts }: LocalPlan): string => {
  const { needed } = fit;
  const ways = [
    ...(needed.tokens > budget.tokens ? [`--budget-tokens ${atLeast(needed.tokens, 10_000)}`] : []),
    ...(needed.microUsd > budget.microUsd ? [`--budget-usd ${atLeast(needed.microUsd / MICRO, 1)}`] : []),
  ];
  const how = ways.length === 0 ? '' : `set ${ways.join(' and ')}, or `;
  return (
    `The review needs ${amount(needed)} for ${counted(parts.length, 'part')}, reservations included; ` +
    `the budget is ${amount(budget)}, so ${counted(fit.left.length, 'part')} would be left out: ${how}review some files with --path`
  );
};
