import { describe, expect, it } from 'vitest';
import { parseReport } from '../../../../shared/analyzers/report/parse-report.ts';
import type { AnalyzerFormat } from '../../../../shared/vocabulary/analyzer.ts';

const read = (text: string, format: AnalyzerFormat = 'rdjson') =>
  parseReport(Buffer.from(text), { format, analyzer: 'lint', roots: ['/workspace'] });

const diagnostic = (more: object = {}) => ({
  message: 'unused variable',
  location: { path: 'src/a.js', range: { start: { line: 3, column: 1 }, end: { line: 3, column: 9 } } },
  severity: 'ERROR',
  code: { value: 'unused', url: 'https://example.com' },
  ...more,
});

const EXPECTED = {
  path: 'src/a.js',
  startLine: 3,
  endLine: 3,
  rule: 'unused',
  level: 'error',
  message: 'unused variable',
  help: '',
  suppressed: false,
};

const document = (diagnostics: unknown, more: object = {}) =>
  JSON.stringify({ source: { name: 'x' }, diagnostics, ...more });

it('reads a diagnostic', () => {
  expect(read(document([diagnostic()]))).toEqual({ kind: 'report', results: [EXPECTED], outside: 0 });
});

it.each<[severity: unknown, level: string]>([
  ['WARNING', 'warning'],
  ['INFO', 'info'],
  [1, 'error'],
  [2, 'warning'],
  [3, 'info'],
  ['UNKNOWN_SEVERITY', 'info'],
  [undefined, 'info'],
])('reads the severity %s, and otherwise takes the one of the document', (severity, level) => {
  const text = document([diagnostic({ severity })], { severity: 'INFO' });
  expect(read(text)).toMatchObject({ results: [{ level }] });
});

it('takes a warning if no severity is given at all', () => {
  expect(read(document([diagnostic({ severity: undefined })]))).toMatchObject({ results: [{ level: 'warning' }] });
});

it.each<[what: string, location: object, lines: object]>([
  ['without a range', { path: 'a' }, { startLine: 1, endLine: 1 }],
  ['without an end', { path: 'a', range: { start: { line: 4 } } }, { startLine: 4, endLine: 4 }],
  [
    'that ends before the first character of a line',
    { path: 'a', range: { start: { line: 4 }, end: { line: 6, column: 1 } } },
    { startLine: 4, endLine: 5 },
  ],
])('reads a place %s', (_, location, lines) => {
  expect(read(document([diagnostic({ location })]))).toMatchObject({ results: [{ path: 'a', ...lines }] });
});

it('counts a place outside of the tree, and decodes only addresses', () => {
  const at = (path: string) => diagnostic({ location: { path } });
  expect(read(document([at('../a'), at('/etc/passwd'), at('a%20b'), at('file:///workspace/a%20b')]))).toMatchObject({
    results: [{ path: 'a%20b' }, { path: 'a b' }],
    outside: 2,
  });
});

describe('rdjsonl', () => {
  it('has one diagnostic per line, and none if it is empty', () => {
    const text = `${JSON.stringify(diagnostic())}\r\n\n${JSON.stringify(diagnostic({ severity: null }))}\n`;
    expect(read(text, 'rdjsonl')).toMatchObject({ results: [EXPECTED, { ...EXPECTED, level: 'warning' }] });
    expect(read('', 'rdjsonl')).toEqual({ kind: 'report', results: [], outside: 0 });
  });

  it('ends at the first line that is not JSON, or is one too many, however long the report is', () => {
    const startedAt = performance.now();
    expect(read('x\n'.repeat(5_000_000), 'rdjsonl')).toMatchObject({ kind: 'unreadable' });
    expect(read('1\n'.repeat(5_000_000), 'rdjsonl')).toEqual({
      kind: 'unreadable',
      reason: 'reported more than 50000 results',
    });
    // An exception for each line takes several times as long.
    expect(performance.now() - startedAt).toBeLessThan(10_000);
  });

  it('is unreadable if a line is not JSON', () => {
    expect(read(`${JSON.stringify(diagnostic())}\nnpm warn x`, 'rdjsonl')).toEqual({
      kind: 'unreadable',
      reason: 'wrote no rdjsonl: expected one JSON object per line',
    });
  });
});

it.each<[text: string, reason: string]>([
  ['', 'wrote no report'],
  ['{}', 'wrote no rdjson'],
  ['[]', 'wrote no rdjson'],
  ['null', 'wrote no rdjson'],
  [document([{ message: 'x' }]), 'wrote a report with a malformed result'],
  [document(Array.from({ length: 50_001 }, () => 1)), 'reported more than 50000 results'],
])('does not read a report that says nothing about the code: %s', (text, reason) => {
  expect(read(text)).toEqual({ kind: 'unreadable', reason: expect.stringContaining(reason) });
});
