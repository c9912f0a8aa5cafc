import { describe, expect, it } from 'vitest';
import { DraftFinding } from '../../../shared/vocabulary/finding.ts';
import type { ChangedFile, RuleFinding } from '../../../shared/rules/model/rule.ts';
import { reviewFiles } from './review-files.ts';

const signal = new AbortController().signal;

const file = (path: string, text: string, changed: readonly number[]): ChangedFile => ({
  path,
  text,
  changedLines: new Set(changed),
});

const run = async (...files: readonly ChangedFile[]): Promise<readonly RuleFinding[]> => {
  const { findings, omitted } = await reviewFiles(files, signal);
  expect(omitted).toEqual([]);
  return findings;
};

const places = (findings: readonly RuleFinding[]): readonly string[] =>
  findings.map(({ path, startLine, line, rule }) => `${path}:${startLine}-${line} ${rule}`);

describe('findings of the rules', () => {
  it('gives whole findings that the vocabulary accepts', async () => {
    const findings = await run(file('src/a.ts', 'function f(n: number) {\n  return n === NaN;\n}\n', [2]));
    expect(findings).toEqual([
      {
        path: 'src/a.ts',
        side: 'new',
        startLine: 2,
        line: 2,
        severity: 'P1',
        relation: 'current_diff',
        title: 'Comparison with NaN is always false or always true',
        body: 'NaN equals nothing, not even itself, so the result never depends on the value. Use `Number.isNaN`.',
        evidence: '  return n === NaN;',
        suggestion: '  return Number.isNaN(n);',
        blocking: true,
        rule: 'js-compare-nan',
      },
    ]);
    expect(findings.map((finding) => DraftFinding.parse(finding))).toEqual(findings);
  });

  it.each<readonly [string, readonly number[], readonly string[]]>([
    ['no line changed', [], []],
    ['another line changed', [1, 3], []],
    ['the line itself changed', [2], ['a.js:2-2 js-eval']],
    ['all lines changed', [1, 2, 3, 4], ['a.js:2-2 js-eval', 'a.js:4-4 js-eval']],
  ])('reports only what the change touched: %s', async (_, changed, expected) => {
    expect(places(await run(file('a.js', 'a();\neval(x);\nb();\neval(y);\n', changed)))).toEqual(expected);
  });

  it('comments a string of several lines on the line that inserts the value, if the change added it', async () => {
    const text = 'db.query(\n  `select a\n  from b\n  where c = ${d}`,\n);\n';
    const place = async (changed: readonly number[]) => places(await run(file('a.js', text, changed)));
    expect(await place([1, 2, 3, 4, 5])).toEqual(['a.js:4-4 js-sql-concat']);
    expect(await place([2, 3])).toEqual(['a.js:2-2 js-sql-concat']);
  });

  it('comments a match of several lines on its head, or on the line that the change touched', async () => {
    const text = 'vm.runInNewContext(\n  source,\n  options,\n);\n';
    expect(places(await run(file('a.js', text, [1, 2])))).toEqual(['a.js:1-1 js-vm-code']);
    const [finding] = await run(file('a.js', text, [2]));
    expect([finding?.line, finding?.evidence.split('\n')[0]]).toEqual([2, '  source,']);
  });

  it('says a thing once where it stands twice on a line', async () => {
    expect(places(await run(file('a.js', 'eval(x); eval(y);\n', [1])))).toEqual(['a.js:1-1 js-eval']);
  });

  it('orders by path, line and rule, whatever the order of the files', async () => {
    const one = file('b.js', 'eval(x);\ndebugger;\n', [1, 2]);
    const two = file('a.py', 'breakpoint()\n', [1]);
    const expected = ['a.py:1-1 py-breakpoint', 'b.js:1-1 js-eval', 'b.js:2-2 js-debugger'];
    expect(places(await run(one, two))).toEqual(expected);
    expect(places(await run(two, one))).toEqual(expected);
  });

  it.each<readonly [string, string, string, number]>([
    ['CRLF', 'src/a.js', 'const a = 1;\r\n\r\nif (n === NaN) stop();\r\n', 3],
    ['no newline at the end', 'src/a.js', 'const a = 1;\n\nif (n === NaN) stop();', 3],
    [
      'a non-ASCII path and text before it',
      'src/größe/名前 1.js',
      'const ä = "日本語 👩‍👧";\nif (n === NaN) stop();\n',
      2,
    ],
    ['a byte order mark', 'src/a.js', '\uFEFFif (n === NaN) stop();\n', 1],
    ['TSX', 'src/a.tsx', 'export const A = () => (\n  <b>{n === NaN ? 1 : 2}</b>\n);\n', 2],
    ['a type assertion in angle brackets', 'src/a.ts', 'const a = <any>b;\nif (n === NaN) stop();\n', 2],
    ['a path that looks like an option', '--json.js', 'if (n === NaN) stop();\n', 1],
    ['a hidden folder', '.config/a.js', 'if (n === NaN) stop();\n', 1],
    ['a script without extension', 'bin/run', '#!/usr/bin/env node\nif (n === NaN) stop();\n', 2],
    ['a comment that asks to be ignored', 'a.js', '// ast-grep-ignore\nif (n === NaN) stop();\n', 2],
  ])('finds the right line with %s', async (_, path, text, line) => {
    const findings = await run(file(path, text, [1, 2, 3, 4]));
    expect(places(findings)).toEqual([`${path}:${line}-${line} js-compare-nan`]);
    const cited = text.split('\n')[line - 1]?.replace('\r', '');
    expect(findings[0]?.evidence).toBe(cited);
    expect([null, cited?.replace('n === NaN', 'Number.isNaN(n)')]).toContain(findings[0]?.suggestion);
  });

  it('gives a suggestion without the carriage return of a CRLF file', async () => {
    const [finding] = await run(file('a.js', 'a();\r\n\tif (n === NaN) stop();\r\n', [2]));
    expect(finding?.suggestion).toBe('\tif (Number.isNaN(n)) stop();');
  });

  it.each(['a.js', 'a.ts', 'a.tsx', 'a.py', 'a.go', 'a.java', 'a.rb', 'a.php', 'a.sh'])(
    'survives text that is no %s at all',
    async (path) => {
      expect(await run(file(path, '}}}} ((( <<< "\n\u0000\uD800 def class func { \' `\n', [1, 2]))).toEqual([]);
    },
  );

  it('still finds what stands beside a syntax error', async () => {
    expect(places(await run(file('a.js', 'const = ;\n\nfunction f() {\n  eval(x);\n}\n', [4])))).toEqual([
      'a.js:4-4 js-eval',
    ]);
  });

  it('quotes no secret, whichever rule quotes the line', async () => {
    const token = ['gl', 'pat-', 'q7Zt9mWx2LkP4vBn8RsD'].join('');
    const findings = await run(file('a.js', `if (n === NaN) login("${token}");\n`, [1]));
    expect(findings.map(({ rule, severity, suggestion }) => [rule, severity, suggestion])).toEqual([
      ['js-compare-nan', 'P1', null],
      ['secret-gitlab', 'P0', null],
    ]);
    expect(findings.map(({ evidence }) => evidence)).toEqual([
      'if (n === NaN) login("[redacted]");',
      'if (n === NaN) login("[redacted]");',
    ]);
  });

  it('names the files that are too large for the rules, or make them say too much', async () => {
    const large = file('big.py', '# filler\n'.repeat(120_000), [1]);
    const minified = file('min.js', `${'eval(a);'.repeat(20_000)}\n`, [1]);
    const { findings, omitted } = await reviewFiles([large, minified, file('a.js', 'eval(x);\n', [1])], signal);
    expect(places(findings)).toEqual(['a.js:1-1 js-eval']);
    expect(omitted).toEqual([
      { path: 'big.py', reason: 'longer than 1000000 characters' },
      { path: 'min.js', reason: 'the rules engine failed on this file' },
    ]);
  });

  it('reads a file with very long lines by all rules', async () => {
    const text = `const data = '${'q'.repeat(50_000)}';\nexport const f = (text) => text.replace(/\\s+$/, '') + eval(text);\n`;
    expect(places(await run(file('data.js', text, [1, 2])))).toEqual([
      'data.js:2-2 js-eval',
      'data.js:2-2 js-quadratic-pattern',
    ]);
  });

  it('names a file with built lines that makes the rules for patterns and values print too much', async () => {
    const built = `${'a.replace(b,c);'.repeat(5_000)}\n`;
    const text = "export const f = (text) => text.replace(/\\s+$/, '') + eval(text);\n";
    const { findings, omitted } = await reviewFiles([file('built.js', built + text, [1, 2])], signal);
    expect(places(findings)).toEqual(['built.js:2-2 js-eval']);
    expect(omitted).toEqual([{ path: 'built.js', reason: 'the rules that follow values did not finish' }]);
    expect(places(await run(file('a.js', text, [1])))).toEqual(['a.js:1-1 js-eval', 'a.js:1-1 js-quadratic-pattern']);
  });

  it('gives up a file with too many patterns in a short time', async () => {
    const patterns = Array.from(
      { length: 3_000 },
      (_, index) => `f(a.match(/[\\w\\s]*(?:${'(a|b)*c*'.repeat(8)})+${index}/));`,
    );
    const busy = file('busy.js', `${patterns.join('\n')}\n`, [1]);
    const startMs = performance.now();
    const { findings, omitted } = await reviewFiles([busy, file('a.js', 'eval(x);\n', [1])], signal);
    expect(performance.now() - startMs).toBeLessThan(10_000);
    expect(places(findings)).toEqual(['a.js:1-1 js-eval']);
    expect(omitted).toEqual([{ path: 'busy.js', reason: 'the rules that follow values did not finish' }]);
  });

  it('follows no values through code that is made to take long, and still applies the other rules', async () => {
    const nested = `${'function f(path, keys) { path.split("."); for (const k in path) {\n'.repeat(100)}${Array.from(
      { length: 500 },
      (_, index) => `a${index}[b${index}] = c${index}; d${index} = a${index}[b${index}]; f(e${index});\n`,
    ).join('')}${'}}'.repeat(100)}\neval(x);\n`;
    const merges = 'function f(a, b) {\n  for (const k in b) {\n    a[k] = f(a[k], b[k]);\n  }\n}\n';
    const startMs = performance.now();
    const both = ['b.js', 'c.js'].map((path) => file(path, nested, [602]));
    const { findings, omitted } = await reviewFiles(both, signal);
    expect(performance.now() - startMs).toBeLessThan(12_000);
    expect(places(findings)).toEqual(['b.js:602-602 js-eval', 'c.js:602-602 js-eval']);
    expect(omitted).toEqual(
      ['b.js', 'c.js'].map((path) => ({ path, reason: 'the rules that follow values did not finish' })),
    );
    expect(places(await run(file('a.js', merges, [3])))).toEqual(['a.js:3-3 js-merge-prototype']);
  });

  it('keeps the worst of too many findings and says that there are more', async () => {
    const flood = file('a.js', `${'debugger;\n'.repeat(300)}eval(x);\n`, [...Array(302).keys()]);
    const { findings, omitted } = await reviewFiles([flood], signal);
    expect(findings).toHaveLength(200);
    expect(findings.at(-1)?.rule).toBe('js-eval');
    expect(omitted).toEqual([{ path: 'a.js', reason: 'more than 200 findings by rules' }]);
  });

  it('costs a file that breaks the engine only itself', async () => {
    const deep = file('deep.js', '[\n'.repeat(200_000), [1]);
    const { findings } = await reviewFiles([deep, file('a.js', 'eval(x);\n', [1])], signal);
    expect(places(findings)).toEqual(['a.js:1-1 js-eval']);
  });

  it('does nothing without files, and stops when it is aborted', async () => {
    expect(await reviewFiles([], signal)).toMatchObject({ findings: [], omitted: [] });
    const aborted = AbortSignal.abort(new Error('stop'));
    await expect(reviewFiles([file('a.js', 'eval(x);\n', [1])], aborted)).rejects.toThrow('stop');
  });
});
