import { createProjectNames, loadNames } from '../../../shared/store/spending/project-names.ts';
import { daysOf, readSpending, type SpendingRow } from '../../../shared/store/spending/read-spending.ts';
import type { SpendingAmounts } from '../../../shared/store/spending/spending-record.ts';
import {
  type NamesById,
  projectKey,
  type SpendingSum,
  sumSpending,
} from '../../../shared/store/spending/sum-spending.ts';
import { timeLimit } from '../../../shared/time-limit.ts';
import { type BudgetsReading, readBudgets, type SpendingProject } from './budgets.ts';
import type { PageSource } from './source.ts';

export const COST_PERIODS = [7, 30, 90, 365] as const;
export type CostPeriod = (typeof COST_PERIODS)[number];

export type DayCost = { readonly day: string; readonly usd: number };

export type CostReading = {
  readonly period: CostPeriod;
  /** Every day of the period, in order, also without costs. */
  readonly days: readonly DayCost[];
  readonly total: SpendingAmounts;
  readonly byProject: readonly SpendingSum[];
  readonly byModel: readonly SpendingSum[];
  readonly byRole: readonly SpendingSum[];
  readonly budgets: BudgetsReading;
};

const DAY_MS = 24 * 3600 * 1000;
const LIMIT_MS = 8_000;

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

export const readCost = async (source: PageSource, period: CostPeriod): Promise<CostReading> => {
  const { redis, config, nowMs, sight } = source;
  const now = nowMs();
  const { prefix } = config.redis;
  const range = { since: dayOf(now - (period - 1) * DAY_MS), until: dayOf(now) };
  const all = await readSpending(redis, { prefix, ...range }, timeLimit(LIMIT_MS));
  const rows = all.filter(sight.sees);
  const names = await loadNames(rows, createProjectNames(redis, prefix));
  const usd = new Map(sumSpending(rows, ['day']).rows.map(({ values: [day = ''], microUsd }) => [day, microUsd / 1e6]));
  const by = (column: 'project' | 'model' | 'role'): readonly SpendingSum[] => sumSpending(rows, [column], names).rows;
  return {
    period,
    days: daysOf(range).map((day) => ({ day, usd: usd.get(day) ?? 0 })),
    total: sumSpending(rows, []).total,
    byProject: by('project'),
    byModel: by('model'),
    byRole: by('role'),
    budgets: await readBudgets(source, { day: range.until, projects: spendersOf(rows, range.until, names) }),
  };
};

/** Entries without a project are those of calls whose project is not recorded any more. */
const spendersOf = (rows: readonly SpendingRow[], today: string, names: NamesById): readonly SpendingProject[] => [
  ...new Map(
    rows
      .filter(({ day, projectId }) => day === today && projectId > 0)
      .map((row) => {
        const { forge, projectId } = row;
        return [projectKey(row), { forge, projectId, path: names.get(projectKey(row)) }] as const;
      }),
  ).values(),
];
