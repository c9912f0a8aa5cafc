import { expect, test } from 'vitest';
import type { CostQuestion } from '../../../../services/cli/cost/parse-cost-options.ts';
import { printCost } from '../../../../services/cli/cost/print-cost.ts';
import type { SpendingRow } from '../../../../shared/store/spending/read-spending.ts';

const row = (patch: Partial<SpendingRow>): SpendingRow => ({
  day: '2026-11-29',
  forge: 'main',
  projectId: 17,
  role: 'reviewer',
  model: 'claude-sonnet-5-5',
  calls: 10,
  inputTokens: 1_200_000,
  cachedTokens: 900_000,
  outputTokens: 30_000,
  microUsd: 1_234_567,
  ...patch,
});

const ROWS = [
  row({}),
  row({ role: 'explorer', model: 'claude-haiku-5-5', calls: 1, microUsd: 100 }),
  row({ projectId: 9, microUsd: 5_000_000 }),
  row({ day: '2026-11-28', forge: 'a', projectId: 0, microUsd: 1 }),
  row({ day: '2026-11-28', projectId: 9, model: 'claude-haiku-5-5', inputTokens: 1, microUsd: 1 }),
];
const NAMES = new Map([['main/17', 'shop/till']]);
const print = (patch: Partial<CostQuestion>, rows: readonly SpendingRow[] = ROWS): string =>
  printCost(
    { period: { since: '2026-11-01', until: '2026-11-30' }, by: ['project'], format: 'text', ...patch },
    rows,
    NAMES,
  );

test('projects with names or ids, the dearest first, and their total', () => {
  expect(print({})).toBe(`2026-11-01 to 2026-11-30 (UTC)
project               calls      input     cached   output     cost
main/9                   20  1,200,001  1,800,000   60,000  $5.0000
main/shop/till           11  2,400,000  1,800,000   60,000  $1.2347
a/(further projects)     10  1,200,000    900,000   30,000  $0.0000
total                    41  4,800,001  4,500,000  150,000  $6.2347
`);
});

test('with a day, rows are in the order of the days, and then by cost', () => {
  expect(print({ by: ['role', 'day'] }).replaceAll(/ {2,}.*/g, '')).toBe(
    '2026-11-01 to 2026-11-30 (UTC)\nrole\nreviewer\nreviewer\nexplorer\ntotal\n',
  );
  expect(print({ by: ['day', 'model'], format: 'csv' })).toBe(`day,model,calls,inputTokens,cachedTokens,outputTokens,usd
2026-11-28,claude-sonnet-5-5,10,1200000,900000,30000,0.000001
2026-11-28,claude-haiku-5-5,10,1,900000,30000,0.000001
2026-11-29,claude-sonnet-5-5,20,2400000,1800000,60000,6.234567
2026-11-29,claude-haiku-5-5,1,1200000,900000,30000,0.0001
`);
});

test('JSON has the period, the columns, exact amounts and the total', () => {
  expect(JSON.parse(print({ by: ['forge'], format: 'json' }))).toEqual({
    since: '2026-11-01',
    until: '2026-11-30',
    by: ['forge'],
    rows: [
      {
        forge: 'main',
        calls: 31,
        inputTokens: 3_600_001,
        cachedTokens: 3_600_000,
        outputTokens: 120_000,
        usd: 6.234668,
      },
      { forge: 'a', calls: 10, inputTokens: 1_200_000, cachedTokens: 900_000, outputTokens: 30_000, usd: 0.000001 },
    ],
    total: { calls: 41, inputTokens: 4_800_001, cachedTokens: 4_500_000, outputTokens: 150_000, usd: 6.234669 },
    notes: [],
  });
});

test('says what the numbers of a restored row and of a subscription are', () => {
  const rows = [
    row({ role: 'restored', model: 'unknown', microUsd: 2_500_000 }),
    row({ model: 'subscription/claude-opus-5-5', microUsd: 0 }),
  ];
  expect(print({}, rows).split('\n').slice(-3)).toEqual([
    '$2.5000 (role restored) was read back from signed markers and is listed on the day of the reading; its own days, models and roles are unknown',
    'models that begin with subscription/ are paid by a subscription, whose money is not counted',
    '',
  ]);
});

test('no spending is a sentence, an empty list or a lone heading', () => {
  expect(print({}, [])).toBe('2026-11-01 to 2026-11-30 (UTC): no spending is recorded\n');
  expect(print({ format: 'csv' }, [])).toBe('project,calls,inputTokens,cachedTokens,outputTokens,usd\n');
  expect(JSON.parse(print({ format: 'json' }, []))).toMatchObject({ rows: [], total: { calls: 0, usd: 0 } });
});

test('text of others neither controls the terminal nor becomes a formula', () => {
  const rows = [row({ model: '=1+"2",\u001B[31m' })];
  expect(print({ by: ['model'] }, rows)).not.toContain('\u001B');
  expect(print({ by: ['model'], format: 'csv' }, rows).split('\n')[1]).toMatch(/^"'=1\+""2"",/);
});
