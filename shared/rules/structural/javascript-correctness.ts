import type { StructuralRule } from '../model/rule.ts';

const JAVASCRIPT = ['JavaScript', 'TypeScript', 'Tsx'] as const;

export const JAVASCRIPT_CORRECTNESS_RULES: readonly StructuralRule[] = [
  {
    id: 'js-empty-catch',
    languages: JAVASCRIPT,
    severity: 'P2',
    blocking: true,
    title: 'Error is swallowed by an empty catch',
    explanation:
      'The failure disappears and the program goes on in a state that nobody checked. Handle it, rethrow it, or state in a comment inside the block why it may be ignored.',
    rule: {
      kind: 'catch_clause',
      has: { field: 'body', kind: 'statement_block', regex: '^\\{\\s*\\}$' },
      not: { has: { field: 'parameter', regex: '^_?(ignored?|expected|unused)' } },
    },
    examples: [
      { code: 'try {\n  run();\n} catch (ignored) {}\n', lines: [] },
      { code: 'try {\n  run();\n} catch (error) {\n}\n', lines: [3] },
      { code: 'try { run(); } catch {}\n', lines: [1] },
      { code: 'try {\n  run();\n} catch {\n  // already gone: nothing to clean up\n}\n', lines: [] },
      { code: 'try {\n  run();\n} catch (error) {\n  log(error);\n}\n', lines: [] },
    ],
  },
  {
    id: 'js-empty-promise-catch',
    languages: JAVASCRIPT,
    severity: 'P2',
    blocking: false,
    title: 'Rejection is swallowed by an empty handler',
    explanation:
      'The promise settles as if all went well. Handle or report the rejection, or state in a comment inside the handler why it may be ignored.',
    rule: {
      any: [
        { pattern: '$PROMISE.catch(() => {})' },
        { pattern: '$PROMISE.catch(($ERROR) => {})' },
        { pattern: '$PROMISE.catch(function () {})' },
      ],
      not: { has: { kind: 'comment', stopBy: 'end' } },
    },
    where: 'production',
    examples: [
      { code: 'save(x).catch(() => {});\n', lines: [1] },
      { code: 'save(x).catch((error) => {});\n', lines: [1] },
      { code: 'save(x).catch((error) => log(error));\n', lines: [] },
      { code: 'save(x).catch(() => { /* best effort */ });\n', lines: [] },
    ],
  },
  {
    id: 'js-debugger',
    languages: JAVASCRIPT,
    severity: 'P3',
    blocking: false,
    title: 'debugger statement is left in',
    explanation: 'It halts the program wherever developer tools are attached. Delete the line.',
    rule: { kind: 'debugger_statement' },
    examples: [
      { code: 'function f() {\n  debugger;\n}\n', lines: [2] },
      { code: '// debugger;\nconst debuggerOn = true;\n', lines: [] },
    ],
  },
  {
    id: 'js-debug-output',
    languages: JAVASCRIPT,
    severity: 'P3',
    blocking: false,
    title: 'Debug output is left in',
    explanation:
      'This looks like output from a debugging session. Delete the line, or log it on purpose with a level and a message.',
    rule: {
      any: [
        { pattern: 'console.log($TEXT, $$$REST)' },
        { pattern: 'console.log($TEXT)' },
        { pattern: 'console.debug($TEXT, $$$REST)' },
        { pattern: 'console.debug($TEXT)' },
      ],
    },
    constraints: {
      TEXT: {
        kind: 'string',
        regex: '^["\'](?i:here|debug|xxx+|asdf\\w*|foo|test(ing)?\\s*\\d*|[>*#]{3,}.*)[!:.]*["\']$',
      },
    },
    examples: [
      { code: "console.log('here', value);\n", lines: [1] },
      { code: "console.log('>>>>> result', value);\n", lines: [1] },
      { code: "console.log('Server listens on', port);\nconsole.log('==========');\n", lines: [] },
    ],
  },
  {
    id: 'js-async-for-each',
    languages: JAVASCRIPT,
    severity: 'P2',
    blocking: true,
    title: 'forEach does not await its async callback',
    explanation:
      'The loop ends before the work does, and a rejection becomes unhandled. Use `for (const item of list)` with `await`, or `await Promise.all(list.map(…))`.',
    rule: {
      kind: 'member_expression',
      has: { field: 'property', regex: '^forEach$' },
      inside: {
        kind: 'call_expression',
        field: 'function',
        has: {
          field: 'arguments',
          has: { nthChild: 1, any: [{ kind: 'arrow_function' }, { kind: 'function_expression' }], regex: '^async\\b' },
        },
      },
    },
    examples: [
      { code: 'users.forEach(async (user) => {\n  await send(user);\n});\n', lines: [1] },
      {
        code: 'await Promise.all(users.map(async (user) => send(user)));\nusers.forEach((user) => log(user));\n',
        lines: [],
      },
    ],
  },
  {
    id: 'js-async-promise-executor',
    languages: JAVASCRIPT,
    severity: 'P2',
    blocking: true,
    title: 'Errors of an async promise executor are lost',
    explanation:
      'What an async executor throws rejects nobody: the outer promise stays pending for ever. Make the executor synchronous, or drop the wrapper and write an async function.',
    rule: {
      kind: 'identifier',
      regex: '^Promise$',
      inside: {
        kind: 'new_expression',
        field: 'constructor',
        has: {
          field: 'arguments',
          has: { nthChild: 1, any: [{ kind: 'arrow_function' }, { kind: 'function_expression' }], regex: '^async\\b' },
        },
      },
    },
    examples: [
      { code: 'const done = new Promise(async (resolve) => {\n  resolve(await load());\n});\n', lines: [1] },
      { code: 'const done = new Promise((resolve) => setTimeout(resolve, 5));\n', lines: [] },
    ],
  },
  {
    id: 'js-compare-nan',
    languages: JAVASCRIPT,
    severity: 'P1',
    blocking: true,
    title: 'Comparison with NaN has a constant result',
    explanation: 'NaN equals nothing, not even itself. Use `Number.isNaN`.',
    rule: { any: [{ pattern: '$VALUE === NaN' }, { pattern: '$VALUE == NaN' }, { pattern: '$VALUE === Number.NaN' }] },
    fix: 'Number.isNaN($VALUE)',
    examples: [
      {
        code: 'function f(n) {\n  if (n === NaN) return 0;\n}\n',
        lines: [2],
        suggestion: '  if (Number.isNaN(n)) return 0;',
      },
      { code: 'if (Number.isNaN(n)) stop();\nlet x = NaN;\n', lines: [] },
    ],
  },
  {
    id: 'js-typeof-typo',
    languages: JAVASCRIPT,
    severity: 'P1',
    blocking: true,
    title: 'typeof is compared with a word that it never gives',
    explanation:
      'The comparison is always false. The possible words are undefined, object, boolean, number, bigint, string, symbol and function.',
    rule: {
      any: [
        { pattern: 'typeof $VALUE === $WORD' },
        { pattern: 'typeof $VALUE == $WORD' },
        { pattern: 'typeof $VALUE !== $WORD' },
        { pattern: 'typeof $VALUE != $WORD' },
      ],
    },
    constraints: {
      WORD: {
        kind: 'string',
        not: { regex: '^["\'](undefined|object|boolean|number|bigint|string|symbol|function|unknown)["\']$' },
      },
    },
    examples: [
      { code: "if (typeof x === 'undefned') stop();\n", lines: [1] },
      { code: "if (typeof x !== 'array') stop();\n", lines: [1] },
      { code: "if (typeof x === 'undefined') stop();\nif (typeof x === kind) stop();\n", lines: [] },
    ],
  },
];
