import { describe, expect, it } from 'vitest';
import { parseReport } from '../../../../shared/analyzers/report/parse-report.ts';
import type { AnalyzerResult } from '../../../../shared/analyzers/report/report.ts';

const ROOT = '/workspace';

const read = (log: unknown) =>
  parseReport(Buffer.from(typeof log === 'string' ? log : JSON.stringify(log)), {
    format: 'sarif',
    analyzer: 'lint',
    roots: [ROOT],
  });

const location = (uri: string | null, region?: unknown, more: object = {}) => ({
  physicalLocation: { artifactLocation: { ...(uri === null ? {} : { uri }), ...more }, ...(region ? { region } : {}) },
});

const result = (more: object = {}) => ({
  ruleId: 'no-eval',
  message: { text: 'eval is bad' },
  locations: [location('src/a.js', { startLine: 3 })],
  ...more,
});

const run = (results: unknown, more: object = {}) => ({ tool: { driver: { name: 'lint' } }, results, ...more });
const log = (...runs: unknown[]) => ({ version: '2.1.0', runs });
const one = (more: object = {}, inRun: object = {}) => read(log(run([result(more)], inRun)));

const expected = (more: Partial<AnalyzerResult> = {}): AnalyzerResult => ({
  path: 'src/a.js',
  startLine: 3,
  endLine: 3,
  rule: 'no-eval',
  level: 'warning',
  message: 'eval is bad',
  help: '',
  suppressed: false,
  ...more,
});
const reported = (...results: AnalyzerResult[]) => ({ kind: 'report', results, outside: 0 });

it('reads a result, whose level is a warning unless the report says otherwise', () => {
  expect(one()).toEqual(reported(expected()));
});

it('reads the results of all runs, after a byte order mark', () => {
  const text = `\ufeff${JSON.stringify(log(run([result()]), run([result({ ruleId: 'other' })])))}`;
  expect(read(text)).toEqual(reported(expected(), expected({ rule: 'other' })));
});

describe('the place of a result', () => {
  it.each<[what: string, given: object, lines: readonly [number, number]]>([
    ['without a region is line 1', {}, [1, 1]],
    ['at line 0 is line 1', { region: { startLine: 0 } }, [1, 1]],
    ['of several lines', { region: { startLine: 2, endLine: 5, endColumn: 4 } }, [2, 5]],
    [
      'ends on the line before if it ends before the first column',
      { region: { startLine: 2, endLine: 5, endColumn: 1 } },
      [2, 4],
    ],
    ['whose end is before its start is one line', { region: { startLine: 7, endLine: 2 } }, [7, 7]],
    ['with only an offset is line 1', { region: { charOffset: 17 } }, [1, 1]],
  ])('%s', (_, { region }: { region?: unknown }, [startLine, endLine]) => {
    expect(one({ locations: [location('src/a.js', region)] })).toEqual(reported(expected({ startLine, endLine })));
  });

  it.each<[uri: string, path: string]>([
    ['./src/./a.js', 'src/a.js'],
    ['src/x/../a.js', 'src/a.js'],
    ['file:///workspace/src/a.js', 'src/a.js'],
    ['file:/workspace/src/a.js', 'src/a.js'],
    ['file://localhost/workspace/src/a.js', 'src/a.js'],
    ['/workspace/src/a.js', 'src/a.js'],
    ['src/a%20b.js', 'src/a b.js'],
    ['src/100%.js', 'src/100%.js'],
  ])('is the same file however it is written: %s', (uri, path) => {
    expect(one({ locations: [location(uri, { startLine: 3 })] })).toEqual(reported(expected({ path })));
  });

  it.each([
    '/etc/passwd',
    '../a.js',
    'src/../../a.js',
    '..%2fa.js',
    '%2Fetc/passwd',
    'file:///etc/passwd',
    'file://other/workspace/src/a.js',
    '/workspace-2/a.js',
    'C:\\src\\a.js',
    'https://example.com/a.js',
    'src/a\u0000.js',
    '',
    '.',
    'a/'.repeat(5000),
  ])('is counted and not used if it is outside of the tree: %s', (uri) => {
    expect(one({ locations: [location(uri)] })).toEqual({ kind: 'report', results: [], outside: 1 });
  });

  it('is counted as outside if no file is named', () => {
    const given = log(run([result({ locations: [] }), result({ locations: undefined }), result({ locations: [{}] })]));
    expect(read(given)).toEqual({ kind: 'report', results: [], outside: 3 });
  });

  it('follows the base of an address, also over several steps', () => {
    const originalUriBaseIds = {
      SRC: { uri: 'src/', uriBaseId: 'ROOT' },
      ROOT: { uri: 'file:///workspace/' },
    };
    const at = (uriBaseId: string) => ({ locations: [location('a.js', { startLine: 3 }, { uriBaseId })] });
    expect(one(at('SRC'), { originalUriBaseIds })).toEqual(reported(expected()));
    expect(one(at('%SRCROOT%'))).toEqual(reported(expected({ path: 'a.js' })));
    expect(one(at('X'), { originalUriBaseIds: { X: { uri: 'x', uriBaseId: 'X' } } })).toMatchObject({ outside: 1 });
  });

  it('may be an index into the artifacts of the run', () => {
    const at = { locations: [location(null, { startLine: 3 }, { index: 1 })] };
    const artifacts = [{}, { location: { uri: 'src/a.js' } }];
    expect(one(at, { artifacts })).toEqual(reported(expected()));
    expect(one(at)).toMatchObject({ outside: 1 });
  });
});

describe('the rule of a result', () => {
  const rules = [
    { id: 'first' },
    {
      id: 'no-eval',
      shortDescription: { text: 'No eval' },
      fullDescription: { text: 'It runs any text.' },
      defaultConfiguration: { level: 'error' },
      messageStrings: { called: { text: '{0} is called with {1} and {2}' } },
    },
  ];
  const tool = { tool: { driver: { rules } } };

  it('gives its level and its description', () => {
    expect(one({}, tool)).toEqual(reported(expected({ level: 'error', help: 'It runs any text.' })));
    expect(one({ ruleId: undefined, ruleIndex: 1 }, tool)).toEqual(
      reported(expected({ level: 'error', help: 'It runs any text.' })),
    );
    expect(one({ level: 'note' }, tool)).toMatchObject({ results: [{ level: 'info' }] });
  });

  it('may be one of an extension, or the part of another rule', () => {
    const extension = { tool: { driver: {}, extensions: [{ rules }] } };
    const given = { rule: { index: 1, toolComponent: { index: 0 } }, ruleId: undefined };
    expect(one(given, extension)).toMatchObject({ results: [{ rule: 'no-eval', level: 'error' }] });
    expect(one({ ruleId: 'no-eval/1' }, tool)).toMatchObject({ results: [{ rule: 'no-eval/1', level: 'error' }] });
  });

  it('is the one that the result names, where its index is about a component that has no number', () => {
    const other = [{ id: 'first' }, { id: 'harmless', defaultConfiguration: { level: 'note' } }];
    const extension = { tool: { driver: { rules: other }, extensions: [{ rules }] } };
    const given = { ruleId: 'no-eval', rule: { id: 'no-eval', index: 1, toolComponent: { name: 'queries' } } };
    expect(one(given, extension)).toMatchObject({ results: [{ rule: 'no-eval', level: 'error' }] });
    expect(one({ ruleId: 'unknown', ruleIndex: 1 }, tool)).toMatchObject({ results: [{ level: 'error' }] });
  });

  it('may hold the text of the message', () => {
    const message = { id: 'called', arguments: ['f', 'x'] };
    expect(one({ message }, tool)).toMatchObject({ results: [{ message: 'f is called with x and {2}' }] });
  });

  it('is written without characters that could end a code span or a line', () => {
    expect(one({ ruleId: 'a`b\nc <d>' })).toMatchObject({ results: [{ rule: 'a-b-c--d-' }] });
    expect(one({ ruleId: undefined })).toMatchObject({ results: [{ rule: 'unnamed' }] });
    expect(one({ ruleId: 'constructor', level: 'constructor' })).toMatchObject({ results: [{ level: 'warning' }] });
  });
});

describe('a result that is no problem of the code', () => {
  it.each<[string, object]>([
    ['is of another kind', { kind: 'pass' }],
    ['does not apply', { kind: 'notApplicable' }],
    ['is gone', { baselineState: 'absent' }],
    ['was accepted outside of the code', { suppressions: [{ kind: 'external' }] }],
  ])('is left out: %s', (_, more) => {
    expect(one(more)).toEqual(reported());
  });

  it('is marked if a comment in the code silences it', () => {
    expect(one({ suppressions: [{ kind: 'inSource' }] })).toEqual(reported(expected({ suppressed: true })));
  });

  it('is a problem if somebody has only asked to accept it', () => {
    expect(one({ suppressions: [{ kind: 'external', status: 'underReview' }] })).toEqual(reported(expected()));
    expect(one({ kind: 'open', level: 'error' })).toEqual(reported(expected({ level: 'info' })));
  });
});

describe('a report that says nothing about the code', () => {
  it.each<[what: string, given: unknown, reason: string]>([
    ['is empty', '', 'wrote no report'],
    ['is cut', JSON.stringify(log(run([result()]))).slice(0, -1), 'wrote no SARIF'],
    ['is no object', '[]', 'wrote no SARIF'],
    ['is a crash report', 'Traceback (most recent call last):', 'wrote no SARIF'],
    ['nests without end', '['.repeat(300_000), 'wrote no SARIF'],
    ['has an older version', { ...log(run([])), version: '2.0.0' }, 'wrote SARIF version 2.0.0; only 2.1.0 is read'],
    [
      'has an odd version',
      { ...log(run([])), version: '`<x>`' },
      'wrote SARIF of an unknown version; only 2.1.0 is read',
    ],
    ['has no run', log(), 'wrote SARIF without a run'],
    ['has runs that are null', { version: '2.1.0', runs: null }, 'wrote SARIF without a run'],
    ['has a run without results', log(run([]), run(null)), 'wrote SARIF without results'],
    ['has a malformed run', log(null), 'wrote SARIF with a malformed run'],
    ['has a malformed result', log(run([result(), 5])), 'wrote a report with a malformed result'],
    [
      'says that it failed',
      log(run([], { invocations: [{ executionSuccessful: false }] })),
      'reports that it did not succeed',
    ],
    [
      'says that a file could not be read',
      log(run([], { invocations: [{ executionSuccessful: true, toolExecutionNotifications: [{ level: 'error' }] }] })),
      'reports an error of its own',
    ],
    ['has too many results', log(run(Array.from({ length: 50_001 }, () => 0))), 'reported more than 50000 results'],
  ])('is unreadable: it %s', (_, given, reason) => {
    expect(read(given)).toEqual({ kind: 'unreadable', reason: expect.stringContaining(reason) });
  });

  it('is unreadable if it is too large', () => {
    const data = Buffer.alloc(33 * 1024 * 1024, ' ');
    const reading = parseReport(data, { format: 'sarif', analyzer: 'lint', roots: [] });
    expect(reading).toEqual({ kind: 'unreadable', reason: expect.stringContaining('wrote more than') });
  });
});

it('does not let many results share one long text and multiply it', () => {
  const rules = [
    {
      id: 'x',
      fullDescription: { text: 'h'.repeat(1_000_000) },
      messageStrings: { m: { text: '{0}'.repeat(1_000) } },
    },
  ];
  const results = Array.from({ length: 20_000 }, () => ({
    ruleId: 'x',
    message: { id: 'm', arguments: ['y'.repeat(300)] },
    locations: [location('a.js', undefined, { uriBaseId: 'B' })],
  }));
  const originalUriBaseIds = { B: { uri: `${'z'.repeat(1_000_000)}/` } };
  const startedAtMs = performance.now();
  const reading = read(log(run(results, { tool: { driver: { rules } }, originalUriBaseIds })));
  expect(reading).toMatchObject({ kind: 'report', outside: 20_000 });
  expect(performance.now() - startedAtMs).toBeLessThan(10_000);
});

describe('the weaknesses of a rule', () => {
  const cwesOf = (rule: object): unknown => {
    const driver = { name: 'lint', rules: [{ id: 'no-eval', ...rule }] };
    const reading = one({}, { tool: { driver } });
    return reading.kind === 'report' ? reading.results[0]?.cwes : reading;
  };
  const target = (id: string, name: string) => ({ target: { id, toolComponent: { name } } });

  it.each<[what: string, rule: object, cwes: readonly number[] | undefined]>([
    [
      'come from its tags',
      { properties: { tags: ['security', 'external/cwe/cwe-095', 'CWE-79: Cross-site scripting'] } },
      [79, 95],
    ],
    [
      'come from the taxonomy CWE',
      { relationships: [target('89', 'CWE'), target('CWE-89', 'cwe'), target('7', 'OWASP')] },
      [89],
    ],
    ['are not guessed', { properties: { tags: ['injection', 'cwe', 'like CWE-79', 'CWE-123456', 5] } }, undefined],
    ['are none if the rule names none', {}, undefined],
    ['are none if what should name them is malformed', { properties: { tags: 'CWE-79' }, relationships: 7 }, undefined],
    [
      'are limited',
      { properties: { tags: Array.from({ length: 40 }, (_, at) => `CWE-${at + 1}`) } },
      [1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    ],
  ])('%s', (_, rule, cwes) => {
    expect(cwesOf(rule)).toEqual(cwes);
  });
});
