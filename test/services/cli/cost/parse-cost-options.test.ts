import { describe, expect, test } from 'vitest';
import {
  type CostOptions,
  parseCostOptions,
  recordedPeriod,
} from '../../../../services/cli/cost/parse-cost-options.ts';

const NOW_MS = Date.parse('2026-11-30T23:59:59Z');
const parse = (patch: Partial<CostOptions>) =>
  parseCostOptions({ since: '30d', by: 'project', format: 'text', ...patch }, NOW_MS);

test('by default, the last 30 days with today, by project', () => {
  expect(parse({})).toEqual({
    period: { since: '2026-11-01', until: '2026-11-30' },
    by: ['project'],
    format: 'text',
  });
});

test.each([
  [{ since: '1d' }, '2026-11-30', '2026-11-30'],
  [{ since: '400d' }, '2025-10-27', '2026-11-30'],
  [{ since: '2026-02-28' }, '2026-02-28', '2026-11-30'],
  [{ since: '2026-10-01', until: '2026-10-31' }, '2026-10-01', '2026-10-31'],
  [{ since: '7d', until: '2026-12-24' }, '2026-11-24', '2026-12-24'],
])('the period of %j', (patch, since, until) => {
  expect(parse(patch).period).toEqual({ since, until });
});

test.each([
  ['2026-11-30', '2026-11-30'],
  ['2026-12-01', '2026-12-01'],
  ['2026-12-24', '2026-12-01'],
  ['9999-12-31', '2026-12-01'],
])('of a period that ends on %s, the days until %s are read', (until, last) => {
  expect(recordedPeriod(parse({ since: '7d', until }).period, NOW_MS)).toEqual({ since: '2026-11-24', until: last });
});

test('several columns, in the order in which they are named', () => {
  expect(parse({ by: 'model, role,day,forge,project', format: 'csv' })).toMatchObject({
    by: ['model', 'role', 'day', 'forge', 'project'],
    format: 'csv',
  });
});

describe('mistakes', () => {
  test.each([
    [{ since: '0d' }, '--since: expected a number of days such as 30d, or a date such as 2026-11-01, not "0d"'],
    [{ since: '30' }, '--since: expected a number of days such as 30d, or a date such as 2026-11-01, not "30"'],
    [
      { since: '2026-02-30' },
      '--since: expected a number of days such as 30d, or a date such as 2026-11-01, not "2026-02-30"',
    ],
    [{ since: '402d' }, '--since: spending is kept for 400 days, since 2025-10-26'],
    [{ since: '2024-01-01' }, '--since: spending is kept for 400 days, since 2025-10-26'],
    [{ until: '7d' }, '--until: expected a date such as 2026-11-01, not "7d"'],
    [
      { since: '2026-11-02', until: '2026-11-01' },
      '--until: the period would end (2026-11-01) before it begins (2026-11-02)',
    ],
    [{ by: 'projct' }, '--by: expected some of day, forge, project, role, model, with commas, not "projct"'],
    [{ by: '' }, '--by: expected some of day, forge, project, role, model, with commas, not ""'],
    [{ by: 'day,role,day' }, '--by: day is there twice'],
    [{ format: 'yaml' }, '--format: expected text, json or csv'],
  ])('%j', (patch, message) => {
    expect(() => parse(patch)).toThrow(message);
  });
});
