/** Every format on every kind of result, against what the reader of the format documents. */
import type { Log } from 'sarif';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { ReviewOutput } from '../../../../services/cli/review/review-output.ts';
import { exitCodeWith } from '../../../../services/cli/report/fail-on.ts';
import { REPORTS } from '../../../../services/cli/report/report-formats.ts';
import { sarifOf } from '../../../../services/cli/report/report-sarif.ts';
import { CASES, type Finding, finding, output } from './report-cases.ts';

const line = z.int().min(1);

/** SARIF 2.1.0, the objects that are written: 3.13 to 3.30. */
const Sarif = z.strictObject({
  $schema: z.url(),
  version: z.literal('2.1.0'),
  runs: z.tuple([
    z.strictObject({
      tool: z.strictObject({
        driver: z.strictObject({
          name: z.string().min(1),
          version: z.string(),
          rules: z.array(z.strictObject({ id: z.string().min(1) })),
        }),
      }),
      columnKind: z.enum(['utf16CodeUnits', 'unicodeCodePoints']),
      invocations: z.tuple([z.strictObject({ executionSuccessful: z.boolean() })]),
      results: z.array(
        z.strictObject({
          ruleId: z.string(),
          ruleIndex: z.int().min(0),
          kind: z.enum(['notApplicable', 'pass', 'fail', 'review', 'open', 'informational']),
          level: z.enum(['none', 'note', 'warning', 'error']),
          message: z.strictObject({ text: z.string().min(1) }),
          locations: z.tuple([
            z.strictObject({
              physicalLocation: z.strictObject({
                artifactLocation: z.strictObject({
                  uri: z.string().regex(/^[A-Za-z0-9\-._~!$&'()*+,;=:@%/]+$/),
                  uriBaseId: z.string(),
                }),
                region: z.strictObject({ startLine: line, endLine: line }).optional(),
              }),
            }),
          ]),
          partialFingerprints: z.record(z.string(), z.string().min(1)),
          properties: z.record(z.string(), z.unknown()),
        }),
      ),
      properties: z.record(z.string(), z.unknown()),
    }),
  ]),
});

const Range = z.strictObject({ start: z.strictObject({ line }), end: z.strictObject({ line }) });

/** proto/rdf/reviewdog.proto: `DiagnosticResult`. */
const Rdjson = z.strictObject({
  source: z.strictObject({ name: z.string(), url: z.string().optional() }),
  diagnostics: z.array(
    z.strictObject({
      message: z.string().min(1),
      location: z.strictObject({ path: z.string().min(1), range: Range.optional() }),
      severity: z.enum(['ERROR', 'WARNING', 'INFO']),
      code: z.strictObject({ value: z.string().min(1), url: z.string().optional() }),
      suggestions: z.array(z.strictObject({ range: Range, text: z.string() })).optional(),
    }),
  ),
});

/** https://docs.gitlab.com/ci/testing/code_quality/#code-quality-report-format */
const Codeclimate = z.array(
  z.strictObject({
    description: z.string().min(1),
    check_name: z.string().min(1),
    fingerprint: z.string().min(1),
    severity: z.enum(['info', 'minor', 'major', 'critical', 'blocker']),
    location: z.strictObject({
      path: z.string().regex(/^(?!\.?\/)/),
      lines: z.strictObject({ begin: line, end: line }),
    }),
  }),
);

/** The names of the elements, in order; throws when one is not closed, or a character may not be in XML 1.0. */
const elementsOf = (text: string): readonly string[] => {
  expect(text).not.toMatch(/[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u);
  const open: string[] = [];
  const seen: string[] = [];
  const rest = text
    .replace(/^<\?xml version="1\.0" encoding="UTF-8"\?>/, '')
    .replaceAll(
      /<(\/?)([a-z-]+)((?: [a-z]+="[^"<&]*(?:&[a-z#0-9]+;[^"<&]*)*")*)(\/?)>/g,
      (_tag, closes: string, name: string, _attributes: string, ends: string) => {
        if (closes === '/') expect(open.pop()).toBe(name);
        else seen.push(name);
        if (closes === '' && ends === '') open.push(name);
        return '';
      },
    );
  expect(open).toEqual([]);
  expect(rest.replaceAll(/&(?:amp|lt|gt|quot|apos|#9|#10|#13);/g, '')).not.toMatch(/[<>&]/);
  return seen;
};

describe.each(CASES)('%s', (_name, result) => {
  test('as SARIF', () => {
    // The types of the standard: a field that it does not have, or a value that it does not take, does not compile.
    const typed: Log = sarifOf(result);
    const parsed = Sarif.parse(JSON.parse(REPORTS.sarif(result)));
    expect(typed.version).toBe('2.1.0');
    const [run] = parsed.runs;
    expect(run.results).toHaveLength(result.findings.length + result.unverified.length);
    for (const { ruleId, ruleIndex, kind, level } of run.results) {
      expect(run.tool.driver.rules[ruleIndex]?.id).toBe(ruleId);
      expect(kind === 'fail').toBe(level !== 'none');
    }
    const prints = run.results.map(({ partialFingerprints }) => partialFingerprints['fixpoint/v1']);
    expect(new Set(prints).size).toBe(prints.length);
  });

  test('as rdjson', () => {
    const { diagnostics } = Rdjson.parse(JSON.parse(REPORTS.rdjson(result)));
    expect(diagnostics.map(({ location }) => location.path)).toEqual(result.findings.map(({ path }) => path));
  });

  test('as Code Quality', () => {
    const issues = Codeclimate.parse(JSON.parse(REPORTS.codeclimate(result)));
    expect(issues.map(({ location }) => location.path)).toEqual(result.findings.map(({ path }) => path));
    expect(new Set(issues.map(({ fingerprint }) => fingerprint)).size).toBe(issues.length);
  });

  test('as JUnit', () => {
    const elements = elementsOf(REPORTS.junit(result));
    const count = (name: string): number => elements.filter((each) => each === name).length;
    expect(elements.slice(0, 3)).toEqual(['testsuites', 'testsuite', 'testcase']);
    expect({ cases: count('testcase'), failures: count('failure'), errors: count('error') }).toEqual({
      cases: result.findings.length + 1,
      failures: result.findings.filter(({ blocking }) => blocking).length,
      errors: result.verdict === 'inconclusive' ? 1 : 0,
    });
  });

  test('as JSON', () => {
    expect(ReviewOutput.parse(JSON.parse(REPORTS.json(result)))).toEqual(result);
  });

  test.each(['text', 'markdown', 'sarif', 'rdjson', 'codeclimate', 'junit', 'json'] as const)(
    'as %s has no character that controls a terminal, and ends with a line',
    (format) => {
      const printed = REPORTS[format](result);
      expect(printed).not.toMatch(/[^\n\P{Cc}]|\u202e/u);
      expect(printed.endsWith('\n')).toBe(true);
    },
  );
});

test('markdown mentions nobody, links nowhere and shows no picture', () => {
  const body = 'Ask @somebody, see https://example.com/x and ![x](https://example.com/y.png) <img src=x>.\n\n## Pass';
  const printed = REPORTS.markdown(output({ findings: [finding({ body, title: '`@somebody` ![x](y)' })] }));
  expect(printed.match(/^## .*/gm)).toEqual(['## Fixpoint: Changes are needed']);
  expect(printed).not.toMatch(/(?<![`\w])@somebody|\]\(https:|<img/);
});

test('markdown names the place, the severity and what was left out', () => {
  const omitted = [{ path: 'big.js', reason: 'too large' }];
  const coverage = { files: 2, reviewed: 1, omitted, complete: false };
  const printed = REPORTS.markdown(output({ coverage, findings: [finding({ side: 'old' })] }));
  expect(printed).toContain('### High: `eval runs a computed string as code`');
  expect(printed).toContain('`src/run.js:3-4` (old version) (F-001, blocks)');
  expect(printed).toContain('- `big.js`: too large');
});

test('markdown lists what was refuted, and its text stays code', () => {
  const refuted = [
    { path: 'src/run.js', line: 4, title: '`@somebody` ![x](https://example.com/y.png)', evidence: 'one()\n## Pass' },
  ];
  const printed = REPORTS.markdown(output({ refuted }));
  expect(printed).toContain(
    [
      '### Refuted, so not reported',
      '',
      '- `src/run.js:4`: `` `@somebody` ![x](https://example.com/y.png) ``; a verifier quoted: `one() ## Pass`',
    ].join('\n'),
  );
  expect(printed.match(/^## .*/gm)).toEqual(['## Fixpoint: Changes are needed']);
});

test('a line of the old version is named in words, where a format knows only the files of the head', () => {
  const deleted = output({ findings: [finding({ side: 'old' })] });
  const [result] = Sarif.parse(sarifOf(deleted)).runs[0].results;
  expect(result?.locations[0].physicalLocation.region).toBeUndefined();
  expect(result?.message.text).toContain('About lines 3 to 4 of the old version.');
  const [diagnostic] = Rdjson.parse(JSON.parse(REPORTS.rdjson(deleted))).diagnostics;
  expect(diagnostic).toMatchObject({ location: { path: 'src/run.js' } });
  expect(diagnostic?.suggestions).toBeUndefined();
});

test('a fingerprint survives other lines and another number, not another claim', () => {
  const print = (patch: Partial<Finding>): string =>
    Codeclimate.parse(JSON.parse(REPORTS.codeclimate(output({ findings: [finding(patch)] }))))[0]?.fingerprint ?? '';
  expect(print({ id: 'F-009', startLine: 30, line: 31 })).toBe(print({}));
  const others = [{ path: 'b.js' }, { rule: 'js-other' }, { evidence: 'x' }, { rule: null }, { side: 'old' as const }];
  expect(new Set([{}, ...others].map(print)).size).toBe(others.length + 1);
});

test.each([
  ['lgtm', [], 0, 0, 0],
  ['lgtm', [finding({ severity: 'P3', blocking: false })], 0, 1, 0],
  ['feedback', [finding()], 1, 1, 0],
  ['inconclusive', [], 3, 3, 0],
  ['inconclusive', [finding()], 3, 3, 0],
] as const)('%s with %j ends by --fail-on', (verdict, findings, blocking, any, never) => {
  const result = output({ verdict, findings: [...findings] });
  expect((['blocking', 'any', 'never'] as const).map((on) => exitCodeWith(result, on))).toEqual([blocking, any, never]);
});
