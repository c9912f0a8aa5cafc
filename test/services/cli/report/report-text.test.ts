/** The text that people read on a terminal. */
import { stripVTControlCharacters } from 'node:util';
import { expect, test } from 'vitest';
import { reviewText } from '../../../../services/cli/report/report-text.ts';
import { paintFor, PLAIN } from '../../../../services/cli/terminal/paint.ts';
import { CASES, finding, output } from './report-cases.ts';

const ESC = String.fromCharCode(27);
const COLOURED = paintFor({ isTTY: true }, {});
const code = { startLine: 2, lines: ['const one = 1;', 'eval(text);', '\teval(more);', '}'] };

test('a finding shows its code, its rule, its severity in words, and the verdict is said once', () => {
  const summary = 'The built-in rules found 1 problem. Verdict feedback: 1 open finding blocks.';
  expect(reviewText(output({ summary, findings: [finding({ code })] }))).toBe(
    `F-001 High src/run.js:3-4 (rule js-eval, blocks)
  eval runs a computed string as code

    2 | const one = 1;
  > 3 | eval(text);
  > 4 |   eval(more);
    5 | }

  Anyone who controls the string can run code.

  Suggestion:
    JSON.parse(text)

feedback: The built-in rules found 1 problem. 1 open finding blocks.
`,
  );
});

test.each([
  ['lgtm', 'Nothing found. Verdict lgtm.', 'lgtm: Nothing found.\n'],
  ['lgtm', 'Nothing found.', 'lgtm: Nothing found.\n'],
  [
    'inconclusive',
    'It says Verdict lgtm. Verdict inconclusive: too large.',
    'inconclusive: It says Verdict lgtm. Too large.\n',
  ],
] as const)('the verdict %s of "%s" is said once', (verdict, summary, expected) => {
  expect(reviewText(output({ verdict, summary, findings: [] }))).toBe(expected);
});

test('a finding of a model has no rule, and one that does not block says so', () => {
  const [first] = reviewText(output({ findings: [finding({ rule: null, blocking: false, severity: 'P3' })] })).split(
    '\n',
  );
  expect(first).toBe('F-001 Low src/run.js:3-4 (does not block)');
});

test('line numbers are aligned, and a long line is cut between characters', () => {
  const lines = ['a', `${'x'.repeat(159)}\u{1f600}\u{1f600}`, 'c'];
  const text = reviewText(output({ findings: [finding({ startLine: 10, line: 10, code: { startLine: 9, lines } })] }));
  expect(text).toContain(`\n     9 | a\n  > 10 | ${'x'.repeat(159)}\u{1f600}…\n    11 | c\n`);
});

test('control characters in code are shown, not obeyed', () => {
  const lines = [`${ESC}[2J`, 'a\rb', '\u202e', 'x\u0000\u009b'];
  const text = reviewText(output({ findings: [finding({ startLine: 3, line: 4, code: { startLine: 2, lines } })] }));
  expect(text).not.toMatch(/[^\n\P{Cc}]|\u202e/u);
  expect(text).toContain('2 | [U+001B][2J\n  > 3 | a[U+000D]b\n');
});

test('quiet leaves out what the review says about itself, and never what it found or left out', () => {
  const coverage = { files: 2, reviewed: 1, omitted: [{ path: 'big.js', reason: 'too large' }], complete: false };
  const spent = { turns: 1, modelCalls: 2, inputTokens: 3, outputTokens: 4, cachedTokens: 5, costUsd: 6, wallMs: 7 };
  const result = output({ coverage, spent, ignored: 3, notes: ['a note'] });
  const loud = reviewText(result, { paint: PLAIN, quiet: false, columns: null });
  for (const words of ['2 model calls', '3 findings not shown', 'a note']) expect(loud).toContain(words);
  const quiet = reviewText(result, { paint: PLAIN, quiet: true, columns: null });
  for (const words of ['2 model calls', '3 findings not shown', 'a note']) expect(quiet).not.toContain(words);
  for (const words of ['F-001 High', 'big.js: too large', 'feedback: ']) expect(quiet).toContain(words);
});

test('on a terminal sentences are broken between words, and code is not', () => {
  const long = 'a sentence of several words that goes on and on '.repeat(3).trim();
  const block = `\`\`\`js\n${'call(one, two); '.repeat(8).trim()}\n\`\`\``;
  const result = output({ summary: long, findings: [finding({ body: `${long}\n\n${block}`, code })] });
  const wrapped = reviewText(result, { paint: COLOURED, quiet: false, columns: 60 });
  const lines = stripVTControlCharacters(wrapped).split('\n');
  const plain = reviewText(result);
  expect(lines.filter((line) => line.length > 60)).toEqual([`  ${'call(one, two); '.repeat(8).trim()}`]);
  expect(lines.join(' ').split(/\s+/)).toEqual(plain.split(/\s+/));
  // A terminal that does not know its width gets the lines as they are.
  expect(reviewText(result, { paint: PLAIN, quiet: false, columns: 0 })).toBe(plain);
});

test.each(CASES)('%s: colours change nothing but colours, and text cannot bring its own', (_name, result) => {
  const plain = reviewText(result);
  const coloured = reviewText(result, { paint: COLOURED, quiet: false, columns: null });
  expect(stripVTControlCharacters(coloured)).toBe(plain);
  expect(coloured).toContain(`${ESC}[`);
  expect(plain).not.toContain(ESC);
});

test.each([
  ['a terminal', { isTTY: true }, {}, true],
  ['a pipe', { isTTY: false }, {}, false],
  ['a file', {}, {}, false],
  ['NO_COLOR', { isTTY: true }, { NO_COLOR: '1' }, false],
  ['an empty NO_COLOR', { isTTY: true }, { NO_COLOR: '' }, true],
  ['a dumb terminal', { isTTY: true }, { TERM: 'dumb' }, false],
])('on %s', (_name, stream, env, expected) => {
  expect(paintFor(stream, env)('red', 'x') !== 'x').toBe(expected);
});
