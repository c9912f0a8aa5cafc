import type { GrepNode, StructuralRule } from '../model/rule.ts';

const PYTHON = ['Python'] as const;

/** Statements that change the value of the name. */
const CHANGES: readonly GrepNode[] = [
  ...'append extend insert remove pop clear update setdefault add discard sort reverse'
    .split(' ')
    .map((method) => ({ pattern: `$NAME.${method}($$$ARGUMENTS)` })),
  { pattern: '$NAME[$KEY] = $VALUE' },
  { pattern: '$NAME += $VALUE' },
  { pattern: 'del $NAME[$KEY]' },
];

export const PYTHON_CORRECTNESS_RULES: readonly StructuralRule[] = [
  {
    id: 'py-swallowed-exception',
    languages: PYTHON,
    severity: 'P2',
    blocking: true,
    title: 'Handler swallows every exception',
    explanation:
      'The handler catches all exceptions, including programming errors, and reports nothing. Catch only what you expect and log the rest, or explain in a comment why it can be ignored.',
    rule: {
      kind: 'except_clause',
      regex: '^except(\\s+\\(?(Exception|BaseException)\\)?(\\s+as\\s+\\w+)?)?\\s*:\\s*(pass|\\.\\.\\.)\\s*$',
      not: {
        any: [{ has: { kind: 'comment', stopBy: 'end' } }, { inside: { kind: 'module', has: { kind: 'ERROR' } } }],
      },
      // A single statement is an attempt that may fail, and so is a block that closes something or looks for the first that works.
      inside: {
        kind: 'try_statement',
        has: {
          field: 'body',
          has: { nthChild: 2 },
          not: { regex: '\\.(close|kill|terminate|shutdown|disconnect|malloc_trim)\\(|^\\s*break\\b|\\n\\s*break\\b' },
        },
      },
    },
    silentIf: 'explained',
    examples: [
      { code: 'try:\n    prepare()\n    run()\nexcept Exception:\n    pass\n', lines: [4] },
      { code: 'try:\n    prepare()\n    run()\nexcept:\n    pass\n', lines: [4] },
      { code: 'try:\n    run()\nexcept:\n    pass\n', lines: [] },
      { code: 'try:\n    server.kill()\n    server.communicate()\nexcept:\n    pass\n', lines: [] },
      {
        code: 'try:\n    run()\nexcept FileNotFoundError:\n    pass\nexcept Exception as error:\n    log(error)\n',
        lines: [],
      },
      {
        code: 'try:\n    run()\nexcept Exception:\n    # best effort: the cache is only a hint\n    pass\n',
        lines: [],
      },
    ],
  },
  {
    id: 'py-mutable-default',
    languages: PYTHON,
    severity: 'P2',
    blocking: false,
    title: 'Mutable default argument is shared by all calls',
    explanation:
      'The default is created once, so changes made by one call are visible to the next. Use `None` as the default and create the value inside the function.',
    rule: {
      any: [{ kind: 'default_parameter' }, { kind: 'typed_default_parameter' }],
      has: {
        field: 'value',
        any: [{ kind: 'list' }, { kind: 'dictionary' }, { kind: 'set' }, { regex: '^(list|dict|set)\\(\\)$' }],
      },
      all: [
        { has: { field: 'name', pattern: '$NAME' } },
        {
          inside: {
            kind: 'parameters',
            inside: { kind: 'function_definition', has: { field: 'body', has: { any: CHANGES, stopBy: 'end' } } },
          },
        },
      ],
    },
    examples: [
      { code: 'def add(item, to=[]):\n    to.append(item)\n', lines: [1] },
      { code: 'def add(\n    item,\n    to: dict = {},\n):\n    to[item] = 1\n', lines: [3] },
      { code: 'def show(item, to=[], more={}):\n    print(to, more.get(item))\n', lines: [] },
      { code: 'def add(item, to=None, kind=(), name=""):\n    add(item, to=[])\n', lines: [] },
    ],
  },
  {
    id: 'py-is-literal',
    languages: PYTHON,
    severity: 'P1',
    blocking: true,
    title: 'Identity comparison with a literal',
    explanation:
      '`is` compares object identity, which for strings and numbers depends on the interpreter. Compare with `==`.',
    rule: { any: [{ pattern: '$VALUE is $LITERAL' }] },
    constraints: { LITERAL: { any: [{ kind: 'string' }, { kind: 'integer' }, { kind: 'float' }] } },
    fix: '$VALUE == $LITERAL',
    examples: [
      { code: 'if state is "done":\n    stop()\n', lines: [1], suggestion: 'if state == "done":' },
      { code: 'if state is None or state is True:\n    stop()\nif state == "done":\n    stop()\n', lines: [] },
    ],
  },
  {
    id: 'py-assert-tuple',
    languages: PYTHON,
    severity: 'P1',
    blocking: true,
    title: 'Assertion on a tuple is always true',
    explanation: 'A non-empty tuple is truthy, so nothing is checked. Remove the parentheses.',
    rule: { pattern: 'assert ($TEST, $MESSAGE)' },
    fix: 'assert $TEST, $MESSAGE',
    examples: [
      {
        code: 'def test_a():\n    assert (x == 1, "x is one")\n',
        lines: [2],
        suggestion: '    assert x == 1, "x is one"',
      },
      { code: 'assert x == 1, "x is one"\nassert (x, y) == (1, 2)\n', lines: [] },
    ],
  },
  {
    id: 'py-breakpoint',
    languages: PYTHON,
    severity: 'P2',
    blocking: true,
    title: 'Leftover breakpoint',
    explanation: 'The process stops here and waits for input on its terminal. Delete the line.',
    rule: {
      any: [{ pattern: 'breakpoint()' }, { pattern: '$DEBUGGER.set_trace()' }],
      inside: { kind: 'expression_statement' },
    },
    constraints: { DEBUGGER: { regex: '^(pdb|ipdb|pudb|__import__\\(.i?pdb.\\))$' } },
    examples: [
      { code: 'def f():\n    breakpoint()\n', lines: [2] },
      { code: 'import pdb; pdb.set_trace()\n', lines: [1] },
      { code: '# breakpoint()\nset_trace(span)\n', lines: [] },
    ],
  },
  {
    id: 'py-skipped-test',
    languages: PYTHON,
    severity: 'P3',
    blocking: false,
    title: 'Test is skipped without a reason',
    explanation:
      'A skipped test checks nothing and is easily forgotten. Give the reason and the condition for enabling it again.',
    rule: { kind: 'decorator', regex: '^@(pytest\\.mark\\.(skip|xfail)|unittest\\.skip)(\\(\\s*\\))?$' },
    examples: [
      { code: '@pytest.mark.skip\ndef test_a():\n    pass\n', lines: [1] },
      { code: '@pytest.mark.skip(reason="needs a GPU, see #12")\ndef test_a():\n    pass\n', lines: [] },
    ],
  },
  {
    id: 'py-missing-await',
    languages: PYTHON,
    severity: 'P1',
    blocking: true,
    title: 'Coroutine is never awaited',
    explanation:
      'Without `await` the call does not run; Python only warns when the coroutine object is discarded. Add `await`.',
    rule: { pattern: 'asyncio.$FUNCTION($$$ARGS)', inside: { kind: 'expression_statement' } },
    constraints: { FUNCTION: { regex: '^(sleep|wait|wait_for)$' } },
    fix: 'await asyncio.$FUNCTION($$$ARGS)',
    examples: [
      { code: 'async def f():\n    asyncio.sleep(1)\n', lines: [2], suggestion: '    await asyncio.sleep(1)' },
      { code: 'async def f():\n    await asyncio.sleep(1)\n    task = asyncio.sleep(2)\n', lines: [] },
    ],
  },
  {
    id: 'py-return-in-finally',
    languages: PYTHON,
    severity: 'P2',
    blocking: true,
    title: 'return in finally swallows the exception',
    explanation:
      'The `return` replaces any exception or return value of the `try` block. Return after the `try` statement.',
    rule: {
      kind: 'return_statement',
      inside: { kind: 'finally_clause', stopBy: { any: [{ kind: 'function_definition' }, { kind: 'lambda' }] } },
    },
    examples: [
      { code: 'def f():\n    try:\n        run()\n    finally:\n        return 1\n', lines: [5] },
      { code: 'def f():\n    try:\n        return run()\n    finally:\n        close()\n', lines: [] },
    ],
  },
  {
    id: 'py-raise-not-implemented',
    languages: PYTHON,
    severity: 'P2',
    blocking: true,
    title: 'NotImplemented is not an exception',
    explanation: 'Python raises a TypeError that hides the intended error. Raise `NotImplementedError`.',
    rule: { any: [{ pattern: 'raise NotImplemented' }] },
    fix: 'raise NotImplementedError',
    examples: [
      { code: 'def f():\n    raise NotImplemented\n', lines: [2], suggestion: '    raise NotImplementedError' },
      { code: 'def f():\n    raise NotImplementedError\n\ndef g():\n    return NotImplemented\n', lines: [] },
    ],
  },
];
