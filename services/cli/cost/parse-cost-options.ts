import { SPENDING_KEPT_DAYS } from '../../../shared/store/spending/spending-record.ts';
import type { SpendingPeriod } from '../../../shared/store/spending/read-spending.ts';
import { SPENDING_COLUMNS, type SpendingColumn } from '../../../shared/store/spending/sum-spending.ts';
import { UsageError } from '../terminal/usage-error.ts';

export const COST_FORMATS = ['text', 'json', 'csv'] as const;
export type CostFormat = (typeof COST_FORMATS)[number];

export type CostOptions = {
  readonly config?: string;
  readonly since: string;
  readonly until?: string;
  readonly by: string;
  readonly format: string;
};

export type CostQuestion = {
  readonly period: SpendingPeriod;
  readonly by: readonly SpendingColumn[];
  readonly format: CostFormat;
};

const DAY_MS = 24 * 3600 * 1000;
const A_DATE = 'a date such as 2026-11-01';

const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

/**
 * The days that may have a record: each day is read, and a period may end in any year. The clock of another machine may be
 * ahead of ours.
 */
export const recordedPeriod = ({ since, until }: SpendingPeriod, nowMs: number): SpendingPeriod => {
  const latest = dayOf(nowMs + DAY_MS);
  return { since, until: until > latest ? latest : until };
};

/** Null for a text that is not a day of the calendar. */
const parseDay = (text: string): string | null => {
  if (!/^\d{4}-\d\d-\d\d$/.test(text)) return null;
  const ms = Date.parse(`${text}T00:00:00Z`);
  return Number.isNaN(ms) || dayOf(ms) !== text ? null : text;
};

const parseSince = (text: string, nowMs: number): string => {
  const days = /^(\d{1,4})d$/.exec(text)?.[1];
  const day = days === undefined ? parseDay(text) : dayOf(nowMs - (Number(days) - 1) * DAY_MS);
  if (day === null || days === '0')
    throw new UsageError(`--since: expected a number of days such as 30d, or ${A_DATE}, not "${text}"`);
  const oldest = dayOf(nowMs - SPENDING_KEPT_DAYS * DAY_MS);
  if (day < oldest) throw new UsageError(`--since: spending is kept for ${SPENDING_KEPT_DAYS} days, since ${oldest}`);
  return day;
};

const parsePeriod = ({ since, until }: CostOptions, nowMs: number): SpendingPeriod => {
  const period = { since: parseSince(since, nowMs), until: until === undefined ? dayOf(nowMs) : parseDay(until) };
  if (period.until === null) throw new UsageError(`--until: expected ${A_DATE}, not "${until}"`);
  if (period.until < period.since)
    throw new UsageError(`--until: the period would end (${period.until}) before it begins (${period.since})`);
  return { ...period, until: period.until };
};

const parseColumns = (text: string): readonly SpendingColumn[] => {
  const columns = text.split(',').map((part) => {
    const name = part.trim();
    const column = SPENDING_COLUMNS.find((known) => known === name);
    if (column === undefined)
      throw new UsageError(`--by: expected some of ${SPENDING_COLUMNS.join(', ')}, with commas, not "${name}"`);
    return column;
  });
  const twice = columns.find((column, index) => columns.indexOf(column) !== index);
  if (twice !== undefined) throw new UsageError(`--by: ${twice} is there twice`);
  return columns;
};

/** @throws UsageError for the first mistake */
export const parseCostOptions = (options: CostOptions, nowMs: number): CostQuestion => {
  const format = COST_FORMATS.find((known) => known === options.format);
  if (format === undefined) throw new UsageError('--format: expected text, json or csv');
  return { period: parsePeriod(options, nowMs), by: parseColumns(options.by), format };
};
