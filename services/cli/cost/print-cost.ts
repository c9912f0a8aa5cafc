/** Costs as text, JSON or CSV. Computes only. */
import type { SpendingRow } from '../../../shared/store/spending/read-spending.ts';
import type { SpendingAmounts } from '../../../shared/store/spending/spending-record.ts';
import { type NamesById, type SpendingColumn, sumSpending } from '../../../shared/store/spending/sum-spending.ts';
import { escapeForTerminalLine } from '../../../shared/text/visible.ts';
import { printJson } from '../terminal/print-json.ts';
import type { CostQuestion } from './parse-cost-options.ts';

const AMOUNTS = ['calls', 'inputTokens', 'cachedTokens', 'outputTokens', 'usd'] as const;
const HEADINGS = ['calls', 'input', 'cached', 'output', 'cost'];

const amountsOf = ({ microUsd, calls, inputTokens, cachedTokens, outputTokens }: SpendingAmounts) => ({
  calls,
  inputTokens,
  cachedTokens,
  outputTokens,
  usd: microUsd / 1_000_000,
});

const named = (by: readonly SpendingColumn[], values: readonly string[]): Readonly<Record<string, string>> =>
  Object.fromEntries(by.map((column, index) => [column, values[index] ?? '']));

const WHOLE = new Intl.NumberFormat('en-US');

const cellsOf = (sum: SpendingAmounts): readonly string[] => [
  ...[sum.calls, sum.inputTokens, sum.cachedTokens, sum.outputTokens].map((amount) => WHOLE.format(amount)),
  `$${(sum.microUsd / 1_000_000).toFixed(4)}`,
];

/** What a reader has to know about some of the rows. */
const notesOf = (rows: readonly SpendingRow[]): readonly string[] => {
  const restored = rows.filter(({ role }) => role === 'restored').reduce((sum, { microUsd }) => sum + microUsd, 0);
  const restoredText = `$${(restored / 1_000_000).toFixed(4)} (role restored) was read back from signed markers and is listed on the day of the reading; its own days, models and roles are unknown`;
  const subscription = 'models that begin with subscription/ are paid by a subscription, whose money is not counted';
  return [
    ...(rows.some(({ role }) => role === 'restored') ? [restoredText] : []),
    ...(rows.some(({ model }) => model.startsWith('subscription/')) ? [subscription] : []),
  ];
};

const tableText = (table: readonly (readonly string[])[], leftColumns: number): readonly string[] => {
  const columns = table[0]?.length ?? 0;
  const widths = Array.from({ length: columns }, (_, at) => Math.max(...table.map((cells) => cells[at]?.length ?? 0)));
  return table.map((cells) =>
    cells
      .map((cell, at) => (at < leftColumns ? cell.padEnd(widths[at] ?? 0) : cell.padStart(widths[at] ?? 0)))
      .join('  ')
      .trimEnd(),
  );
};

/** A spreadsheet evaluates a cell that begins with one of these characters, unless there is a quote before it. */
const FORMULA = /^[=+\-@\t\r]/;

const csvCell = (value: string | number): string => {
  if (typeof value === 'number') return String(value);
  const safe = FORMULA.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe;
};

export const printCost = (
  { period, by, format }: CostQuestion,
  rows: readonly SpendingRow[],
  names: NamesById,
): string => {
  const sums = sumSpending(rows, by, names);
  switch (format) {
    case 'json':
      return printJson({
        ...period,
        by,
        rows: sums.rows.map((sum) => ({ ...named(by, sum.values), ...amountsOf(sum) })),
        total: amountsOf(sums.total),
        notes: notesOf(rows),
      });
    case 'csv': {
      const lines = sums.rows.map((sum) => [...sum.values, ...Object.values(amountsOf(sum))]);
      return [[...by, ...AMOUNTS], ...lines].map((cells) => `${cells.map(csvCell).join(',')}\n`).join('');
    }
    case 'text': {
      const title = `${period.since} to ${period.until} (UTC)`;
      const total = [...by.map((_, index) => (index === 0 ? 'total' : '')), ...cellsOf(sums.total)];
      const body = sums.rows.map((sum) => [...sum.values.map(escapeForTerminalLine), ...cellsOf(sum)]);
      const table = tableText([[...by, ...HEADINGS], ...body, total], by.length);
      const lines = rows.length === 0 ? [`${title}: no spending is recorded`] : [title, ...table, ...notesOf(rows)];
      return lines.map((line) => `${line}\n`).join('');
    }
    default:
      return format satisfies never;
  }
};
