import type { StructuralRule } from '../model/rule.ts';
import { CHANGES_STATE } from '../model/changes-state.ts';

const JAVASCRIPT = ['JavaScript', 'TypeScript', 'Tsx'] as const;

/** A block that only sets a value, which otherwise keeps its default. */
const SINGLE_VALUE = '^\\{\\s*(?:(?:const|let|var)\\s+)?[\\w$.]+\\s*=[^;{}]*;?\\s*\\}$';

const FUNCTIONS = ['arrow_function', 'function_declaration', 'function_expression', 'method_definition'].map(
  (kind) => ({ kind }),
);

/** The function returns the result of a call, and after a failure nothing: no statement follows. */
const RETURNS_RESULT = {
  has: {
    field: 'body',
    has: {
      kind: 'return_statement',
      has: { any: [{ kind: 'call_expression' }, { kind: 'await_expression' }] },
    },
  },
  inside: { kind: 'statement_block', inside: { any: FUNCTIONS } },
  not: { precedes: { regex: '[^}\\s]' } },
} as const;

/** A block with a single clean-up call, such as `close`, for something that may already be closed or deleted. */
const CLEANUP =
  '^\\{\\s*(?:await\\s+)?(?:[\\w$]+\\??\\.)*(?i:unlink|rm|rmdir|close|kill|destroy|abort|disconnect|release|end|stop|dispose|remove|clear|clean|cleanup|terminate|cancel|revoke|unref|unsubscribe|detach|mkdir)\\w*\\([^{};]*\\);?\\s*\\}$';

/** The last call of a promise that changes something; of others, such as a request for data, nobody misses the result. */
const WRITES =
  '(?i)(?:save|write|update|delete|remove|insert|create|send|submit|commit|publish|upload|persist|store|enqueue)\\w*\\([^;]*\\)$';

export const JAVASCRIPT_CORRECTNESS_RULES: readonly StructuralRule[] = [
  {
    id: 'js-empty-catch',
    languages: JAVASCRIPT,
    severity: 'P2',
    blocking: true,
    title: 'Empty catch block swallows the error',
    explanation:
      'The failure goes unnoticed and the program continues in an unexpected state. Handle the error, rethrow it, or explain in a comment inside the block why it can be ignored.',
    rule: {
      kind: 'catch_clause',
      has: { field: 'body', kind: 'statement_block', regex: '^\\{\\s*\\}$' },
      inside: { kind: 'try_statement', any: [{ has: { field: 'body', regex: CHANGES_STATE } }, RETURNS_RESULT] },
      not: {
        any: [
          { has: { field: 'parameter', regex: '^_?(ignored?|expected|unused)' } },
          { inside: { kind: 'try_statement', has: { field: 'body', regex: CLEANUP } } },
          { inside: { kind: 'try_statement', has: { field: 'body', regex: SINGLE_VALUE } } },
        ],
      },
    },
    silentIf: 'explained',
    examples: [
      { code: 'try {\n  fs.unlinkSync(path);\n} catch {}\ntry { await page.close(); } catch (error) {}\n', lines: [] },
      { code: 'try {\n  save(order);\n} catch (ignored) {}\n', lines: [] },
      { code: 'try {\n  await Settings.set("zone", zone);\n} catch (error) {\n}\n', lines: [3] },
      { code: 'try { saveOrder(order); } catch {}\n', lines: [1] },
      {
        code: 'const load = (read) => {\n  try {\n    return parse(read());\n  } catch (error) {\n  }\n};\n',
        lines: [4],
      },
      { code: 'function load() {\n  try {\n    return parse(text);\n  } catch {}\n  return null;\n}\n', lines: [] },
      {
        code: 'try {\n  const dialog = dialogs.find(id);\n  if (dialog) dialog.hide();\n} catch (error) {}\ntry { JSON.parse(text); } catch {}\n',
        lines: [],
      },
      { code: 'try {\n  save(order);\n} catch {\n  // already gone: nothing to clean up\n}\n', lines: [] },
      { code: 'try {\n  run();\n} catch (error) {\n  log(error);\n}\n', lines: [] },
    ],
  },
  {
    id: 'js-empty-promise-catch',
    languages: JAVASCRIPT,
    severity: 'P2',
    blocking: false,
    title: 'Empty handler swallows the rejection',
    explanation:
      'A rejected promise looks like success, so the failure goes unnoticed. Handle or report the rejection, or explain in a comment inside the handler why it can be ignored.',
    rule: {
      any: [
        { pattern: '$PROMISE.catch(() => {})' },
        { pattern: '$PROMISE.catch(($ERROR) => {})' },
        { pattern: '$PROMISE.catch(function () {})' },
      ],
      not: {
        any: [
          { has: { kind: 'comment', stopBy: 'end' } },
          // The next attempt follows soon.
          { inside: { stopBy: 'end', kind: 'call_expression', has: { field: 'function', regex: '^setInterval$' } } },
        ],
      },
    },
    constraints: { PROMISE: { regex: WRITES, not: { regex: '(?i)activ|last\\w{0,20}at\\b' } } },
    where: 'production',
    silentIf: 'explained',
    examples: [
      { code: 'save(x).catch(() => {});\n', lines: [1] },
      { code: 'save(x).catch((error) => {});\n', lines: [1] },
      { code: 'save(x).catch((error) => log(error));\nresolve4(name).catch(() => {});\n', lines: [] },
      {
        code: 'setInterval(() => {\n  saveData().catch(() => {});\n}, 1000);\nsessions.updateLastActiveAt(id).catch(() => {});\n',
        lines: [],
      },
      { code: 'save(x).catch(() => { /* best effort */ });\n', lines: [] },
    ],
  },
  {
    id: 'js-debugger',
    languages: JAVASCRIPT,
    severity: 'P3',
    blocking: false,
    title: 'Leftover debugger statement',
    explanation: 'Execution stops here whenever developer tools are open. Delete the line.',
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
    title: 'Leftover debug output',
    explanation:
      'This looks like output from a debugging session. Delete it, or use a logger with a level and a message.',
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
      'The loop finishes before the work does, and a rejection is unhandled. Use `for (const item of list)` with `await`, or `await Promise.all(list.map(…))`.',
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
    title: 'Async promise executor loses its errors',
    explanation:
      'An error thrown in an async executor does not reject the outer promise, which then stays pending forever. Make the executor synchronous, or write an async function instead of the wrapper.',
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
    title: 'Comparison with NaN is always false or always true',
    explanation: 'NaN equals nothing, not even itself, so the result never depends on the value. Use `Number.isNaN`.',
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
    title: 'typeof is compared with an impossible value',
    explanation:
      'typeof never returns this string, so the comparison has the same result for every value. Use one of undefined, object, boolean, number, bigint, string, symbol and function.',
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
