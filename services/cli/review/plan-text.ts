/** The plan of a large change, as `fixpoint review --plan` prints it, and why a review is refused that does not fit its budget. */
import type { Amount } from '../../../shared/agent/model/budget.ts';
import type { ModelPrice } from '../../../shared/agent/model/prices.ts';
import { foldersOf } from '../../reviewer/parts/folders-of.ts';
import { estimatePart, type Fit } from '../../reviewer/parts/price-parts.ts';
import type { ReviewPart } from '../../reviewer/parts/review-parts.ts';
import { escapeForTerminalLine } from '../../../shared/text/visible.ts';

export type LocalPlan = {
  /** As its provider names it. */
  readonly model: string;
  readonly price: ModelPrice;
  readonly budget: Amount;
  /** The most parts that a review may have. */
  readonly maxParts: number;
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

/** The options that make the budget large enough. Contract: the plan needs more than its budget. */
const budgetOptions = ({ budget, fit: { needed } }: LocalPlan): string =>
  [
    ...(needed.tokens > budget.tokens ? [`--budget-tokens ${atLeast(needed.tokens, 10_000)}`] : []),
    ...(needed.microUsd > budget.microUsd ? [`--budget-usd ${atLeast(needed.microUsd / MICRO, 1)}`] : []),
  ].join(' and ');

/** Why the plan does not fit, and what to do. Contract: `fit.left` is not empty. */
export const notFittingText = (plan: LocalPlan): string => {
  const { budget, fit, parts, maxParts } = plan;
  const count = counted(parts.length, 'part');
  // No budget makes such a change fit.
  if (parts.length > maxParts)
    return `The change has ${count}, and a review has at most ${maxParts}: review some files with --path`;
  const [needed, has] = [amount(fit.needed), `the budget is ${amount(budget)}`];
  if (parts.length === 1)
    return `The review may end before it is complete: it needs ${needed}, reservations included; ${has}: set ${budgetOptions(plan)}`;
  return (
    `The review needs ${needed} for ${count}, reservations included; ${has}, ` +
    `so ${counted(fit.left.length, 'part')} would be left out: set ${budgetOptions(plan)}, or review some files with --path`
  );
};
