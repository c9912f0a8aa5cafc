/** Several tools that report the same defect on the same line: one finding that names them all. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { joinDoubled, type Reported } from '../../../shared/rules/join-doubled.ts';
import { analyzerOf } from '../../../shared/vocabulary/analyzer.ts';
import { MAX_ALSO_RULES, type Severity } from '../../../shared/vocabulary/finding.ts';

type Wish = {
  readonly rule: string;
  readonly cwes?: readonly number[];
  readonly line?: number;
  readonly startLine?: number;
  readonly path?: string;
  readonly severity?: Severity;
  readonly blocking?: boolean;
  readonly title?: string;
  readonly body?: string;
  readonly own?: true;
};

const report = ({
  rule,
  cwes,
  line = 3,
  startLine = line,
  path = 'a.js',
  severity = 'P2',
  blocking = false,
  title = `Title of ${rule}`,
  body = `Body of ${rule}`,
  own,
}: Wish): Reported => ({
  finding: {
    path,
    side: 'new',
    startLine: line,
    line,
    severity,
    relation: 'current_diff',
    title,
    body,
    evidence: 'eval(text);',
    suggestion: null,
    blocking,
    rule,
  },
  hit: {
    rule: { id: rule, severity, blocking, title, explanation: body },
    path,
    startLine,
    endLine: startLine,
    evidence: 'eval(text);',
    suggestion: null,
    ...(cwes === undefined || cwes.length === 0 ? {} : { cwes }),
    ...(own === undefined ? {} : { own }),
  },
});

/** More tools than one finding can name. */
const MANY = Array.from({ length: MAX_ALSO_RULES + 2 }, (_, at) => `tool${at}/x`);

const joined = (...wishes: readonly Wish[]) =>
  joinDoubled(wishes.map(report)).map(({ rule, alsoRules }) => [rule, ...(alsoRules ?? [])].join(' + '));

describe('findings of several tools on one line', () => {
  it('are one finding of the built-in rule, with the gravest severity and the words of all', () => {
    const other = report({ rule: 'eslint/no-eval', cwes: [95], severity: 'P1' });
    const own = report({ rule: 'js-eval', severity: 'P2' });
    expect(joinDoubled([other, own])).toEqual([
      {
        ...own.finding,
        severity: 'P1',
        body: 'Body of js-eval\n\nAlso reported by `eslint/no-eval`: Title of eslint/no-eval\n\nBody of eslint/no-eval',
        alsoRules: ['eslint/no-eval'],
      },
    ]);
  });

  it.each<[what: string, wishes: readonly Wish[], findings: readonly string[]]>([
    [
      'are joined if they name the same weakness, whatever they say',
      [{ rule: 'js-eval' }, { rule: 'eslint/x', cwes: [1, 95] }, { rule: 'semgrep/y', cwes: [95] }],
      ['js-eval + eslint/x + semgrep/y'],
    ],
    [
      'stay apart if they name different weaknesses, even with the same words',
      [
        { rule: 'eslint/x', cwes: [79], title: 'Text is inserted as HTML', body: 'It is.' },
        { rule: 'semgrep/y', cwes: [89], title: 'Text is inserted as HTML', body: 'It is.' },
      ],
      ['eslint/x', 'semgrep/y'],
    ],
    [
      'are joined if one names none and they say nearly the same',
      [
        { rule: 'js-eval', title: 'eval runs a computed string as code', body: 'Do not call eval.' },
        { rule: 'eslint/no-eval', title: 'eval runs a computed string as code', body: 'Do not call eval.' },
      ],
      ['js-eval + eslint/no-eval'],
    ],
    [
      'stay apart if one names none and they say something else',
      [{ rule: 'js-eval' }, { rule: 'eslint/quotes', title: 'Strings must use single quotes', body: 'Style.' }],
      ['js-eval', 'eslint/quotes'],
    ],
    [
      'stay apart on different lines',
      [{ rule: 'js-eval' }, { rule: 'eslint/x', cwes: [95], line: 4 }],
      ['js-eval', 'eslint/x'],
    ],
    [
      'stay apart if they begin on different lines and only meet on the changed one',
      [{ rule: 'js-eval' }, { rule: 'eslint/x', cwes: [95], startLine: 1 }],
      ['js-eval', 'eslint/x'],
    ],
    [
      'stay apart in different files',
      [{ rule: 'js-eval' }, { rule: 'eslint/x', cwes: [95], path: 'b.js' }],
      ['js-eval', 'eslint/x'],
    ],
    [
      'stay apart if one tool reports both',
      [
        { rule: 'eslint/x', cwes: [95] },
        { rule: 'eslint/y', cwes: [95] },
      ],
      ['eslint/x', 'eslint/y'],
    ],
    [
      'stay apart if one is of an own rule, even with the same words',
      [
        { rule: 'acme/x', own: true, title: 'Text is inserted as HTML', body: 'It is.' },
        { rule: 'lint/x', title: 'Text is inserted as HTML', body: 'It is.' },
      ],
      ['acme/x', 'lint/x'],
    ],
    [
      'are joined with one finding of each tool only',
      [{ rule: 'js-eval' }, { rule: 'eslint/x', cwes: [95] }, { rule: 'eslint/y', cwes: [95] }],
      ['js-eval + eslint/x', 'eslint/y'],
    ],
  ])('%s', (_, wishes, findings) => {
    expect(joined(...wishes)).toEqual(findings);
  });

  it('block as the gravest of them does, and not because a milder one is marked as blocking', () => {
    const block = (...wishes: readonly Omit<Wish, 'rule'>[]) =>
      joinDoubled(wishes.map((wish, at) => report({ rule: `tool${at}/x`, cwes: [95], ...wish })))[0];
    expect(block({ severity: 'P2' }, { severity: 'P2', blocking: true })).toMatchObject({ blocking: true });
    expect(block({ severity: 'P2' }, { severity: 'P3', blocking: true })).toMatchObject({
      severity: 'P2',
      blocking: false,
    });
  });

  const wish = fc.record({
    rule: fc.constantFrom('js-eval', 'js-inner-html', 'eslint/x', 'eslint/y', 'semgrep/x', 'own/x', ...MANY),
    cwes: fc.constantFrom([], [79], [95], [79, 95]),
    line: fc.constantFrom(3, 4),
    startLine: fc.constantFrom(2, 3),
    path: fc.constantFrom('a.js', 'b.js'),
    severity: fc.constantFrom<Severity>('P0', 'P1', 'P2', 'P3'),
    title: fc.constantFrom('eval runs a computed string as code', 'Text is inserted as HTML'),
  });
  /** The hits of a report are one per rule and line. */
  const wishes = fc.uniqueArray(wish, {
    selector: ({ rule, line, path }) => JSON.stringify([rule, line, path]),
    maxLength: 12,
  });

  it('are never lost if their line or their kind differs', () => {
    fc.assert(
      fc.property(wishes, (made) => {
        const reported = made.map((each) =>
          report(each.rule.includes('/') ? each : { ...each, cwes: each.rule === 'js-eval' ? [94, 95] : [79] }),
        );
        const findings = joinDoubled(reported);
        const named = findings.flatMap(({ rule, alsoRules = [], path, line }) =>
          [rule, ...alsoRules].map((each) => JSON.stringify([each, path, line])),
        );
        expect(named.toSorted()).toEqual(
          reported.map(({ finding: { rule, path, line } }) => JSON.stringify([rule, path, line])).toSorted(),
        );
        for (const finding of findings) {
          const { rule, alsoRules = [], path, line } = finding;
          const members = [rule, ...alsoRules].flatMap((each) =>
            reported.filter(({ finding: own }) => own.rule === each && own.path === path && own.line === line),
          );
          expect(alsoRules.length).toBeLessThanOrEqual(MAX_ALSO_RULES);
          expect(new Set(members.map(({ finding: own }) => analyzerOf(own.rule))).size).toBe(members.length);
          expect(new Set(members.map(({ hit }) => hit.startLine)).size).toBe(1);
          expect(members.map(({ finding: own }) => own.severity).toSorted()[0]).toBe(finding.severity);
          for (const { finding: own, hit } of members) {
            expect(finding.body).toContain(own.body);
            const kinds = [members[0]?.hit.cwes ?? [], hit.cwes ?? []] as const;
            const isSameKind = kinds[0].some((cwe) => kinds[1].includes(cwe));
            expect(isSameKind || kinds.some((each) => each.length === 0)).toBe(true);
          }
        }
      }),
      { numRuns: 500 },
    );
  });
});
