import { describe, expect, it } from 'vitest';
import { parseReport } from '../../../../shared/analyzers/report/parse-report.ts';

const read = (text: string, analyzer = 'shellcheck') =>
  parseReport(Buffer.from(text), { format: 'checkstyle', analyzer, roots: ['/workspace'] });

const report = (inside: string) =>
  `<?xml version='1.0' encoding='UTF-8'?>\n<checkstyle version='4.3'>${inside}</checkstyle>\n`;
const file = (name: string, inside: string) => `<file name='${name}'>${inside}</file>`;
const error = (more = '', source = 'ShellCheck.SC2086') =>
  `<error line='3' column='4' severity='warning' message='Quote &quot;$x&quot; &#38; more' source='${source}' ${more}/>`;

const EXPECTED = {
  path: 'run.sh',
  startLine: 3,
  endLine: 3,
  rule: 'SC2086',
  level: 'warning',
  message: 'Quote "$x" & more',
  help: '',
  suppressed: false,
};

it.each(['run.sh', './run.sh', '/workspace/run.sh'])('reads an error of %s', (name) => {
  expect(read(report(file(name, error())))).toEqual({ kind: 'report', results: [EXPECTED], outside: 0 });
});

it('reads a report without errors', () => {
  expect(read(report(file('run.sh', '')))).toEqual({ kind: 'report', results: [], outside: 0 });
  expect(read('<checkstyle/>')).toEqual({ kind: 'report', results: [], outside: 0 });
});

it.each<[source: string, analyzer: string, rule: string]>([
  ['com.puppycrawl.tools.checkstyle.checks.sizes.LineLengthCheck', 'java', 'LineLengthCheck'],
  ['eslint.rules.no-eval', 'eslint', 'no-eval'],
  ['eslint.rules.@typescript-eslint/no-explicit-any', 'eslint', '@typescript-eslint/no-explicit-any'],
  ['detekt.MagicNumber', 'detekt', 'MagicNumber'],
  ['Squiz.WhiteSpace.SuperfluousWhitespace.EndLine', 'phpcs', 'Squiz.WhiteSpace.SuperfluousWhitespace.EndLine'],
  ['ShellCheck.SC2086', 'other', 'ShellCheck.SC2086'],
  ['', 'other', 'unnamed'],
])('names the rule of %s', (source, analyzer, rule) => {
  expect(read(report(file('a', error('', source))), analyzer)).toMatchObject({ results: [{ rule }] });
});

it.each<[severity: string, level: string | null]>([
  ['error', 'error'],
  ['ERROR', 'error'],
  ['info', 'info'],
  ['style', 'info'],
  ['odd', 'warning'],
  ['ignore', null],
])('reads the severity %s', (severity, level) => {
  const text = report(file('a', `<error severity="${severity}" message="m" source="s"/>`));
  expect(read(text)).toMatchObject({ results: level === null ? [] : [{ level, startLine: 1, endLine: 1 }] });
});

it('counts places outside of the tree, and errors of no file', () => {
  const text = report(file('/etc/passwd', error()) + file('../a', error()) + error());
  expect(read(text)).toEqual({ kind: 'report', results: [], outside: 3 });
});

const EXPANDING = `<!DOCTYPE checkstyle [<!ENTITY a "${'x'.repeat(50)}"><!ENTITY b "&a;&a;&a;&a;">]>`;

describe('a report that says nothing about the code', () => {
  it.each<[what: string, text: string, reason: string]>([
    ['is empty', '\n', 'wrote no report'],
    ['is cut', report(file('a', error())).slice(0, -20), 'wrote no well-formed XML'],
    ['has no end', '<checkstyle>', 'wrote no well-formed XML'],
    ['is followed by an error message', `${report('')}panic: x`, 'wrote no well-formed XML'],
    ['is something else', '<html></html>', 'wrote XML that is no Checkstyle report'],
    ['names an error of the tool', report(file('a', '<exception>x</exception>')), 'reports an error of its own'],
    ['has entities that expand', `${EXPANDING}${report('&b;').slice(39)}`, 'wrote XML with a document type'],
    ['has an unknown entity', report('&b;'), 'wrote no well-formed XML'],
    ['has too many errors', report(file('a', error().repeat(50_001))), 'reported more than 50000 results'],
  ])('is unreadable: it %s', (_, text, reason) => {
    expect(read(text)).toEqual({ kind: 'unreadable', reason });
  });
});
