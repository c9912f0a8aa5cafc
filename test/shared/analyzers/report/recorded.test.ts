/** Small reports in the formats of ruff, semgrep, gitleaks and golangci-lint. */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { hitsOf } from '../../../../shared/analyzers/hits-of.ts';
import { parseReport } from '../../../../shared/analyzers/report/parse-report.ts';
import { ROOT } from '../../../support/built.ts';

const SEVERITY = { error: 'P1', warning: 'P2', info: 'P3' } as const;

const hitsIn = (name: string) => {
  const data = readFileSync(path.join(ROOT, 'test/fixtures/analyzers', `${name}.sarif`));
  const report = parseReport(data, { format: 'sarif', analyzer: name, roots: ['/workspace'] });
  if (report.kind === 'unreadable') throw new Error(report.reason);
  expect(report.outside).toBe(0);
  return hitsOf(report.results, { name, severity: SEVERITY });
};

const hit = (line: number, more: object) => ({ startLine: line, endLine: line, suppressed: false, ...more });

it('reads ruff, whose paths are addresses and whose rules have whole pages', () => {
  const word = (rule: string, title: string, body: string) => ({ rule, path: 'a.py', severity: 'P1', title, body });
  expect(hitsIn('ruff')).toEqual([
    hit(1, {
      ...word('ruff/F401', '`os` imported but unused', 'Checks for code that nothing uses.'),
    }),
    hit(6, {
      ...word(
        'ruff/F841',
        'Local variable `unused` is assigned to but never used',
        'Checks for values that nothing uses.',
      ),
    }),
  ]);
});

it('reads semgrep, whose paths have a base without an address', () => {
  expect(hitsIn('semgrep')).toEqual([
    hit(7, {
      rule: 'semgrep/opt.rules.shell-true',
      path: 'a.py',
      severity: 'P1',
      title: 'The shell runs a computed string.',
      body: 'The rule `semgrep/opt.rules.shell-true` reports this line.',
    }),
  ]);
});

it('reads gitleaks, which gives no levels', () => {
  expect(hitsIn('gitleaks')).toEqual([
    hit(1, {
      rule: 'gitleaks/aws-access-token',
      path: 'deploy.env',
      severity: 'P2',
      title: 'aws-access-token has detected secret for file deploy.env.',
      body: expect.stringContaining('AWS'),
    }),
  ]);
});

it('reads golangci-lint, which describes no rules', () => {
  expect(hitsIn('golangci-lint')).toEqual([
    hit(6, {
      rule: 'golangci-lint/errcheck',
      path: 'main.go',
      severity: 'P1',
      title: 'Error return value of `os.Remove` is not checked',
      body: 'The rule `golangci-lint/errcheck` reports this line.',
    }),
  ]);
});
