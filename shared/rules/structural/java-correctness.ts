import type { StructuralRule } from '../model/rule.ts';
import { CHANGES_STATE } from '../model/changes-state.ts';

const JAVA = ['Java'] as const;

export const JAVA_CORRECTNESS_RULES: readonly StructuralRule[] = [
  {
    id: 'java-empty-catch',
    languages: JAVA,
    severity: 'P2',
    blocking: true,
    title: 'Empty catch block swallows the exception',
    explanation:
      'The failure goes unnoticed and the program continues in an unexpected state. Handle the exception, rethrow it, or explain in a comment inside the block why it can be ignored.',
    rule: {
      kind: 'catch_clause',
      has: { field: 'body', regex: '^\\{\\s*\\}$' },
      inside: {
        any: [{ kind: 'try_statement' }, { kind: 'try_with_resources_statement' }],
        has: { field: 'body', regex: CHANGES_STATE },
      },
      not: { has: { kind: 'catch_formal_parameter', regex: '\\b(ignored|expected|_)$' } },
    },
    silentIf: 'explained',
    examples: [
      {
        code: 'class A {\n  void f() {\n    try {\n      saveOrder();\n    } catch (IOException e) {\n    }\n  }\n}\n',
        lines: [5],
      },
      {
        code: 'class A {\n  void f() {\n    try {\n      offset = Integer.parseInt(page);\n    } catch (NumberFormatException e) {\n    }\n  }\n}\n',
        lines: [],
      },
      {
        code: 'class A {\n  void f() {\n    try {\n      save();\n    } catch (IOException ignored) {\n    } catch (Exception e) {\n      throw new IllegalStateException(e);\n    }\n  }\n}\n',
        lines: [],
      },
    ],
  },
  {
    id: 'java-string-identity',
    languages: JAVA,
    severity: 'P2',
    blocking: true,
    title: 'Strings are compared by identity',
    explanation:
      '`==` compares object identity, so two strings with equal text can compare as different. Use `equals`.',
    rule: { any: [{ pattern: '$VALUE == $TEXT' }] },
    constraints: { TEXT: { kind: 'string_literal' } },
    fix: '$TEXT.equals($VALUE)',
    examples: [
      {
        code: 'class A {\n  boolean f(String s) {\n    return s == "done";\n  }\n}\n',
        lines: [3],
        suggestion: '    return "done".equals(s);',
      },
      { code: 'class A {\n  boolean f(String s) {\n    return s == null || "done".equals(s);\n  }\n}\n', lines: [] },
    ],
  },
  {
    id: 'java-print-stack-trace',
    languages: JAVA,
    severity: 'P3',
    blocking: false,
    title: 'Exception is only printed',
    explanation:
      'The stack trace goes to standard error and bypasses the log and its levels. Log the exception with context, or rethrow it.',
    rule: {
      pattern: '$ERROR.printStackTrace()',
      // The handler also tells the user.
      not: {
        inside: {
          kind: 'catch_clause',
          stopBy: 'end',
          has: { field: 'body', regex: 'getMessage\\(|getLocalizedMessage\\(|Toast|Dialog|Snackbar|\\breason\\s*=' },
        },
      },
    },
    where: 'production',
    examples: [
      {
        code: 'class A {\n  void f() {\n    try {\n      run();\n    } catch (Exception e) {\n      e.printStackTrace();\n    }\n  }\n}\n',
        lines: [6],
      },
      {
        code: 'class A {\n  void f() {\n    try {\n      load();\n    } catch (IOException e) {\n      e.printStackTrace();\n      ErrorDialog.show(e);\n    }\n  }\n}\n',
        lines: [],
      },
      { code: 'class A {\n  void f(PrintWriter w) {\n    e.printStackTrace(w);\n  }\n}\n', lines: [] },
    ],
  },
  {
    id: 'java-return-in-finally',
    languages: JAVA,
    severity: 'P2',
    blocking: true,
    title: 'return in finally swallows the exception',
    explanation:
      'The `return` replaces any exception or return value of the `try` block. Return after the `try` statement.',
    rule: {
      kind: 'return_statement',
      inside: {
        kind: 'finally_clause',
        stopBy: { any: [{ kind: 'lambda_expression' }, { kind: 'method_declaration' }] },
      },
    },
    examples: [
      {
        code: 'class A {\n  int f() {\n    try {\n      run();\n    } finally {\n      return 1;\n    }\n  }\n}\n',
        lines: [6],
      },
      {
        code: 'class A {\n  int f() {\n    try {\n      return run();\n    } finally {\n      close();\n    }\n  }\n}\n',
        lines: [],
      },
    ],
  },
  {
    id: 'java-decimal-from-double',
    languages: JAVA,
    severity: 'P2',
    blocking: true,
    title: 'BigDecimal keeps the rounding error of the double',
    explanation:
      '`new BigDecimal(0.1)` is 0.1000000000000000055…. Pass the number as a string, or use `BigDecimal.valueOf`.',
    rule: { pattern: 'new BigDecimal($NUMBER)' },
    constraints: { NUMBER: { kind: 'decimal_floating_point_literal', regex: '^[0-9]+\\.[0-9]+$' } },
    fix: 'new BigDecimal("$NUMBER")',
    examples: [
      {
        code: 'class A {\n  BigDecimal rate = new BigDecimal(0.1);\n}\n',
        lines: [2],
        suggestion: '  BigDecimal rate = new BigDecimal("0.1");',
      },
      {
        code: 'class A {\n  BigDecimal rate = new BigDecimal("0.1");\n  BigDecimal one = new BigDecimal(1);\n}\n',
        lines: [],
      },
    ],
  },
];
