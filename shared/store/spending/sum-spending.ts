/** Adds up the record of spending by the columns that a reader asked for. Computes only. */
import type { SpendingRow } from './read-spending.ts';
import type { SpendingAmounts } from './spending-record.ts';

export const SPENDING_COLUMNS = ['day', 'forge', 'project', 'role', 'model'] as const;
export type SpendingColumn = (typeof SPENDING_COLUMNS)[number];

export type SpendingSum = SpendingAmounts & {
  /** One value per column, in the order of the columns. A project is `forge/id`, or `forge/path` if its path is known. */
  readonly values: readonly string[];
};

export type SpendingSums = { readonly rows: readonly SpendingSum[]; readonly total: SpendingAmounts };

/** The names of projects by `forge/id`. */
export type NamesById = ReadonlyMap<string, string>;

export const projectKey = ({ forge, projectId }: Pick<SpendingRow, 'forge' | 'projectId'>): string =>
  `${forge}/${projectId}`;

const NOTHING: SpendingAmounts = { calls: 0, inputTokens: 0, cachedTokens: 0, outputTokens: 0, microUsd: 0 };

const plus = (one: SpendingAmounts, other: SpendingAmounts): SpendingAmounts => ({
  calls: one.calls + other.calls,
  inputTokens: one.inputTokens + other.inputTokens,
  cachedTokens: one.cachedTokens + other.cachedTokens,
  outputTokens: one.outputTokens + other.outputTokens,
  microUsd: one.microUsd + other.microUsd,
});

const projectOf = (row: SpendingRow, names: NamesById): string => {
  if (row.projectId === 0) return `${row.forge}/(further projects)`;
  const name = names.get(projectKey(row));
  return name === undefined ? projectKey(row) : `${row.forge}/${name}`;
};

const valueOf = (row: SpendingRow, column: SpendingColumn, names: NamesById): string =>
  column === 'project' ? projectOf(row, names) : row[column];

const compareText = (one: string, other: string): number => (one < other ? -1 : Number(one > other));

/** Days in their order if the day is a column, otherwise what cost most first. */
const compareSums =
  (day: number) =>
  (one: SpendingSum, other: SpendingSum): number =>
    compareText(one.values[day] ?? '', other.values[day] ?? '') ||
    other.microUsd - one.microUsd ||
    other.inputTokens + other.outputTokens - one.inputTokens - one.outputTokens ||
    compareText(one.values.join('\0'), other.values.join('\0'));

export const sumSpending = (
  rows: readonly SpendingRow[],
  by: readonly SpendingColumn[],
  names: NamesById = new Map(),
): SpendingSums => {
  const sums = new Map<string, SpendingSum>();
  let total = NOTHING;
  for (const row of rows) {
    const values = by.map((column) => valueOf(row, column, names));
    const key = values.join('\0');
    sums.set(key, { values, ...plus(sums.get(key) ?? NOTHING, row) });
    total = plus(total, row);
  }
  return { rows: [...sums.values()].toSorted(compareSums(by.indexOf('day'))), total };
};
