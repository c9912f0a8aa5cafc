import type { GrepNode, StructuralRule } from '../model/rule.ts';

const JAVASCRIPT = ['JavaScript', 'TypeScript', 'Tsx'] as const;

const CALL_WITH_NAME: GrepNode = {
  kind: 'call_expression',
  field: 'function',
  has: { kind: 'arguments', has: { nthChild: 1, any: [{ kind: 'string' }, { kind: 'template_string' }] } },
};
const FOCUS =
  'The runner silently skips all other tests, so a green run proves nothing. Remove the focus before merging.';
const TEST_FUNCTIONS = '^(it|test|describe|context|suite)$';

export const JAVASCRIPT_TEST_RULES: readonly StructuralRule[] = [
  {
    id: 'js-focused-test',
    languages: JAVASCRIPT,
    severity: 'P1',
    blocking: true,
    title: 'Focused test disables all other tests',
    explanation: FOCUS,
    rule: { pattern: '$FUNCTION.only', kind: 'member_expression', inside: CALL_WITH_NAME },
    constraints: { FUNCTION: { regex: TEST_FUNCTIONS } },
    fix: '$FUNCTION',
    examples: [
      {
        code: "describe('a', () => {\n  it.only('works', () => {});\n});\n",
        lines: [2],
        suggestion: "  it('works', () => {});",
      },
      { code: "it('works', () => {});\nquery.only('id');\n", lines: [] },
    ],
  },
  {
    id: 'js-focused-jasmine-test',
    languages: JAVASCRIPT,
    severity: 'P1',
    blocking: true,
    title: 'Focused test disables all other tests',
    explanation: FOCUS,
    rule: {
      kind: 'identifier',
      regex: '^(fit|fdescribe)$',
      all: [
        { inside: CALL_WITH_NAME },
        // Other functions are named `fit` too, such as one that fits an image.
        { inside: { kind: 'program', stopBy: 'end', regex: '\\b(f?describe|it|beforeEach|expect)\\s*\\(' } },
      ],
    },
    examples: [
      { code: "fdescribe('a', () => {});\n", lines: [1] },
      { code: "describe('a', () => {});\nfit(model, data);\n", lines: [] },
    ],
  },
  {
    id: 'js-skipped-test',
    languages: JAVASCRIPT,
    severity: 'P3',
    blocking: false,
    silentIf: 'explained',
    title: 'Test is skipped',
    explanation:
      'A skipped test checks nothing and is easily forgotten. Fix the test, delete it, or link the issue that tracks re-enabling it.',
    rule: {
      any: [
        {
          pattern: '$FUNCTION.skip',
          kind: 'member_expression',
          inside: CALL_WITH_NAME,
        },
        {
          kind: 'identifier',
          regex: '^(xit|xdescribe|xtest)$',
          inside: CALL_WITH_NAME,
        },
      ],
    },
    constraints: { FUNCTION: { regex: TEST_FUNCTIONS } },
    examples: [
      { code: "it.skip('works', () => {});\n", lines: [1] },
      { code: "xit('works', () => {});\n", lines: [1] },
      { code: "test.skip(browserName === 'webkit');\nlist.skip('a');\n", lines: [] },
    ],
  },
  {
    id: 'js-assertion-not-awaited',
    languages: JAVASCRIPT,
    severity: 'P1',
    blocking: true,
    title: 'Asynchronous assertion is not awaited',
    explanation:
      'The test ends before the promise settles, so the assertion can never fail the test. Await or return the assertion.',
    rule: {
      pattern: { context: 'expect($VALUE).$SETTLES.$MATCHER($$$ARGS)', selector: 'call_expression' },
      inside: { kind: 'expression_statement', inside: { kind: 'statement_block' } },
      not: { inside: { kind: 'await_expression' } },
    },
    constraints: { SETTLES: { regex: '^(rejects|resolves)$' } },
    examples: [
      { code: "it('fails', async () => {\n  expect(load()).rejects.toThrow();\n});\n", lines: [2] },
      {
        code: "it('fails', async () => {\n  await expect(load()).rejects.toThrow();\n  return expect(load()).resolves.toBe(1);\n});\n",
        lines: [],
      },
      { code: "it('fails', () => expect(load()).rejects.toThrow());\n", lines: [] },
    ],
  },
];
